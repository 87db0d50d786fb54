import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Events } from '../../events.js'
import { evidenceFolders } from '../../evidence/layout.js'
import { openEvidence } from '../../evidence/open.js'
import type { Console } from './console.js'
import { evidenceCommand } from './evidence-command.js'

let base: string
let root: string
let state: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-cli-evidence-')))
  root = base
  state = join(base, 'state')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** One event of each operation, a chain that is closed again. */
async function recorded(...operations: readonly string[]): Promise<void> {
  const recorder = openEvidence({
    mode: 'required',
    stateFolder: join(state, 'alidade'),
    isChosen: true,
    root,
    home: undefined,
    events: new Events(),
  })
  for (const operation of operations)
    await recorder.keep({ kind: 'policy_decision', operation, caller: 'model', decision: 'allow' })
  await recorder.close()
}

async function run(
  action: string,
  flags: Readonly<Record<string, unknown>> = {},
  { json = false, onText = () => {} }: { readonly json?: boolean; readonly onText?: () => void } = {},
) {
  const out: string[] = []
  const said: string[] = []
  const end = new AbortController()
  const note = (message: string) => void said.push(message)
  const console: Console = {
    cwd: base,
    env: { XDG_STATE_HOME: state, HOME: base },
    attended: false,
    canAsk: false,
    columns: () => 80,
    async text(text) {
      out.push(text)
      onText()
    },
    json: async value => void out.push(JSON.stringify(value)),
    error: note,
    warn: note,
    note,
    raw: note,
    confirm: async () => false,
    broken: () => false,
  }
  const code = evidenceCommand.run(
    { positionals: [action], flags, common: { root, json } },
    { console, signal: end.signal, serveMcp: async () => {} },
  )
  return { code, out, said, end }
}

async function ended(...typed: Parameters<typeof run>) {
  const { code, out, said } = await run(...typed)
  return { code: await code, text: out.join('\n'), said }
}

test('contract 8 verify says that a log is sound, and where it ends', async () => {
  await recorded('one', 'two')
  const { code, text } = await ended('verify')
  expect(code).toBe(0)
  expect(text).toMatch(
    /^sound: 3 records in 1 chain, .*none altered, removed, reordered or torn\nchain \w{8}: 3 records/,
  )
})

test('E04 verify names the first bad record and exits with 1', async () => {
  await recorded('one', 'two', 'three')
  const { log } = evidenceFolders(join(state, 'alidade'), root)
  const segment = join(log, readdirSync(log).find(name => name.endsWith('.jsonl')) ?? '')
  writeFileSync(segment, readFileSync(segment, 'utf8').replace('"two"', '"2"'))
  const { code, text } = await ended('verify')
  expect(code).toBe(1)
  expect(text).toMatch(
    /^not sound: altered: record 3 \(ev:[\w-]+\) of chain \w{8}, segment 1, line 3: its content/,
  )
  const told = await ended('verify', {}, { json: true })
  expect(told.code).toBe(1)
  expect(JSON.parse(told.text)).toMatchObject({
    ok: true,
    result: { verdict: 'bad', bad: { fault: 'altered', seq: 3, segment: 1, line: 3 } },
  })
  const exported = await ended('export')
  expect(exported.code).toBe(1)
  expect(exported.said.join()).toContain('not sound')
})

test('where nothing is kept there is nothing to verify or export, which is not the same as sound', async () => {
  for (const action of ['verify', 'export'])
    await expect((await run(action)).code).rejects.toMatchObject({ kind: 'EvidenceUnavailable' })
  const { code, text, said } = await ended('tail')
  expect({ code, text }).toEqual({ code: 0, text: '' })
  expect(said.join()).toContain('no evidence is kept')
})

test('tail shows the youngest events, one a line, as text or as they stand', async () => {
  await recorded('one', 'two', 'three')
  const { text, code } = await ended('tail', { lines: 2 })
  expect(code).toBe(0)
  expect(text.split('\n').map(line => line.replace(/^\S+ | ev:\S+$/g, ''))).toEqual([
    'policy_decision allow two for model',
    'policy_decision allow three for model',
  ])
  const raw = await ended('tail', { lines: 1 }, { json: true })
  expect(JSON.parse(raw.text)).toMatchObject({ kind: 'policy_decision', operation: 'three', seq: 4 })
})

test('tail --follow goes on until it is interrupted', async () => {
  await recorded('one')
  const shown = new EventEmitter()
  const past = once(shown, 'text')
  const { code, out, end } = await run(
    'tail',
    { follow: true, lines: 1, kind: 'policy_decision' },
    { onText: () => void shown.emit('text') },
  )
  // Before the past has been shown, what is recorded may still be counted as past.
  await past
  const next = once(shown, 'text')
  await recorded('two')
  await next
  end.abort()
  expect(await code).toBe(0)
  expect(out.join()).toContain('allow two')
})

test('an export is JSON lines with a proof, and the log can be held against it later', async () => {
  await recorded('one', 'two')
  const { text, code } = await ended('export', { kind: 'policy_decision', since: '1h' })
  expect(code).toBe(0)
  const lines = text.split('\n').map(line => JSON.parse(line))
  expect(lines.map(({ kind }) => kind)).toEqual(['policy_decision', 'policy_decision', 'export_proof'])
  writeFileSync(join(base, 'kept.jsonl'), `${text}\n`)
  await recorded('three')
  expect(await ended('verify', { against: 'kept.jsonl' })).toMatchObject({ code: 0 })
  rmSync(join(state, 'alidade', 'evidence'), { recursive: true })
  await recorded('one', 'two', 'three')
  // Another log, and sound in itself; only the export knows that it is not the same.
  expect(await ended('verify')).toMatchObject({ code: 0 })
  expect(await ended('verify', { against: 'kept.jsonl' })).toMatchObject({ code: 1 })
})

test.each([
  ['erase', {}],
  ['export', { kind: 'lsp_query_bach' }],
  ['export', { since: 'yesterday-ish' }],
  ['verify', { against: 'no-such-file' }],
])('wrong usage is told: %s %o', async (action, flags) => {
  await recorded('one')
  await expect(ended(action, flags)).rejects.toMatchObject({
    kind: 'InvalidArguments',
    hint: expect.any(String),
  })
})
