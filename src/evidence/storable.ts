// From an event to what is written of it: every text in it, wherever it stands, is cleaned, redacted and bounded here,
// so that no maker of events can forget to.
import type { Redact } from './redact.js'

/** The same value with every text in it fit to be kept: itself where all of them are, as nearly always. */
export function storable<T extends object>(event: T, redact: Redact): T {
  return fitObject(event, redact)
}

const longest = 200
const longestOf: Readonly<Record<string, number>> = {
  message: 500,
  reason: 300,
  cause: 300,
  file: 400,
  from: 400,
  root: 400,
}

/** Hashes, times and ids, which are neither long nor secret, and the most frequent texts of all. */
const known = /^(?:(?:sha256:)?[0-9a-f]{64}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|ev:[0-9a-z-]{1,32})$/

function fitObject<T extends object>(value: T, redact: Redact): T {
  let fit = value
  for (const key of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, key)
    const kept = fitValue(inner, longestOf[key] ?? longest, redact)
    if (kept === inner) continue
    if (fit === value) fit = { ...value }
    Reflect.set(fit, key, kept)
  }
  return fit
}

function fitValue(value: unknown, maxLength: number, redact: Redact): unknown {
  if (typeof value === 'string') return known.test(value) ? value : redact(value, maxLength)
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return fitObject(value, redact)
  const fit = value.map(entry => fitValue(entry, maxLength, redact))
  return fit.every((entry, index) => entry === value[index]) ? value : fit
}
