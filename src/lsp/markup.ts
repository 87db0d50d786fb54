// Documentation inside an answer: a plain string, or an object that says which kind of text it holds.
import { isRecord, optionalText } from './parse.js'

/** A string or MarkupContent; anything else is no documentation rather than a broken answer. */
export function parseMarkup(value: unknown): string | undefined {
  return isRecord(value) ? optionalText(value.value) : optionalText(value)
}

/** `["a", {value: "b"}]` and "ab" alike: labels made of parts read as one text. */
export function joinedParts(value: unknown): string | undefined {
  if (!Array.isArray(value)) return optionalText(value)
  return value.map(part => (isRecord(part) ? (optionalText(part.value) ?? '') : '')).join('')
}
