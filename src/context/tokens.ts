// How many tokens a text costs, counted with a real tokenizer (o200k_base). It takes 200 ms and 65 MB to load, so that
// happens only when a context is packed, and never at the start of a server that offers tools.

export type CountTokens = (text: string) => number

let loading: Promise<CountTokens> | undefined

export function loadTokenizer(): Promise<CountTokens> {
  loading ??= import('./o200k.mjs').then(({ countTokens }) => countTokens)
  return loading
}
