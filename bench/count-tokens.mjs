// The tokenizer that packs a context, for measurements.
export { countTokens } from '../src/context/o200k.mjs'
