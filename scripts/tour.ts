// A look at the product in under a minute: asks real questions about this project, shows the command line that does the
// same, the answer, its verdict and the time it took. Ends with 1 unless every answer was complete and plausible.
// Usage: npm run tour   (it builds first: what is shown is what is published)
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import picocolors from 'picocolors'
import * as z from 'zod'
import type { Answer, Bridge } from '../src/index.js'
import { findCallers } from '../src/operations/find-callers.js'
import { findReferences } from '../src/operations/find-references.js'
import { findSymbol } from '../src/operations/find-symbol.js'
import { getDiagnostics } from '../src/operations/get-diagnostics.js'
import { goToDefinition } from '../src/operations/go-to-definition.js'
import { inspectSymbol } from '../src/operations/inspect-symbol.js'
import type { Operation } from '../src/operations/operation.js'
import { previewEdit } from '../src/operations/preview-edit.js'
import { renameSymbol } from '../src/operations/rename-symbol.js'
import { renderAnswer } from '../src/operations/render.js'
import { serverStatus } from '../src/operations/server-status.js'

interface Step {
  readonly title: string
  readonly command: string
  readonly operation: Operation
  ask(bridge: Bridge): Promise<Answer<unknown>>
  /** What the answer must contain: an empty one would be complete, too. */
  readonly mustShow: string
}

const source = 'src/clock.ts'
const steps: readonly Step[] = [
  {
    title: 'Where is a symbol? Only its name is known.',
    command: 'alidade find-symbol withDeadline',
    operation: findSymbol,
    ask: bridge => bridge.findSymbol({ query: 'withDeadline' }),
    mustShow: `${source}:`,
  },
  {
    title: 'Where is what this file imports really defined?',
    command: 'alidade go-to-definition src/operations/run.ts --symbol withDeadline',
    operation: goToDefinition,
    ask: bridge => bridge.goToDefinition({ file: 'src/operations/run.ts', symbol: 'withDeadline' }),
    mustShow: source,
  },
  {
    title: 'Who uses it? By meaning, over the whole project.',
    command: `alidade find-references ${source} --symbol withDeadline`,
    operation: findReferences,
    ask: bridge => bridge.findReferences({ file: source, symbol: 'withDeadline' }),
    mustShow: 'src/operations/run.ts',
  },
  {
    title: 'What is its type?',
    command: `alidade inspect-symbol ${source} --symbol withDeadline`,
    operation: inspectSymbol,
    ask: bridge => bridge.inspectSymbol({ file: source, symbol: 'withDeadline' }),
    mustShow: 'Promise<T>',
  },
  {
    title: 'Has the file errors? For exactly the content on disk.',
    command: `alidade get-diagnostics ${source}`,
    operation: getDiagnostics,
    ask: bridge => bridge.getDiagnostics({ file: source }),
    mustShow: 'no diagnostics, settled',
  },
  {
    title: 'Who calls it, by function?',
    command: `alidade find-callers ${source} --symbol withDeadline`,
    operation: findCallers,
    ask: bridge => bridge.findCallers({ file: source, symbol: 'withDeadline' }),
    mustShow: 'src/operations/run.ts',
  },
  {
    title: 'What would a rename change? A proposal: nothing is written.',
    command: `alidade rename-symbol ${source} --symbol withDeadline --new-name within`,
    operation: renameSymbol,
    ask: bridge => bridge.renameSymbol({ file: source, symbol: 'withDeadline', new_name: 'within' }),
    mustShow: 'proposal: p:',
  },
  {
    title: 'What would this mistake break? Tried in the memory of the server, not on disk.',
    command: `alidade preview-edit --edits '{"file":"${source}","find":"now(): number","new_text":"now(): string"}'`,
    operation: previewEdit,
    ask: bridge =>
      bridge.previewEdit({ edits: [{ file: source, find: 'now(): number', new_text: 'now(): string' }] }),
    mustShow: 'new_errors',
  },
  {
    title: 'The same in Python: a method used from another file.',
    command: 'alidade find-references examples/tour/shapes.py --symbol Rectangle.area',
    operation: findReferences,
    ask: bridge => bridge.findReferences({ file: 'examples/tour/shapes.py', symbol: 'Rectangle.area' }),
    mustShow: 'examples/tour/main.py',
  },
  {
    title: 'A type that is written nowhere: the compiler inferred it.',
    command: 'alidade inspect-symbol examples/tour/main.py:6 --symbol total',
    operation: inspectSymbol,
    ask: bridge => bridge.inspectSymbol({ file: 'examples/tour/main.py', line: 6, symbol: 'total' }),
    mustShow: 'total: int',
  },
  {
    title: 'Which servers ran for this?',
    command: 'alidade server-status',
    operation: serverStatus,
    ask: bridge => bridge.serverStatus({}),
    mustShow: 'ready',
  },
]

// The bundle runs from a cache; the argument still names this file.
const project = resolve(process.argv[1] ?? '', '../..')
const colors = picocolors.createColors(process.stdout.isTTY === true && !process.env.NO_COLOR)
const columns = 100
const longestAnswer = 9
const diagnosed = z.object({ files: z.array(z.object({ verdict: z.string() })) })
let drawn = false

// An exit ends the servers, a mere signal would leave that to others.
process.once('SIGINT', () => process.exit(130))
process.exitCode = await tour()

async function tour(): Promise<number> {
  // The tour shows an untrusted folder, whatever the user's own record of trust says; it needs no more.
  const state = mkdtempSync(join(tmpdir(), 'alidade-tour-'))
  const env = { ...process.env, XDG_STATE_HOME: state }
  const startedAt = performance.now()
  const failures: string[] = []
  try {
    print(colors.bold('Alidade looks at its own source'))
    print('', colors.bold('What is in this folder, and who would answer? Nothing is started for that.'))
    print(command('alidade status'))
    if (!runExecutable(['status'], env)) failures.push('status')
    const bridge = await openBridge(env)
    try {
      for (const step of steps) if (!(await take(step, bridge))) failures.push(step.command)
    } finally {
      await bridge.close()
    }
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
  const time = seconds(startedAt)
  if (failures.length === 0) {
    print(
      '',
      colors.green(`Everything passed: ${steps.length} answers, all complete and current, in ${time}.`),
    )
    return 0
  }
  print('', colors.red(`Not everything passed (${time}):`), ...failures.map(failure => `  ${failure}`))
  return 1
}

/** The commands that need no warm server are shown by the executable itself. */
function runExecutable(words: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const run = spawnSync(process.execPath, [join(project, 'dist/cli.js'), ...words, '--root', project], {
    env,
    encoding: 'utf8',
  })
  show(run.status === 0 ? run.stdout : run.stderr)
  return run.status === 0
}

async function openBridge(env: NodeJS.ProcessEnv): Promise<Bridge> {
  const library: typeof import('../src/index.js') = await import(
    pathToFileURL(join(project, 'dist/index.js')).href
  )
  const bridge = await library.createBridge({ root: project, env })
  bridge.events.subscribe(event => {
    if (event.type === 'server.stateChanged' && event.to === 'starting') progress(`starting ${event.server}`)
    if (event.type === 'server.chosen') progress(`started ${event.server} (${event.how})`)
    if (event.type === 'server.progress') progress(`${event.server}: ${event.message}`)
  })
  return bridge
}

async function take(step: Step, bridge: Bridge): Promise<boolean> {
  print(`\n${colors.bold(step.title)}`, command(step.command))
  const askedAt = performance.now()
  const answer = await step.ask(bridge)
  erase()
  const text = renderAnswer(step.operation, answer)
  show(text)
  const verdict = verdictOf(answer)
  const passed = verdict === 'complete, current' && text.includes(step.mustShow)
  const mark = passed
    ? colors.green('passed')
    : colors.red(`FAILED, expected ${JSON.stringify(step.mustShow)}`)
  print(`  ${mark}: ${verdict}, ${seconds(askedAt)}`)
  return passed
}

function verdictOf(answer: Answer<unknown>): string {
  if (!answer.ok) return answer.kind
  const unsettled = diagnosed.safeParse(answer.result).data?.files.some(file => file.verdict !== 'settled')
  return `${unsettled === true ? 'unknown' : answer.completeness.verdict}, ${answer.freshness.verdict}`
}

function show(text: string): void {
  const lines = text.trimEnd().split('\n')
  print(...lines.slice(0, longestAnswer).map(line => narrow(`  ${line}`)))
  if (lines.length > longestAnswer) print(colors.dim(`  (${lines.length - longestAnswer} more lines)`))
}

function command(line: string): string {
  return colors.cyan(`  $ ${line}`)
}

function narrow(line: string): string {
  return line.length <= columns ? line : `${line.slice(0, columns - '...'.length)}...`
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(2)} s`
}

/** On a terminal one line that is rewritten; elsewhere plain lines. */
function progress(message: string): void {
  if (!process.stderr.isTTY) {
    process.stderr.write(`${narrow(`  ${message}`)}\n`)
    return
  }
  process.stderr.write(`\r\x1b[2K${narrow(`  ${message}`).slice(0, (process.stderr.columns || 80) - 1)}`)
  drawn = true
}

function erase(): void {
  if (drawn) process.stderr.write('\r\x1b[2K')
  drawn = false
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}
