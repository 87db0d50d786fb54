// Evidence of a whole bridge: what real calls to a server leave in the log, and what happens to calls when it cannot be
// written.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEvidenceDisk } from '../../src/evidence/disk.js'
import type { EvidenceMode } from '../../src/evidence/evidence.js'
import { evidenceFolders, identityOf } from '../../src/evidence/layout.js'
import { readLog } from '../../src/evidence/read.js'
import {
  type EventOfKind,
  type EvidenceKind,
  type EvidenceRecord,
  readRecord,
} from '../../src/evidence/shapes.js'
import { verifyLog } from '../../src/evidence/verify.js'
import { type FakeBridge, fakeBridge } from '../fake-bridge.js'
import { faults, type Script } from '../fake-server/index.js'
import { fixture } from '../fixture/index.js'

const story = fixture`
-- main.fake --
def area
use area
`
const target = { file: 'main.fake', line: 1, symbol: 'area' }

interface Opened extends FakeBridge {
  readonly state: string
  folders(): ReturnType<typeof evidenceFolders>
  records(): Promise<EvidenceRecord[]>
}

async function open(
  setting: {
    readonly script?: Script
    readonly evidence?: EvidenceMode
    readonly state?: (folder: string) => string
  } = {},
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'alidade-evidence-'))
  const state = setting.state?.(folder) ?? join(folder, 'state')
  const { script, evidence } = setting
  const opened = await fakeBridge(
    story,
    [{ language: 'fake', ...(script === undefined ? {} : { script }) }],
    {
      env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: state },
      evidence,
    },
  )
  const folders = () => evidenceFolders(join(state, 'alidade'), opened.bridge.root)
  return {
    ...opened,
    state,
    folders,
    async records() {
      const found: EvidenceRecord[] = []
      for await (const { text } of readLog({}, { disk: systemEvidenceDisk, folders: folders() })) {
        const record = readRecord(text)
        if (record !== undefined) found.push(record)
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function ofKind<Kind extends EvidenceKind>(
  records: readonly EvidenceRecord[],
  kind: Kind,
): EventOfKind<Kind>[] {
  return records.flatMap(({ event }) => (isKind(event, kind) ? [event] : []))
}

function isKind<Kind extends EvidenceKind>(
  event: EvidenceRecord['event'],
  kind: Kind,
): event is EvidenceRecord['event'] & EventOfKind<Kind> {
  return event?.kind === kind
}

/** A state folder whose parent is a file: nothing can be made in it, not even by the superuser. */
function unusable(folder: string): string {
  writeFileSync(join(folder, 'file'), '')
  return join(folder, 'file', 'state')
}

test('R-190 every call is on record under the id in its answer, with its own requests alone', async () => {
  await using opened = await open()
  const { bridge } = opened
  const [references, hover] = await Promise.all([bridge.findReferences(target), bridge.inspectSymbol(target)])
  await bridge.close()
  const records = await opened.records()
  if (!references.ok || !hover.ok) throw new Error('the server did not answer')
  const batches = records.filter(({ kind }) => kind === 'lsp_query_batch')
  expect(batches.map(({ id }) => id).sort()).toEqual([references.evidence, hover.evidence].sort())
  const [batch] = batches.flatMap(({ id, event }) => (id === references.evidence ? [event] : []))
  expect(batch).toMatchObject({
    kind: 'lsp_query_batch',
    operation: 'find_references',
    caller: 'host',
    ok: true,
    outcome: 'responded',
    servers: references.servers,
    targets: [{ ...target, content: references.freshness.content }],
    freshness: { verdict: 'current', content: references.freshness.content },
    completeness: { verdict: 'complete' },
  })
  if (!isKind(batch, 'lsp_query_batch')) return
  const methods = batch.queries.map(({ method }) => method)
  expect(methods).toContain('textDocument/references')
  expect(methods).not.toContain('textDocument/hover')
  // The message of a fake server that answers with two locations.
  expect(batch.queries.find(({ method }) => method === 'textDocument/references')?.bytes).toBeGreaterThan(100)
  expect(batch.response_bytes).toBe(batch.queries.reduce((sum, { bytes = 0 }) => sum + bytes, 0))
  expect(ofKind(records, 'policy_decision')).toHaveLength(2)
  expect(ofKind(records, 'server_state').map(({ from, to }) => `${from} ${to}`)).toEqual([
    'idle starting',
    'starting ready',
    'ready stopping',
    'stopping stopped',
  ])
  expect(
    await verifyLog({
      disk: systemEvidenceDisk,
      folders: opened.folders(),
      identity: identityOf(bridge.root),
      isAlive: () => false,
    }),
  ).toMatchObject({ verdict: 'sound' })
})

test('R-190 a request that is not answered in time is on record as timed out', async () => {
  await using opened = await open({ script: faults['silent-on-queries'] })
  // The start is no part of what is timed.
  await opened.bridge.openDocument({ file: target.file })
  const answer = await opened.bridge.findReferences({ ...target, timeout_ms: 2000 })
  expect(answer).toMatchObject({ ok: false, kind: 'RequestTimeout' })
  await opened.bridge.close()
  const batch = ofKind(await opened.records(), 'lsp_query_batch').at(-1)
  expect(batch).toMatchObject({ ok: false, error_kind: 'RequestTimeout', outcome: 'timed_out' })
  expect(batch?.queries).toContainEqual(expect.objectContaining({ outcome: 'timed_out' }))
})

test('R-72 a crash is on record with its cause', async () => {
  const script: Script = { rules: [{ on: '@query', run: 1, do: [{ act: 'exit', code: 3 }] }] }
  await using opened = await open({ script })
  await opened.bridge.findReferences(target)
  await opened.bridge.close()
  const records = await opened.records()
  expect(ofKind(records, 'lsp_server_crashed')).toMatchObject([
    { server: { id: 'fake' }, root: '.', cause: expect.stringContaining('3') },
  ])
  expect(ofKind(records, 'server_state')).toContainEqual(expect.objectContaining({ to: 'restarting' }))
})

test('P24 a server that wants to write is refused on record', async () => {
  const script: Script = {
    rules: [
      {
        on: 'textDocument/references',
        also: true,
        do: [{ act: 'request', method: 'workspace/applyEdit', params: { edit: {} }, waits: true }],
      },
    ],
  }
  await using opened = await open({ script })
  await opened.bridge.findReferences(target)
  await opened.bridge.close()
  expect(ofKind(await opened.records(), 'policy_decision')).toContainEqual(
    expect.objectContaining({ operation: 'workspace/applyEdit', decision: 'deny', caller: 'server fake' }),
  )
})

test('R-200 E02 required: without a record nothing is asked, and the session goes on', async () => {
  await using opened = await open({ evidence: 'required', state: unusable })
  const ask = () => opened.bridge.findReferences(target)
  expect(await ask()).toMatchObject({ ok: false, kind: 'EvidenceUnavailable', hint: expect.any(String) })
  expect(opened.servers[0]?.log()).toEqual([])
  // What stood in the way is gone.
  rmSync(join(opened.state, '..'))
  expect(await ask()).toMatchObject({ ok: true, evidence: expect.stringMatching(/^ev:/) })
  await opened.bridge.close()
  const records = await opened.records()
  expect(ofKind(records, 'evidence_gap')).toMatchObject([{ cause: 'ENOTDIR', refused: 1 }])
})

test('E01 best effort: answers go on without a record, and it is told', async () => {
  await using opened = await open({ evidence: 'best-effort', state: unusable })
  const told = opened.bridge.events.until('bridge.logged', ({ message }) =>
    message.startsWith('evidence cannot be'),
  )
  expect(await opened.bridge.findReferences(target)).toMatchObject({ ok: true })
  expect((await told).level).toBe('warning')
  const answer = await opened.bridge.findReferences(target)
  expect(answer).toMatchObject({ ok: true })
  expect(answer).not.toHaveProperty('evidence')
})

test('E01 required: an edit is not made when that cannot be put on record', async () => {
  await using opened = await open({ evidence: 'required' })
  const { bridge, workspace } = opened
  const proposed = await bridge.renameSymbol({ ...target, new_name: 'surface' })
  const handle = proposed.ok ? proposed.result.handle : undefined
  if (handle === undefined) throw new Error('nothing was proposed')
  const { log } = opened.folders()
  rmSync(log, { recursive: true })
  writeFileSync(log, '')
  const before = readFileSync(join(workspace.root, 'main.fake'), 'utf8')
  expect(await bridge.applyEdit({ handle })).toMatchObject({
    ok: false,
    kind: 'EvidenceUnavailable',
  })
  expect(readFileSync(join(workspace.root, 'main.fake'), 'utf8')).toBe(before)
  rmSync(log)
  expect(await bridge.applyEdit({ handle })).toMatchObject({ ok: true })
  await bridge.close()
  const records = await opened.records()
  expect(ofKind(records, 'edit_applied')).toMatchObject([
    { handle, files: [{ file: 'main.fake', change: 'modified' }] },
  ])
  expect(ofKind(records, 'diagnostic_validation')).toMatchObject([
    { operation: 'apply_edit', preview: false },
  ])
})

test('evidence: none keeps nothing', async () => {
  await using opened = await open({ evidence: 'none' })
  const answer = await opened.bridge.findReferences(target)
  expect(answer).toMatchObject({ ok: true })
  expect(answer).not.toHaveProperty('evidence')
  await opened.bridge.close()
  expect(await opened.records()).toEqual([])
})
