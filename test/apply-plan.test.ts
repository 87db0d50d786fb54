// A plan from a server's edit to the disk and back into the server's view, through a whole bridge: what is asked next
// is answered for the new content, and a server hears of changes only in the way the protocol has for them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { type BridgeCore, openBridge } from '../src/bridge.js'
import { property } from '../src/json.js'
import type { ServerWorkspaceEdit } from '../src/lsp/edit-results.js'
import { getDiagnostics } from '../src/operations/get-diagnostics.js'
import { defineOperation } from '../src/operations/operation.js'
import { pathToUri } from '../src/text/uri.js'
import { fakeDefinition, startedBy } from './fake-definition.js'
import { type FakeServerCommand, fakeServerCommand } from './fake-server/index.js'
import { nameOf } from './fake-server/message.js'
import { type TemporaryWorkspace, temporaryWorkspace } from './fixture/index.js'

let workspace: TemporaryWorkspace
let server: FakeServerCommand
let bridge: BridgeCore
let state: string

beforeEach(async () => {
  const files = new Map([
    ['open.fake', 'def area\nERROR old\n'],
    ['closed.fake', 'use area\n'],
  ])
  workspace = await temporaryWorkspace({ files })
  state = mkdtempSync(join(tmpdir(), 'alidade-state-'))
  server = fakeServerCommand({ diagnostics: 'push-versioned' })
  bridge = await opened()
})

afterEach(async () => {
  await bridge.close()
  server.dispose()
  rmSync(state, { recursive: true, force: true })
  await workspace.dispose()
})

test('mistake 4 after an apply the next answer is for the new content, and only open documents are changed', async () => {
  expect(await diagnosticsOf('open.fake')).toHaveLength(1)
  const handle = await propose()
  expect(await diagnosticsOf('open.fake')).toHaveLength(1)
  await apply(handle)
  expect(readFileSync(workspace.path('open.fake'), 'utf8')).toBe('def size\nERROR new\nERROR two\n')
  expect(readFileSync(workspace.path('closed.fake'), 'utf8')).toBe('use size\n')
  expect(readFileSync(workspace.path('made.fake'), 'utf8')).toBe('use size\n')
  expect(await diagnosticsOf('open.fake')).toHaveLength(2)
  const told = server.log().flatMap(entry => (entry.event === 'received' ? [entry.message] : []))
  const changed = told.filter(message => nameOf(message) === 'textDocument/didChange').map(documentOf)
  expect(changed).toEqual([pathToUri(workspace.path('open.fake'))])
  const announced = told.filter(message => nameOf(message) === 'workspace/didChangeWatchedFiles')
  const paths = announced.flatMap(message => changesOf(message)).sort()
  expect(paths).toEqual(['closed.fake 2', 'made.fake 1', 'open.fake 2'])
  // The temporary files of the apply are nobody's business.
  expect(JSON.stringify(told)).not.toContain('.alidade-')
})

test('C4 a proposal is applied by another process, once', async () => {
  const handle = await propose()
  await bridge.close()
  bridge = await opened()
  await apply(handle)
  expect(await diagnosticsOf('open.fake')).toHaveLength(2)
  expect(await run(operationOf('apply', handle))).toMatchObject({ ok: false, kind: 'StaleProposal' })
})

test('W07 a file changed since is named, and none of the others is touched', async () => {
  const handle = await propose()
  writeFileSync(workspace.path('closed.fake'), 'use volume\n')
  expect(await run(operationOf('apply', handle))).toMatchObject({
    ok: false,
    kind: 'StaleProposal',
    error: expect.stringContaining('closed.fake'),
  })
  expect(readFileSync(workspace.path('open.fake'), 'utf8')).toBe('def area\nERROR old\n')
})

function opened(): Promise<BridgeCore> {
  return openBridge({
    root: workspace.root,
    env: { ...process.env, XDG_CONFIG_HOME: join(state, 'config'), XDG_STATE_HOME: join(state, 'state') },
    definitions: [fakeDefinition({ ...startedBy(server), install: 'npm install fake-server' })],
  })
}

async function diagnosticsOf(file: string): Promise<unknown[]> {
  const answer = await bridge.run(getDiagnostics, { file }, { caller: 'host' })
  if (!answer.ok) throw new Error(answer.error)
  const [found] = getDiagnostics.output.parse(answer.result).files
  expect(found?.verdict).toBe('settled')
  return found?.diagnostics ?? []
}

async function propose(): Promise<string> {
  const at = (line: number, character: number, end: number, newText: string) => ({
    range: { start: { line, character }, end: { line, character: end } },
    newText,
  })
  const edited = (file: string, edits: ReturnType<typeof at>[]) => ({
    kind: 'edit' as const,
    uri: pathToUri(workspace.path(file)),
    version: undefined,
    edits,
  })
  const made = { uri: pathToUri(workspace.path('made.fake')), overwrite: false, ignoreIfExists: false }
  const edit: ServerWorkspaceEdit = {
    changes: [
      edited('open.fake', [at(1, 6, 9, 'new\nERROR two'), at(0, 4, 8, 'size')]),
      edited('closed.fake', [at(0, 4, 8, 'size')]),
      { kind: 'create', ...made },
      edited('made.fake', [at(0, 0, 0, 'use size\n')]),
    ],
  }
  const answer = await run(operationOf('propose', edit))
  if (!answer.ok) throw new Error(answer.error)
  return z.object({ handle: z.string() }).parse(answer.result).handle
}

async function apply(handle: string): Promise<void> {
  expect(await run(operationOf('apply', handle))).toMatchObject({ ok: true })
}

function run(operation: ReturnType<typeof operationOf>) {
  return bridge.run(operation, {}, { caller: 'host' })
}

/** The workspace's methods, reached the way an operation reaches them. */
function operationOf(how: 'propose' | 'apply', what: ServerWorkspaceEdit | string) {
  return defineOperation({
    name: `test_${how}`,
    summary: 'For this test alone.',
    effect: 'read',
    on: 'workspace',
    lsp: null,
    needsWholeWorkspace: false,
    input: z.object({}),
    output: z.object({ handle: z.string() }),
    example: '',
    items: { count: () => 1, keep: result => result },
    async run(_, { workspace: seen, signal, remaining }) {
      if (typeof what === 'string') {
        await seen.apply(seen.proposal(what), { signal, milliseconds: remaining() })
        return { handle: what }
      }
      return { handle: seen.propose(seen.plan(what, 'utf-16')) }
    },
    render: ({ handle }) => [handle],
  })
}

function documentOf(message: object): unknown {
  return property(property(property(message, 'params'), 'textDocument'), 'uri')
}

function changesOf(message: object): string[] {
  const schema = z.array(z.object({ uri: z.string(), type: z.number() }))
  const changes = schema.parse(property(property(message, 'params'), 'changes'))
  return changes.map(({ uri, type }) => `${uri.split('/').at(-1)} ${type}`)
}
