// Before a server is asked about a file: it can answer this kind of question at all, its view is brought up to date,
// the file is open, and it has seen the workspace as far as the question needs that.
import { BridgeError } from '../errors.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { Currency } from '../workspace/file-table.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { CallState } from './call-state.js'
import { doubtLimits, doubtReadiness, openProjects } from './doubts.js'
import type { FileNeeds } from './operation.js'
import { type Standing, standingOf } from './standing.js'
import { waits } from './waits.js'

export interface PreparedFile {
  readonly document: OpenDocument
  /** Whether the server was told of every change there is. */
  readonly currency: Currency
  /** Whether what it says of the file rests on all it should know. */
  readonly standing: Standing
}

export async function prepareFile(
  source: SourceFile,
  connection: Connection,
  needs: FileNeeds,
  call: CallState,
): Promise<PreparedFile> {
  const { language } = connection.session.candidate.definition
  await call.authorize({ method: needs.lsp?.method, file: source.relative, language })
  await checkCapability(needs, connection, call)
  const { name } = connection.session.client.identity
  call.waitingFor = waits.news(name)
  const currency = await connection.view.bringUpToDate(call.wait())
  const { languageId } = call.workspace.routes.forFile(source.relative)
  const document = await connection.view.open(source, languageId, call.wait())
  if (needs.needsWholeWorkspace) await settle(needs, connection, source, call)
  if (!connection.view.hasParsed(document)) {
    const reason = `${name} has not parsed ${source.relative} yet`
    call.doubt({ verdict: 'unknown', reason, hint: 'Ask again; do not take this for everything.' })
  }
  call.waitingFor = waits.answer(name)
  return { document, currency, standing: standingOf(connection, currency) }
}

/** Waits until the server has seen the workspace, and turns whatever it cannot know into doubts. */
async function settle(
  needs: FileNeeds,
  connection: Connection,
  source: SourceFile,
  call: CallState,
): Promise<void> {
  const { client, candidate } = connection.session
  call.waitingFor = waits.index(client.identity.name)
  const left = call.remaining()
  // Some time is kept back to ask at all: an honest partial answer beats a timeout.
  const milliseconds = Math.max(left - Math.min(10_000, left / 4), 0)
  const readiness = await client.readiness.settle({ milliseconds, signal: call.signal })
  doubtReadiness(readiness, candidate.definition, call)
  await openProjects(needs.lsp?.method, connection, call)
  doubtLimits(needs.lsp?.method, connection, source.absolute, call)
}

async function checkCapability(
  { lsp, name, nearest }: FileNeeds,
  { session }: Connection,
  call: CallState,
): Promise<void> {
  const { client } = session
  if (lsp === null || (await client.offers(lsp, call.signal))) return
  const instead = nearest !== undefined && (nearest.lsp === null || client.supports(nearest.lsp))
  throw new BridgeError({
    kind: 'CapabilityMissing',
    message: `${client.identity.name} does not offer ${lsp.method}, which ${name} needs`,
    hint: instead
      ? `Use ${nearest.name}: it comes nearest and is offered. Another server for this language may offer ${name} itself.`
      : 'Use server_status to see what runs; another server for this language may offer it.',
  })
}

export function keptChanging(): BridgeError {
  return new BridgeError({
    kind: 'ContentModified',
    message: 'the file was edited twice while it was about to be asked about',
    hint: 'Ask again when it is at rest.',
  })
}
