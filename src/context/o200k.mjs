// The tokenizer behind a declaration of our own (o200k.d.mts): the package's needs the types of a browser.
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'

// Source may hold what a model takes for a control token; here it is text like any other, and must not throw.
const asText = { disallowedSpecial: new Set() }

export function countTokens(text) {
  return count(text, asText)
}
