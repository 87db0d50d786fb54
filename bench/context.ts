// How long an assembled context takes on real code, through the library, on servers that have run before; and whether it
// stays within its budget. The targets: a median under 400 ms for a file of about 200 lines, never a token too many.
// Usage: npm run bench:context [-- --rounds N] [--write]   (--write keeps the table in bench/context.md)
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readManifest } from '../scripts/servers/manifest.js'
import type { BridgeOptions } from '../src/bridge.js'
import { createBridge } from '../src/index.js'
import { countTokens } from './count-tokens.mjs'

interface Subject {
  readonly title: string
  readonly root: string
  readonly file: string
  readonly options?: BridgeOptions
}

interface Row {
  readonly what: string
  readonly lines: number
  readonly median: number
  readonly high: number
  readonly items: number
  readonly tokens: number
  readonly late: number
  readonly met: boolean
}

const rounds = Number(argument('--rounds') ?? 15)
const budgets = [400, 1000, 2000, 4000]
const target = 400
const state = mkdtempSync(join(tmpdir(), 'alidade-bench-'))
const rows: Row[] = []
try {
  for (const subject of subjects()) await measure(subject)
} finally {
  rmSync(state, { recursive: true, force: true })
}
const tokenizer = loadOfTokenizer()
report()

async function measure({ title, root, file, options }: Subject): Promise<void> {
  const env = { ...process.env, XDG_STATE_HOME: join(state, 'state'), XDG_CONFIG_HOME: join(state, 'config') }
  const bridge = await createBridge({ root, env, ...options })
  try {
    // Cold servers are another matter: they read the whole project first.
    await bridge.assembleContext({ files: [file], timeout_ms: 120_000 })
    const times: number[] = []
    let last = { items: 0, tokens: 0, late: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now()
      const { answer } = await bridge.assembleContext({ files: [file] })
      times.push(performance.now() - began)
      if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
      const { items, tokens, left_out } = answer.result
      const late = left_out.filter(({ reason }) => reason === 'time').length
      last = { items: items.length, tokens, late }
    }
    const isWithin = await staysWithin(bridge, file)
    const [median, high] = [percentile(times, 50), percentile(times, 95)]
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length
    const row = { what: `${title}, ${file}`, lines, median, high, ...last, met: median < target && isWithin }
    rows.push(row)
    console.log(describe(row))
  } finally {
    await bridge.close()
  }
}

async function staysWithin(bridge: Awaited<ReturnType<typeof createBridge>>, file: string): Promise<boolean> {
  for (const budget of budgets) {
    const { text, answer } = await bridge.assembleContext({ files: [file], budget })
    const tokens = countTokens(text)
    if (answer.ok && tokens <= budget && tokens === answer.result.tokens) continue
    console.log(`${file}: ${tokens} tokens with a budget of ${budget}`)
    return false
  }
  return true
}

function subjects(): Subject[] {
  const manifest = readManifest()
  const found: Subject[] = [
    { title: 'TypeScript 7, this project', root: resolve('.'), file: 'src/operations/run.ts' },
  ]
  const python = manifest?.workspaces.python
  if (python !== undefined) {
    for (const file of ['django/utils/decorators.py', 'django/views/generic/detail.py'])
      found.push({ title: 'Pyright, Django', root: python.root, file })
  }
  const go = manifest?.workspaces.go
  const gopls = manifest?.gopls
  if (go !== undefined && gopls !== undefined) {
    const { command, args, env } = gopls
    const settings = { servers: { gopls: { language: 'go', command, args, env } } }
    found.push({ title: 'gopls, gorilla/mux', root: go.root, file: 'regexp.go', options: { settings } })
  }
  if (found.length < 4) console.log('Without Python and Go: run npm run servers first.')
  return found
}

/** In a process of its own, where nothing has loaded it before. */
function loadOfTokenizer(): string {
  const script = `
    const before = process.memoryUsage().rss
    const began = performance.now()
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    countTokens('once')
    const milliseconds = performance.now() - began
    console.log(Math.round(milliseconds) + ' ms, ' + Math.round((process.memoryUsage().rss - before) / 2 ** 20) + ' MB')`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return run.stdout.trim()
}

function report(): void {
  const missed = rows.filter(({ met }) => !met)
  console.log(`tokenizer: ${tokenizer}`)
  console.log(
    `${rows.length - missed.length} of ${rows.length} targets met; load ${loadavg()[0]?.toFixed(1)}`,
  )
  if (process.argv.includes('--write')) writeFileSync('bench/context.md', table())
  process.exitCode = missed.length === 0 ? 0 : 1
}

function describe({ what, lines, median, high, items, tokens, late, met }: Row): string {
  return `${met ? 'ok  ' : 'MISS'} ${what} (${lines} lines): median ${median.toFixed(0)} ms, 95th percentile ${high.toFixed(0)} ms, ${items} items, ${tokens} tokens, ${late} parts late`
}

function table(): string {
  return [
    '# An assembled context on real code',
    '',
    `Written by \`npm run bench:context -- --rounds ${rounds} --write\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} cores, Node ${process.version}.`,
    `Warm servers, through the library, with the default budget and deadline. The target is a median under ${target} ms;`,
    `and no text may be over its budget (tried with ${budgets.join(', ')}). Loading the tokenizer, once: ${tokenizer}.`,
    '',
    '| File | Lines | Median | 95th percentile | Items | Tokens | Parts not in time | Met |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      ({ what, lines, median, high, items, tokens, late, met }) =>
        `| ${what} | ${lines} | ${median.toFixed(0)} ms | ${high.toFixed(0)} ms | ${items} | ${tokens} | ${late} | ${met ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n')
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? 0
}

function argument(name: string): string | undefined {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
