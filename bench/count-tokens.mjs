// The tokenizer behind a declaration of our own (count-tokens.d.mts): the package's needs the types of a browser.
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
