// Of some things a server sends none at all where its settings turn them off, and it says nothing else: an empty list is
// then no proof that there is nothing. TypeScript 7, typescript-language-server and gopls keep inlay hints and code lenses
// off unless told otherwise, gopls semantic tokens too, and rust-analyzer sends lenses only for commands it was offered.
import type { FileContext } from './operation.js'

export function doubtTurnedOff(
  what: string,
  { server, doubt }: Pick<FileContext, 'server' | 'doubt'>,
  hint?: string,
): void {
  const reason = `${server.client.identity.name} sent no ${what}, as it does where its settings turn them off`
  doubt({ verdict: 'unknown', reason, ...(hint === undefined ? {} : { hint }) })
}
