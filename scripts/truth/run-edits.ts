// Random edits of real code that break or mend a file, each followed by the question an agent asks after an edit. What
// is true is known from the edit itself; every twentieth time the engine says in batch what it finds.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type OpenWorkspace, openCopy } from '../../test/real/open.js'
import { waysToWrite } from '../../test/real/ways-to-write.js'
import { type Batch, type BatchError, batchOf } from './batch.js'
import { allChecks, type Check } from './dialect.js'
import { dialects } from './dialects.js'
import { chooseField } from './field.js'
import { type Expectation, Ground } from './ground.js'
import { isError, isSettledInDoubt, lineProblems, problemsOf, type Reported } from './judge.js'
import { judgeApplied, judgePreview, whyNotRenamed } from './judge-change.js'
import { type Change, Plan } from './plan.js'
import { type Random, seeded } from './random.js'
import type { Subject } from './subjects.js'
import { describeViolation, keepScene, type Violation } from './violations.js'

export interface EditsOptions {
  readonly edits: number
  readonly seed: string
  readonly say: (line: string) => void
}

export interface EditsOutcome {
  readonly edits: number
  /** Reports on files that were asked for. */
  readonly reports: number
  readonly unknown: number
  /** Why, and how often. */
  readonly reasons: Readonly<Record<string, number>>
  readonly previews: number
  /** Those that were applied. */
  readonly renames: number
  readonly renamesFailed: number
  /** Questions for every place of a name. */
  readonly references: number
  /** How often the engine was asked in batch, and as what. */
  readonly confirmed: number
  readonly confirmedBy: string | undefined
  readonly violations: readonly string[]
}

/** What a server never checks cannot be expected of it; its answers are partial and say so. */
const coverage: Readonly<Record<string, readonly Check[]>> = {
  pylsp: ['names', 'syntax'],
  'jedi-language-server': ['syntax'],
  'rust-analyzer': ['types', 'calls', 'syntax'],
}

const confirmEvery = 20
const mostViolations = 5

export async function runEdits(subject: Subject, options: EditsOptions): Promise<EditsOutcome> {
  const dialect = dialects[subject.workspaceId]
  if (dialect === undefined) throw new TypeError(`nothing is known about breaking ${subject.workspaceId}`)
  const { server, workspace } = subject
  await using opened = await openCopy(workspace, { server, trusted: true })
  const random = seeded(`${options.seed}/${subject.id}`)
  const batch = batchOf(subject)
  const field = await chooseField({ root: opened.root, dialect, batch, random })
  const files = [...field.texts.keys()]
  const ground = new Ground({
    files,
    read: file => readFileSync(opened.path(file), 'utf8'),
    // Without the engine in batch, what the server finds in code that nobody touched is taken for true.
    errors: batch === undefined ? await ownErrors(opened, files) : field.errors,
  })
  const checks = new Set<Check>(coverage[subject.id] ?? allChecks)
  const plan = new Plan({ ground, dialect, field, checks, random })
  const run = new Run({ subject, options, opened, ground, random, batch })
  await run.begin()
  for (let step = 1; step <= options.edits && run.violations.length < mostViolations; step += 1) {
    await run.take(step, plan)
  }
  return run.outcome()
}

async function ownErrors({ bridge }: OpenWorkspace, files: readonly string[]): Promise<BatchError[]> {
  const answer = await bridge.getDiagnostics({ files: [...files] })
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer.result.files.flatMap(({ diagnostics }) => diagnostics.filter(isError))
}

interface RunOptions {
  readonly subject: Subject
  readonly options: EditsOptions
  readonly opened: OpenWorkspace
  readonly ground: Ground
  readonly random: Random
  readonly batch: Batch | undefined
}

class Run {
  readonly violations: string[] = []
  readonly #options: RunOptions
  readonly #history: string[] = []
  readonly #reasons: Record<string, number> = {}
  readonly #made = new Map<string, string>()
  #step = 0
  #reports = 0
  #unknown = 0
  #previews = 0
  #renames = 0
  #renamesFailed = 0
  #confirmed = 0
  #references = 0
  /** Confirmations by the batch engine that are owed. */
  #due = 0

  constructor(options: RunOptions) {
    this.#options = options
  }

  /** Nothing is planted yet: the first answers are about the code as it came. */
  async begin(): Promise<void> {
    this.#history.push('nothing was done yet')
    for (const file of this.#options.ground.files) await this.#ask([file])
  }

  async take(step: number, plan: Plan): Promise<void> {
    const { random, ground } = this.#options
    this.#step = step
    const before = new Map(ground.files.map(file => [file, this.#snapshot(file)]))
    const change = plan.next()
    const mode = random.next()
    const [way] = random.shuffled(Object.keys(waysToWrite))
    const isOwn = change.made === undefined && change.files.join() === change.affected.join()
    if (change.rename !== undefined) await this.#rename(change)
    else {
      if (mode < 0.1 && change.made === undefined) await this.#preview(change, before)
      if (mode > 0.94 && isOwn) await this.#writeWhileAsked(change, way, before)
      else this.#write(change, way)
    }
    await this.#askAfter(change)
    if (random.chance(0.15)) await this.#askReferences(plan)
    if (step % confirmEvery === 0) this.#due += 1
    if (this.#due > 0 && this.#canConfirm()) await this.#confirm()
  }

  outcome(): EditsOutcome {
    return {
      edits: this.#step,
      reports: this.#reports,
      unknown: this.#unknown,
      reasons: this.#reasons,
      previews: this.#previews,
      renames: this.#renames,
      renamesFailed: this.#renamesFailed,
      references: this.#references,
      confirmed: this.#confirmed,
      confirmedBy: this.#options.batch?.command,
      violations: this.violations,
    }
  }

  #write({ title, files, made }: Change, way = 'in place'): void {
    const { opened, ground } = this.#options
    this.#history.push(`${this.#step}: ${title}, written ${way}`)
    for (const file of files) waysToWrite[way]?.(opened.path(file), ground.textOf(file))
    if (made === undefined) return
    const path = opened.path(made.file)
    if (made.text === undefined) {
      this.#made.delete(made.file)
      rmSync(path, { force: true })
      return
    }
    this.#made.set(made.file, made.text)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, made.text)
  }

  /** An answer that was under way when the file changed is for the one text or the other, and says for which. */
  async #writeWhileAsked(change: Change, way: string | undefined, before: Snapshots): Promise<void> {
    const { opened, random } = this.#options
    const [file] = change.files
    if (file === undefined) return
    const asked = opened.bridge.getDiagnostics({ file })
    await pause(random.below(30))
    this.#write(change, way)
    const answer = await asked
    if (!answer.ok) return this.#failed(answer.kind)
    const [report] = answer.result.files
    if (report === undefined || !this.#isVouchedFor(report)) return
    const isComplete = answer.completeness.verdict === 'complete'
    const old = before.get(file)
    const present = this.#snapshot(file)
    const isPast = old !== undefined && problemsOf(report, old, isComplete).length === 0
    const problems = problemsOf(report, present, isComplete)
    if (isPast || problems.length === 0) return
    await this.#violated(file, `asked while it was written: ${problems.map(told).join('; ')}`, {
      expected: [old?.expectation, present.expectation],
      answer,
    })
  }

  async #askAfter({ affected }: Change): Promise<void> {
    const { random, ground } = this.#options
    const mode = random.next()
    const inField = affected.filter(file => ground.files.includes(file))
    const other = random.pick(ground.files)
    // Now and then nobody asks, and the next question is about two edits.
    if (mode < 0.1) return
    if (mode < 0.2) await this.#ask(ground.files)
    else if (mode < 0.3) await this.#ask([...new Set([...inField, other])])
    else {
      for (const file of inField) await this.#ask([file])
      if (mode > 0.8) await this.#ask([other])
    }
  }

  async #ask(files: readonly string[]): Promise<void> {
    const { opened } = this.#options
    if (files.length === 0) return
    const [only] = files
    const ask = () =>
      opened.bridge.getDiagnostics(files.length === 1 ? { file: only } : { files: [...files] })
    const answer = await ask()
    if (!answer.ok) return this.#failed(answer.kind)
    if (isSettledInDoubt(answer.result.files, answer))
      await this.#violated(files.join(), 'each file is settled, in an answer that does not know', { answer })
    for (const report of answer.result.files) {
      if (!this.#isVouchedFor(report)) continue
      const known = this.#snapshot(report.file)
      const problems = problemsOf(report, known, answer.completeness.verdict === 'complete')
      if (problems.length === 0) continue
      const words = problems.map(told).join('; ')
      const scene = { ...report, completeness: answer.completeness, freshness: answer.freshness }
      await this.#violated(report.file, words, { expected: known.expectation, answer: scene })
    }
  }

  /** Uses come and go with the edits; a list that is called complete has each of them, and none lists another place. */
  async #askReferences(plan: Plan): Promise<void> {
    const known = plan.knownName()
    if (known === undefined) return
    const { file, line, name: symbol } = known
    this.#references += 1
    const answer = await this.#options.opened.bridge.findReferences({ file, line, symbol })
    if (!answer.ok || answer.freshness.verdict !== 'current')
      return this.#reason(`references: ${answer.ok ? answer.freshness.reason : answer.kind}`)
    const found = new Set(
      answer.result.references.map(place => `${place.file}:${place.line}:${place.column}`),
    )
    const lacking = known.places.filter(place => !found.has(place))
    const gone = [...found].filter(place => !known.places.includes(place))
    const isComplete = answer.completeness.verdict === 'complete'
    const words = [
      ...(isComplete && lacking.length > 0 ? [`called complete, and lacks ${lacking.join(', ')}`] : []),
      ...(gone.length > 0 ? [`it is not used at ${gone.join(', ')}`] : []),
    ]
    if (words.length === 0) return
    await this.#violated(file, `references of ${symbol}: ${words.join('; ')}`, { expected: known, answer })
  }

  async #preview(change: Change, before: Snapshots): Promise<void> {
    const { opened, ground } = this.#options
    this.#previews += 1
    const edits = change.files.map(file => ({ file, new_text: ground.textOf(file) }))
    const answer = await opened.bridge.previewEdit({ edits })
    const after = new Map(ground.files.map(file => [file, this.#snapshot(file)]))
    const words = judgePreview(answer, { before, after })
    const written = change.files.filter(
      file => before.has(file) && readFileSync(opened.path(file), 'utf8') !== before.get(file)?.text,
    )
    const all = [...words, ...written.map(file => `${file} was written by a preview`)]
    this.#history.push(`${this.#step}: preview of: ${change.title}`)
    if (all.length > 0) await this.#violated(change.files.join(), `preview: ${all.join('; ')}`, { answer })
  }

  async #rename(change: Change): Promise<void> {
    const { opened, ground } = this.#options
    const { rename, title, files } = change
    if (rename === undefined) return
    this.#history.push(`${this.#step}: ${title}`)
    const { file, line, name: symbol, newName: new_name } = rename
    const proposed = await opened.bridge.renameSymbol({ file, line, symbol, new_name })
    const handle = proposed.ok ? proposed.result.handle : undefined
    const applied = handle === undefined ? undefined : await opened.bridge.applyEdit({ handle })
    const why = whyNotRenamed(proposed, applied)
    if (why === undefined) this.#renames += 1
    else {
      this.#renamesFailed += 1
      this.#reason(why)
    }
    const other = files.filter(name => readFileSync(opened.path(name), 'utf8') !== ground.textOf(name))
    const words = judgeApplied(applied)
    if (other.length > 0 && proposed.ok && proposed.completeness.verdict === 'complete')
      words.push(`the rename left another text than it should have in ${other.join(', ')}`)
    if (words.length > 0) {
      const answer = {
        proposed,
        applied,
        written: other.map(name => readFileSync(opened.path(name), 'utf8')),
      }
      await this.#violated(file, words.join('; '), { answer })
    }
    // Whatever became of it, the next step begins with the text that is expected.
    if (other.length > 0) this.#write({ ...change, title: `${title}, completed by hand` })
  }

  #canConfirm(): boolean {
    const { ground, batch } = this.#options
    return ground.isPlain && !(ground.hasHidden && batch?.stopsAtHidden)
  }

  async #confirm(): Promise<void> {
    const { batch, ground, opened } = this.#options
    // Where the engine is not had in batch, or something it reads differently is planted, it is made up for later.
    this.#due -= 1
    if (batch === undefined) return
    this.#confirmed += 1
    const found = await batch.run(opened.root, ground.files)
    for (const file of ground.files) {
      const errors = found
        .filter(error => error.file === file)
        .map(({ line, message }) => ({ line, message, severity: 'error' }))
      const problems = lineProblems(errors, withoutWords(ground.expectationOf(file)), false)
      if (problems.length === 0) continue
      const words = `${batch.command} disagrees with what was planted: ${problems.map(told).join('; ')}`
      await this.#violated(file, words, { expected: ground.expectationOf(file), answer: errors })
    }
  }

  /** What is settled is believed by itself, whatever else the answer says. */
  #isVouchedFor(report: Reported): boolean {
    this.#reports += 1
    if (report.verdict === 'settled') return true
    this.#unknown += 1
    this.#reason(report.reason ?? 'it did not say why')
    return false
  }

  #failed(kind: string): void {
    this.#reports += 1
    this.#unknown += 1
    this.#reason(kind)
  }

  #reason(words: string): void {
    this.#reasons[words] = (this.#reasons[words] ?? 0) + 1
  }

  #snapshot(file: string): Snapshot {
    const { ground } = this.#options
    return { text: ground.textOf(file), expectation: ground.expectationOf(file) }
  }

  async #violated(
    file: string,
    words: string,
    scene: { expected?: unknown; answer: unknown },
  ): Promise<void> {
    const { subject, options, ground, opened } = this.#options
    const edit = this.#history.at(-1) ?? ''
    const violation: Violation = {
      server: subject.id,
      seed: options.seed,
      step: this.#step,
      file,
      edit,
      words,
    }
    const again = ground.files.includes(file) ? await opened.bridge.getDiagnostics({ file }) : undefined
    const texts = new Map([...ground.files.map(name => [name, ground.textOf(name)] as const), ...this.#made])
    const history = this.#history.slice(-40)
    const folder = keepScene(violation, {
      history,
      expected: scene.expected,
      answer: scene.answer,
      again,
      texts,
    })
    const line = `${describeViolation(violation)} kept in ${folder}`
    options.say(`VIOLATION ${line}`)
    this.violations.push(line)
  }
}

export interface Snapshot {
  readonly text: string
  readonly expectation: Expectation
}

export type Snapshots = ReadonlyMap<string, Snapshot>

function told({ kind, words }: { readonly kind: string; readonly words: string }): string {
  return `${kind}: ${words}`
}

/** In batch the same engine may word it differently. */
function withoutWords(expectation: Expectation): Expectation {
  return { ...expectation, required: expectation.required.map(one => ({ ...one, mentions: undefined })) }
}
