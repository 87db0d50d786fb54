// From a change on the disk to its verdict, against the raw server's own time to settled diagnostics of the same files:
// the file that changed and those that depend on it. Both sides are warm, and take turns.
// Usage: npm run bench:check [-- --rounds N] [--only TITLE]
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DocumentDiagnosticRequest } from 'vscode-languageserver-protocol'
import { readManifest } from '../scripts/servers/manifest.js'
import { type Bridge, createBridge } from '../src/index.js'
import { pyright } from '../src/servers/pyright.js'
import { typescript } from '../src/servers/typescript.js'
import { type RawClient, type RawServer, startRaw } from './raw-client.js'

interface Subject {
  readonly title: string
  readonly server: RawServer
  /** Copied first: the disk is changed. */
  readonly from: string
  readonly parts: readonly string[]
  readonly file: string
  readonly languageId: string
  /** A signature, and one that breaks its callers. */
  readonly find: string
  readonly replace: string
}

const project = resolve('.')
const rounds = Number(argument('--rounds') ?? 15)
const factor = 1.3
const allowance = 20
let missed = 0

const only = argument('--only')
for (const subject of subjects()) if (only === undefined || subject.title === only) await measure(subject)
process.exitCode = missed === 0 ? 0 : 1

async function measure(subject: Subject): Promise<void> {
  const root = copyOf(subject)
  const path = join(root, subject.file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(subject.find, () => subject.replace)
  if (after === before) throw new Error(`${subject.file} has no ${subject.find}`)
  const bridge = await createBridge({ root, evidence: 'best-effort' })
  const client = await startRaw(subject.server, root)
  try {
    const files = await affected(bridge, path, subject.file, before, after)
    const raw = await rawTimes(client, root, files, { subject, before, after })
    const times: number[] = []
    const plain: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      plain.push(await raw())
      times.push(await verdictTime(bridge, path, subject.file, { before, after }))
    }
    // The first rounds warm both sides up.
    const [a, b] = [median(plain.slice(3)), median(times.slice(3))]
    const bound = a * factor + allowance
    const met = b <= bound
    if (!met) missed += 1
    console.log(
      `${met ? 'ok  ' : 'MISS'} ${subject.title}: ${subject.file} and ${files.length - 1} dependents: raw ${ms(a)}, verdict ${ms(b)}, ${(b / a).toFixed(2)}x, at most ${ms(bound)} (${factor}x + ${allowance} ms)`,
    )
  } finally {
    client.close()
    await bridge.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** The files of the verdict, the changed one first. */
async function affected(bridge: Bridge, path: string, file: string, before: string, after: string) {
  const { change } = succeeded(await bridge.beginChange({ files: [file] })).result
  writeFileSync(path, after)
  const { result } = succeeded(await bridge.checkChange({ change }))
  writeFileSync(path, before)
  if (result.class !== 'new_errors' || result.scope !== 'dependents')
    throw new Error(`the verdict was ${result.class}, scope ${result.scope}`)
  return result.files.map(judged => judged.file)
}

async function verdictTime(
  bridge: Bridge,
  path: string,
  file: string,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<number> {
  const { change } = succeeded(await bridge.beginChange({ files: [file] })).result
  writeFileSync(path, after)
  const began = performance.now()
  const answer = await bridge.checkChange({ change })
  const milliseconds = performance.now() - began
  if (!answer.ok) throw new Error(answer.error)
  const { result } = answer
  if (result.class !== 'new_errors')
    throw new Error(`the verdict was ${result.class}: ${JSON.stringify(answer.completeness)}`)
  writeFileSync(path, before)
  return milliseconds
}

/** Returns what takes the time of one change: the new text, then every report on it. */
async function rawTimes(
  client: RawClient,
  root: string,
  files: readonly string[],
  { subject, before, after }: { readonly subject: Subject; readonly before: string; readonly after: string },
): Promise<() => Promise<number>> {
  const uris = files.map(file => client.open(join(root, file), subject.languageId))
  const [changed = ''] = uris
  await client.ready()
  let version = 1
  const show = (text: string) => {
    version += 1
    return client.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: changed, version },
      contentChanges: [{ text }],
    })
  }
  const settled = () =>
    Promise.all(
      uris.map(uri =>
        client.connection.sendRequest(DocumentDiagnosticRequest.method, { textDocument: { uri } }),
      ),
    )
  await settled()
  return async () => {
    const began = performance.now()
    await show(after)
    await settled()
    const milliseconds = performance.now() - began
    await show(before)
    await settled()
    return milliseconds
  }
}

function copyOf({ from, parts }: Subject): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-bench-')))
  for (const part of parts) cpSync(join(from, part), join(root, part), { recursive: true })
  if (from === project) symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
  return root
}

function subjects(): Subject[] {
  const own = typescript.embedded?.()
  const python = pyright.embedded?.()
  if (own === undefined || python === undefined)
    throw new Error('the embedded servers are missing: run npm ci')
  const found: Subject[] = [
    {
      title: 'TypeScript 7',
      server: own,
      from: project,
      parts: ['src', 'test', 'tsconfig.json', 'package.json'],
      file: 'src/text/position.ts',
      languageId: 'typescript',
      find: 'export function toIndex(oneBased: number): number {',
      replace: 'export function toIndex(oneBased: string): number {',
    },
  ]
  const django = readManifest()?.workspaces.python
  if (django !== undefined) {
    found.push({
      title: 'Pyright',
      server: { ...python, readyLine: /^(Found \d+ source files?|No source files found)/ },
      from: django.root,
      parts: ['django'],
      file: 'django/utils/timesince.py',
      languageId: 'python',
      find: 'def timesince(d, now=None,',
      replace: 'def timesince(d, extra, now,',
    })
  }
  return found
}

function succeeded<R>(
  answer: { readonly ok: true; readonly result: R } | { readonly ok: false; readonly error: string },
) {
  if (!answer.ok) throw new Error(answer.error)
  return answer
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

function argument(name: string): string | undefined {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
