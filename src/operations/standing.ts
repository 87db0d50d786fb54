// Whether what a server says of a text rests on all it should know. A report for the right text is still no proof from a
// server that is loading, or that was not told of every change: then it answers with too little, and nothing shows it.
import type { Currency } from '../workspace/file-table.js'
import type { Connection } from '../workspace/workspace.js'

export type Standing =
  | { readonly isWhole: true }
  | { readonly isWhole: false /** As it is told, with the server's name. */; readonly reason: string }

/** To be taken after the server was waited for and before it is asked. */
export function standingOf({ session }: Connection, currency: Currency): Standing {
  if (!currency.current) return { isWhole: false, reason: currency.reason }
  const { client, candidate } = session
  const { title, readiness: rule, diagnostics } = candidate.definition
  const { current, hopeless } = client.readiness
  if (current.ready) return { isWhole: true }
  if (diagnostics.kind === 'standard' && diagnostics.restsOnFileAlone !== undefined) return { isWhole: true }
  // Nothing can ever show that such a server knows everything. Its own word for the very text must do, unless it is at
  // work on something; that nothing more is known is said of the whole answer.
  if (rule.kind === 'unproven' && hopeless) return { isWhole: true }
  return { isWhole: false, reason: `${title}: ${current.reason}` }
}
