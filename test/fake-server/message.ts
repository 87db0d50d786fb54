// JSON-RPC messages as the fake server sees them, and safe ways to look into what a client sent. The fake
// neither trusts nor validates its client beyond this: what is absent reads as undefined.
import type { Selector } from './script.js'

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { id, method } = { id: undefined, method: undefined, ...value }
  const idFits = id === undefined || id === null || typeof id === 'number' || typeof id === 'string'
  return idFits && (method === undefined || typeof method === 'string')
}

export function isRequest(message: Message): boolean {
  return message.method !== undefined && message.id !== undefined
}

/** The name under which a message is waited for: its method, or `@response`. */
export function nameOf(message: Message): string {
  return message.method ?? '@response'
}

export function selects(selector: Selector, message: Message): boolean {
  const name = nameOf(message)
  // What happens to the server itself is no message of the client.
  const happening = name === '@start' || name === '@end' || name === '@ready'
  switch (selector) {
    case '@any':
      return !happening
    case '@request':
      return isRequest(message)
    case '@query':
      return isRequest(message) && name !== 'initialize' && name !== 'shutdown'
    default:
      return name === selector
  }
}

/** The value at a path inside unknown data. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = Object.hasOwn(current, key) ? Reflect.get(current, key) : undefined
  }
  return current
}

export function stringAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The document a message is about. */
export function uriOf(message: Message): string | undefined {
  return stringAt(message.params, 'textDocument', 'uri')
}
