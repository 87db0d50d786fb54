// Puts a bridge in front of a broken server, asks what an agent would ask, and judges the answers against the truth,
// which is worked out from the files alone. A broken server may cost an answer; it may never cost the truth of one.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Answer, type Bridge, createBridge, type ErrorKind, type Place } from '../../src/index.js'
import type { ServerDefinition } from '../../src/servers/definition.js'
import { systemProcesses } from '../../src/supervisor/process-table.js'
import { fakeDefinition, startedBy } from '../fake-definition.js'
import { combine, type FakeServerCommand, fakeServerCommand, type Script } from '../fake-server/index.js'
import { fixture, type TemporaryWorkspace, temporaryWorkspace } from '../fixture/index.js'
import { survivorsWithin } from '../orphans/bridge.js'

export interface Judged {
  /** Every answer before the edit, and every answer after it. */
  readonly rounds: readonly [readonly Answer<unknown>[], readonly Answer<unknown>[]]
  /** How often the server was started. */
  readonly starts: number
}

export interface JudgeOptions {
  /** What the definition says of the server; without it, that it can be believed as far as the protocol goes. */
  readonly definition?: Partial<ServerDefinition>
  /** Which file's first line is asked about. */
  readonly file?: string
  /** For each question; the shorter, the more of a server's faults become a timeout. */
  readonly timeout?: number
  /** How the fake tells diagnostics, where the fault does not say. */
  readonly diagnostics?: Script['diagnostics']
  /** Whether what a file declares is asked too; that answer needs no index, so nothing else can be doubted about it. */
  readonly outline?: boolean
}

const timeoutMilliseconds = 2000
/** For an answer that must be there, the start of the server included, however busy the machine is. */
export const patiently = 20_000
/** The same, for an answer that waits until its deadline is near. */
export const patientlyInVain = 10_000
// Both polite ways of ending a server wait five seconds.
const closeMilliseconds = 12_000

const story = fixture`
-- shapes.fake --
class Shape
  def area
    ERROR no width
-- main.fake --
use area and areas
  area again
def ${'caf\u00e9'}
-- deep/other.fake --
nothing here
and area here
-- poison.fake --
use area
`
const edited = 'class Shape\n  def area\n    area of itself\n    ERROR no height\n    ERROR no depth\n'

/** Asks everything twice, with an edit in between, closes, and looks for what is left. */
export async function judge(script: Script, options: JudgeOptions = {}): Promise<Judged> {
  await using workspace = await temporaryWorkspace(story)
  // The truth that a fault distorts: diagnostics that say what they are for.
  const fake = fakeServerCommand(combine({ diagnostics: options.diagnostics ?? 'push-versioned' }, script))
  const state = mkdtempSync(join(tmpdir(), 'alidade-faults-'))
  const bridge = await createBridge({
    root: workspace.root,
    env: { ...process.env, XDG_CONFIG_HOME: join(state, 'config'), XDG_STATE_HOME: join(state, 'state') },
    definitions: [definitionOf(fake, options.definition)],
  })
  try {
    const first = await round(bridge, workspace, options)
    await writeFile(workspace.path('shapes.fake'), edited)
    const before = treeOf(workspace.root)
    const second = await round(bridge, workspace, options)
    // Whatever the server asked for, nothing was written (O8).
    expect(treeOf(workspace.root)).toEqual(before)
    const starts = fake.log().filter(({ event }) => event === 'started').length
    return { rounds: [first, second], starts }
  } finally {
    await timed(bridge.close(), closeMilliseconds)
    const left = await survivorsWithin(5000, () => processesOf(fake))
    expect(left, 'processes that outlived the bridge').toEqual([])
    fake.dispose()
    rmSync(state, { recursive: true, force: true })
  }
}

/** The ids of the faults it stands for with its name, the script, and the name alone: a row for `test.each`. */
export type NamedFault = readonly [title: string, script: Script, name: string]

export function faultsNamed<Name extends string>(
  family: Readonly<Record<Name, Script>>,
  names: readonly Name[],
): NamedFault[] {
  return names.map(name => {
    const { [name]: script } = family
    return [`${script.description?.split(':')[0] ?? 'O9'} ${name}`, script, name]
  })
}

/** All but these. */
export function otherFaults(
  family: Readonly<Record<string, Script>>,
  names: readonly string[],
): NamedFault[] {
  return faultsNamed(
    family,
    Object.keys(family).filter(name => !names.includes(name)),
  )
}

/** What is said of a server that somebody registered and nobody here knows. */
export const unproven: Partial<ServerDefinition> = {
  readiness: { kind: 'unproven', reason: 'nothing is known of this server' },
}

type Rounds =
  | Pick<Judged, 'rounds'>
  | { readonly rounds: readonly (readonly (Answer<unknown> | undefined)[])[] }

export function expectTruth({ rounds }: Rounds): void {
  expect(rounds.map(round => round.map(summary))).toEqual(rounds.map(round => round.map(() => 'believed')))
}

/** What was lost before the edit is there again after it. */
export function expectRecovery({ rounds }: Judged): void {
  const [before, after] = rounds
  expect(before.map(summary)).not.toEqual(before.map(() => 'believed'))
  expectTruth({ rounds: [after] })
}

export function expectFailures({ rounds }: Rounds, kind: ErrorKind): void {
  expect(rounds.map(round => round.map(summary))).toEqual(rounds.map(round => round.map(() => kind)))
}

function summary(answer: Answer<unknown> | undefined): string {
  if (answer === undefined) return 'nothing'
  if (!answer.ok) return answer.kind
  return believed(answer) ? 'believed' : answer.completeness.verdict
}

export function definitionOf(
  fake: FakeServerCommand,
  overrides: Partial<ServerDefinition> = {},
): ServerDefinition {
  return fakeDefinition({
    ...startedBy(fake),
    diagnostics: { kind: 'standard', quietMs: 100, reason: 'Pushes carry the version.' },
    ...overrides,
  })
}

/** Everything that was started with the environment of this fake, however far it got away. */
export function processesOf(fake: FakeServerCommand): number[] {
  return systemProcesses.list().filter(pid => {
    if (systemProcesses.read(pid)?.zombie !== false) return false
    return systemProcesses.variable(pid, 'FAKE_SERVER_LOG') === fake.env.FAKE_SERVER_LOG
  })
}

/** From the inside out: whoever kills the outer one first may find that the kernel has ended the inner one already. */
export function killProcessesOf(...fakes: readonly FakeServerCommand[]): void {
  for (const pid of fakes.flatMap(processesOf).reverse()) process.kill(pid, 'SIGKILL')
}

async function round(
  bridge: Bridge,
  workspace: TemporaryWorkspace,
  { file = 'main.fake', timeout: timeout_ms = timeoutMilliseconds, outline = true }: JudgeOptions,
): Promise<Answer<unknown>[]> {
  const target = { file, line: 1, symbol: 'area', timeout_ms }
  const [references, definition, diagnostics, symbols] = await Promise.all([
    timed(bridge.findReferences(target), timeout_ms),
    timed(bridge.goToDefinition(target), timeout_ms),
    timed(bridge.getDiagnostics({ file: 'shapes.fake', timeout_ms }), timeout_ms),
    outline ? timed(bridge.listSymbols({ file: 'main.fake', timeout_ms }), timeout_ms) : undefined,
  ])
  const truth = truthOf(workspace.root)
  if (references.ok && believed(references))
    expect(placesOf(references.result.references)).toEqual(truth.references)
  if (definition.ok && believed(definition))
    expect(placesOf(definition.result.places)).toEqual(truth.definitions)
  if (diagnostics.ok) {
    const [report] = diagnostics.result.files
    // One that is not settled must not look complete either.
    if (report?.verdict !== 'settled') expect(believed(diagnostics)).toBe(false)
    else {
      expect(report.content).toBe(truth.content)
      expect(report.diagnostics.map(({ line, message }) => ({ line, message }))).toEqual(truth.errors)
    }
  }
  if (symbols?.ok && believed(symbols)) {
    expect(symbols.result.symbols).toMatchObject([{ name: 'caf\u00e9', line: 3, column: 5 }])
  }
  const answers: Answer<unknown>[] = [references, definition, diagnostics, ...(symbols ? [symbols] : [])]
  for (const answer of answers) wellFormed(answer)
  return answers
}

/** Fails for whoever keeps a caller waiting past the deadline. Nobody is late whose whole process was not let run. */
async function timed<T>(answer: Promise<T>, timeout: number): Promise<T> {
  const stop = new AbortController()
  const late = ownTime(timeout + 1000, stop.signal).then(() => {
    throw new Error(`no answer a second after a deadline of ${timeout} ms`)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    stop.abort()
    await late.catch(() => undefined)
  }
}

/** Counted in short steps, each begun when the one before was seen to end: of a stall no more than a step counts. */
async function ownTime(milliseconds: number, signal: AbortSignal): Promise<void> {
  const step = 100
  for (let passed = 0; passed < milliseconds; passed += step) await setTimeout(step, undefined, { signal })
}

/** Whether an agent would take it for the whole truth. */
export function believed(answer: Answer<unknown>): boolean {
  return answer.ok && answer.completeness.verdict === 'complete' && answer.freshness.verdict === 'current'
}

function wellFormed(answer: Answer<unknown>): void {
  if (!answer.ok) {
    expect(answer.kind, answer.error).not.toBe('Bug')
    expect(answer.error).not.toBe('')
    expect(answer.hint).not.toBe('')
    return
  }
  if (answer.completeness.verdict !== 'complete') expect(answer.completeness.reason).not.toBe('')
  expect(answer.servers).toMatchObject([{ id: 'fake' }])
}

interface Truth {
  readonly references: readonly string[]
  readonly definitions: readonly string[]
  readonly errors: readonly { readonly line: number; readonly message: string }[]
  /** Of the file with the errors. */
  readonly content: string
}

function truthOf(root: string): Truth {
  const found = filesIn(root).flatMap(file =>
    linesOf(join(root, file)).flatMap((text, index) =>
      [...text.matchAll(/(?<![\p{L}\p{N}_])area(?![\p{L}\p{N}_])/gu)].map(match => ({
        place: `${file}:${index + 1}:${match.index + 1}`,
        isDefinition: text.slice(0, match.index).endsWith('def '),
      })),
    ),
  )
  const shapes = join(root, 'shapes.fake')
  return {
    references: found.map(({ place }) => place).sort(),
    definitions: found.filter(({ isDefinition }) => isDefinition).map(({ place }) => place),
    errors: linesOf(shapes).flatMap((text, index) =>
      text.includes('ERROR') ? [{ line: index + 1, message: text.trim() }] : [],
    ),
    content: `sha256:${createHash('sha256').update(readFileSync(shapes)).digest('hex')}`,
  }
}

function placesOf(places: readonly Place[]): string[] {
  return places.map(({ file, line, column }) => `${file}:${line}:${column}`).sort()
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n')
}

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

function treeOf(root: string): unknown[] {
  return filesIn(root).map(file => {
    const { mtimeMs, mode } = statSync(join(root, file))
    return { file, mtimeMs, mode, content: readFileSync(join(root, file), 'base64') }
  })
}
