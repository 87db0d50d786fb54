// Real code of real size: the very first answer after a cold start is the whole answer, or says what it lacks.
import { describe, expect, test } from 'vitest'
import type { WorkspaceId } from '../../scripts/servers/manifest.js'
import { property } from '../../src/json.js'
import { type OpenWorkspace, openCopy } from './open.js'
import { shortPlace } from './questions.js'
import { manifest, realServer, whenInstalled } from './servers.js'

/** How many references to the workspace's symbol there were when this was written, with these pinned versions. */
const leastReferences: Readonly<Record<WorkspaceId, number>> = {
  typescript: 393,
  python: 356,
  go: 231,
  rust: 7,
  c: 450,
}

const pairs: readonly { readonly server: string; readonly workspace: WorkspaceId }[] = [
  { server: 'typescript', workspace: 'typescript' },
  { server: 'typescript-language-server', workspace: 'typescript' },
  { server: 'pyright', workspace: 'python' },
  { server: 'gopls', workspace: 'go' },
  { server: 'rust-analyzer', workspace: 'rust' },
  { server: 'clangd', workspace: 'c' },
]

describe('story 9 the first references after a cold start equal the steady ones', () => {
  for (const { server: id, workspace } of pairs) {
    const server = realServer(id)
    const entry = manifest?.workspaces[workspace]
    const missing =
      server.missing ?? (entry === undefined ? 'its workspace is not installed (npm run servers)' : undefined)
    whenInstalled(id, missing, () => test(id, () => firstEqualsSteady(id, workspace), 120_000))
  }
})

async function firstEqualsSteady(id: string, workspace: WorkspaceId): Promise<void> {
  const entry = manifest?.workspaces[workspace]
  if (entry === undefined) throw new TypeError(`there is no workspace ${workspace}`)
  await using opened = await openCopy(entry, { server: realServer(id), trusted: true })
  const { file, line, name: symbol } = entry.symbol
  const ask = async () => {
    const answer = await opened.bridge.findReferences({ file, line, symbol })
    if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
    expect(answer.servers.map(answering => answering.id)).toEqual([id])
    return answer
  }
  const first = await ask()
  expectVerdict(first.completeness, opened)
  const places = first.result.references.map(shortPlace)
  expect(places.length).toBeGreaterThanOrEqual(leastReferences[workspace])

  // Other questions in between give a server that was not done the time to show it.
  await opened.bridge.getDiagnostics({ file })
  await opened.bridge.findSymbol({ query: symbol })
  const status = await opened.bridge.serverStatus({})
  expect(status).toMatchObject({ result: { servers: [{ id, state: 'ready', restarts: 0 }] } })
  const steady = await ask()
  expect(places).toEqual(steady.result.references.map(shortPlace))
  expectVerdict(steady.completeness, opened)
}

/** Complete, unless the server itself says that its view of the workspace is not whole: then in its words. */
function expectVerdict(completeness: object, { traffic }: OpenWorkspace): void {
  const complaint = traffic.messages
    .filter(message => property(message, 'method') === 'experimental/serverStatus')
    .map(message => property(property(message, 'params'), 'message'))
    .at(-1)
  if (typeof complaint !== 'string') expect(completeness).toEqual({ verdict: 'complete' })
  else expect(completeness).toMatchObject({ verdict: 'partial', reason: expect.stringContaining(complaint) })
}
