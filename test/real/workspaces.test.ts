// Real code of real size: the very first answer after a cold start is the whole answer, or says what it lacks; and what
// is made of several questions is right there too, in a time that somebody would wait.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { WorkspaceEntry, WorkspaceId } from '../../scripts/servers/manifest.js'
import type { Answer, Success } from '../../src/index.js'
import { property } from '../../src/json.js'
import { type OpenWorkspace, openCopy } from './open.js'
import { shortPlace } from './questions.js'
import { manifest, realServer, whenInstalled } from './servers.js'

/** How much there was when this was written, with these pinned versions. */
interface Known {
  /** To the workspace's symbol, its declaration included, and in how many files. */
  readonly references: number
  readonly files: number
  /** A function, and how many call it. */
  readonly called: { readonly file: string; readonly symbol: string; readonly callers: number }
  /** What renaming the workspace's symbol takes. */
  readonly renaming: { readonly files: number; readonly edits: number }
  /** Why not even a server that is ready finds everything. */
  readonly gap?: RegExp
}

const known: Readonly<Record<WorkspaceId, Known>> = {
  typescript: {
    references: 393,
    files: 80,
    called: { file: 'src/internal/util/lift.ts', symbol: 'operate', callers: 69 },
    renaming: { files: 80, edits: 393 },
  },
  python: {
    references: 356,
    files: 84,
    called: { file: 'django/utils/encoding.py', symbol: 'force_str', callers: 24 },
    renaming: { files: 85, edits: 356 },
  },
  go: {
    references: 231,
    files: 5,
    called: { file: 'mux.go', symbol: 'NewRouter', callers: 53 },
    renaming: { files: 5, edits: 231 },
  },
  rust: {
    references: 7,
    files: 4,
    called: { file: 'src/memchr.rs', symbol: 'memchr', callers: 4 },
    renaming: { files: 5, edits: 7 },
    gap: /files that seem to use memchr are not in the answer/,
  },
  c: {
    references: 450,
    files: 31,
    called: { file: 'lib/common/error_private.h', symbol: 'ERR_isError', callers: 220 },
    // Most references are by way of a macro that has another name.
    renaming: { files: 18, edits: 45 },
    gap: /did not search \d+ files? that uses? ERR_isError/,
  },
}

const pairs: readonly { readonly server: string; readonly workspace: WorkspaceId }[] = [
  { server: 'typescript', workspace: 'typescript' },
  { server: 'typescript-language-server', workspace: 'typescript' },
  { server: 'pyright', workspace: 'python' },
  { server: 'gopls', workspace: 'go' },
  { server: 'rust-analyzer', workspace: 'rust' },
  { server: 'clangd', workspace: 'c' },
]

/** Nobody waits longer for one answer, on a machine with other things to do. */
const timeout_ms = 30_000

describe('story 9 the first references after a cold start equal the steady ones; R-111 what is made of them', () => {
  for (const { server: id, workspace } of pairs) {
    const server = realServer(id)
    const entry = manifest?.workspaces[workspace]
    const missing =
      server.missing ?? (entry === undefined ? 'its workspace is not installed (npm run servers)' : undefined)
    whenInstalled(id, missing, () =>
      test(id, async () => {
        if (entry === undefined) throw new TypeError(`there is no workspace ${workspace}`)
        await using opened = await openCopy(entry, { server, trusted: true })
        const asked: Asked = { id, entry, opened, known: known[workspace] }
        await firstEqualsSteady(asked)
        await explored(asked)
        await callersFound(asked)
        await renameProposed(asked)
      }, 180_000),
    )
  }
})

interface Asked {
  readonly id: string
  readonly entry: WorkspaceEntry
  readonly opened: OpenWorkspace
  readonly known: Known
}

async function firstEqualsSteady(asked: Asked): Promise<void> {
  const { entry, opened, id } = asked
  const { file, line, name: symbol } = entry.symbol
  const ask = async () => succeeded(await opened.bridge.findReferences({ file, line, symbol }), asked)
  const first = await ask()
  const places = first.result.references.map(shortPlace)
  expect(places.length).toBeGreaterThanOrEqual(asked.known.references)

  // Other questions in between give a server that was not done the time to show it.
  await opened.bridge.getDiagnostics({ file })
  await opened.bridge.findSymbol({ query: symbol })
  const status = await opened.bridge.serverStatus({})
  expect(status).toMatchObject({ result: { servers: [{ id, state: 'ready', restarts: 0 }] } })
  const steady = await ask()
  expect(places).toEqual(steady.result.references.map(shortPlace))
}

async function explored(asked: Asked): Promise<void> {
  const { entry, opened, known } = asked
  const { file, line, column, name: symbol } = entry.symbol
  const answer = await opened.bridge.exploreSymbol({ file, line, symbol, timeout_ms })
  const { result } = succeeded(answer, asked)
  expect(result.symbol).toContain(symbol)
  expect(result.source).toContain(symbol)
  expect(result.definitions).toContainEqual(expect.objectContaining({ file, line, column }))
  // The declaration is no use.
  expect(result.references).toBeGreaterThanOrEqual(known.references - 1)
  expect(result.files_total).toBeGreaterThanOrEqual(known.files)
  expect(result.callers.length).toBeGreaterThan(0)
  expect(result.missing).toEqual([])
}

async function callersFound(asked: Asked): Promise<void> {
  const { file, symbol, callers } = asked.known.called
  const answer = await asked.opened.bridge.findCallers({ file, symbol, limit: 1000, timeout_ms })
  const { incoming } = succeeded(answer, asked).result
  expect(incoming.length).toBeGreaterThanOrEqual(callers)
  expect(incoming.filter(({ calls }) => calls.length === 0)).toEqual([])
}

async function renameProposed(asked: Asked): Promise<void> {
  const { entry, opened, known } = asked
  const { file, line, name: symbol } = entry.symbol
  const before = readFileSync(opened.path(file), 'utf8')
  const new_name = `${symbol}Anew`
  const answer = await opened.bridge.renameSymbol({ file, line, symbol, new_name, timeout_ms })
  const { files, diff, handle } = succeeded(answer, asked).result
  expect(handle).toMatch(/^p:/)
  expect(files.length).toBeGreaterThanOrEqual(known.renaming.files)
  const edits = files.reduce((sum, { edits }) => sum + edits, 0)
  expect(edits).toBeGreaterThanOrEqual(known.renaming.edits)
  expect(diff).toContain(new_name)
  expect(readFileSync(opened.path(file), 'utf8')).toBe(before)
}

/** By this server alone, and complete; or the server, or a look at the text, gives the reasons why not. */
function succeeded<R>(answer: Answer<R>, { id, opened, known }: Asked): Success<R> {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  expect(answer.servers.map(answering => answering.id)).toEqual([id])
  const { completeness } = answer
  const reasons = [
    ...complaintOf(opened).map(words => expect.stringContaining(words)),
    ...(known.gap === undefined ? [] : [expect.stringMatching(known.gap)]),
  ]
  if (reasons.length === 0) expect(completeness).toEqual({ verdict: 'complete' })
  for (const reason of reasons) expect(completeness).toMatchObject({ verdict: 'partial', reason })
  return answer
}

/** What rust-analyzer says is wrong with the workspace, if it does: the beginning, because answers tell it in short. */
function complaintOf({ traffic }: OpenWorkspace): string[] {
  const message = traffic.messages
    .filter(sent => property(sent, 'method') === 'experimental/serverStatus')
    .map(sent => property(property(sent, 'params'), 'message'))
    .at(-1)
  return typeof message === 'string' ? [message.slice(0, 60)] : []
}
