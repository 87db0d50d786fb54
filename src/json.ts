// Reading values that came from outside: the one way to look into an unknown JSON value.

/** An own property, or undefined; never a prototype's (fault X11). */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue
}

/** A key whose value is undefined says nothing, and must not hide what was said before it. */
export function definedOnly<T extends object>(value: T): Partial<T> {
  const copy: Partial<T> = { ...value }
  for (const key of Object.keys(copy))
    if (Reflect.get(copy, key) === undefined) Reflect.deleteProperty(copy, key)
  return copy
}
