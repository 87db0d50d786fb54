// Fills the placeholders of a script's JSON and bytes from the message that is being handled, so that an answer
// can echo what was asked and tell the truth about the current text.
import type { Bytes, Template } from './script.js'

/** The value of a placeholder, by its name without the braces. */
export type Lookup = (name: string) => unknown

export function fill(template: Template, lookup: Lookup): unknown {
  if (typeof template === 'string') return fillString(template, lookup)
  if (typeof template !== 'object' || template === null) return template
  if (isList(template)) return template.map(item => fill(item, lookup))
  return fillMembers(template, lookup)
}

export function fillMembers(members: { readonly [name: string]: Template }, lookup: Lookup): object {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, fill(value, lookup)]))
}

export function fillBytes(bytes: Bytes, lookup: Lookup): Bytes {
  if (typeof bytes === 'string') return fillText(bytes, lookup)
  if (isList(bytes)) return bytes.map(part => fillBytes(part, lookup))
  return 'repeat' in bytes ? { ...bytes, repeat: fillBytes(bytes.repeat, lookup) } : bytes
}

export function fillText(text: string, lookup: Lookup): string {
  return text.replace(placeholder, (_, name: string) => {
    const value = lookup(name) ?? null
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** Only these names are placeholders; other braces are text. */
const placeholder = /\{(uri|version|text|diagnostics|method|id|root|index|params(?:\.\w+)*)\}/g

function fillString(text: string, lookup: Lookup): unknown {
  const match = new RegExp(`^${placeholder.source}$`).exec(text)
  return match?.[1] === undefined ? fillText(text, lookup) : (lookup(match[1]) ?? null)
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
