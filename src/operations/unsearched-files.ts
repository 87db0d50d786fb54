// Uses of a symbol that its server leaves out when it is asked for callers or subtypes: in files that belong to no project
// it has loaded, and for tsserver in those of every project but one. They are found through the references and the text of
// the workspace, and opened, after which TypeScript 7 searches them too; where that does not help, the answer says so.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import type { Place } from '../workspace/places.js'
import type { Doubt } from './answer.js'
import { beginCrossCheck } from './cross-check.js'
import type { ContextOf } from './operation.js'
import { counted, listed } from './render.js'

export interface Uses {
  /** As the server gave them, before others were opened. */
  readonly locations: readonly ServerLocation[]
  readonly found: readonly Place[]
  /** In files that the server did not search, which are open now. */
  readonly missed: readonly Place[]
}

/** Begin before the server is asked: the text is then searched while it works. */
export function beginUses(context: ContextOf['symbol']): () => Promise<Uses> {
  const { at, server, workspace } = context
  if (!server.client.supports(ReferencesRequest))
    return async () => ({ locations: [], found: [], missed: [] })
  const doubts: Doubt[] = []
  const crossCheck = beginCrossCheck({ ...context, doubt: doubt => void doubts.push(doubt) })
  return async () => {
    const params = { ...at, context: { includeDeclaration: true } }
    const answer = await server.request(ReferencesRequest, params).catch(refused)
    const locations = parseLocations(answer)
    const found = workspace.places(locations, server.client.encoding)
    const searched = new Set(found.map(({ file }) => file))
    const missed = (await crossCheck.missedBy(found)).filter(({ file }) => !searched.has(file))
    // With uses found, the first doubt says that they were added, which holds for references alone.
    for (const doubt of missed.length > 0 ? doubts.slice(1) : doubts) context.doubt(doubt)
    return { locations, found, missed }
  }
}

/** A server that will not say leaves nothing to compare with. */
function refused(thrown: unknown): undefined {
  if (asBridgeError(thrown).kind !== 'ServerError') throw thrown
}

/** Says that the answer leaves out what is in these files. */
export function doubtMissing(places: readonly Place[], noun: string, context: ContextOf['symbol']): void {
  const files = [...new Set(places.map(({ file }) => file))]
  if (files.length === 0) return
  const { doubt, server, target } = context
  const { title } = server.connection.session.candidate.definition
  doubt({
    verdict: 'partial',
    reason: `${title} left out ${counted(files.length, 'file')} with what looks like ${noun} of ${target.symbol}: ${listed(files)}`,
    hint: 'They may belong to no project it has loaded: look at them with find_references.',
  })
}
