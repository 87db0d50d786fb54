// What Alidade costs over the raw language server, measured against it in the same run and printed as ratios:
// first complete answer after a cold start, warm answers, start of the MCP server, memory of the bridge itself.
// Usage: npm run bench [-- --rounds N] [--write]   (--write keeps the table in bench/results.md)
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Bench } from 'tinybench'
import { readManifest } from '../scripts/servers/manifest.js'
import { createBridge } from '../src/index.js'
import { pyright } from '../src/servers/pyright.js'
import { typescript } from '../src/servers/typescript.js'
import { type RawClient, type RawServer, startRaw } from './raw-client.js'

interface Subject {
  readonly title: string
  readonly server: RawServer
  readonly root: string
  readonly file: string
  readonly languageId: string
  readonly line: number
  readonly column: number
}

interface Row {
  readonly what: string
  readonly raw: string
  readonly alidade: string
  readonly ratio: string
  readonly target: string
  readonly met: boolean
}

const project = resolve('.')
const rounds = Number(argument('--rounds') ?? 7)
const rows: Row[] = []

for (const subject of subjects()) {
  console.log(
    `\n${subject.title}: ${subject.file} in ${subject.root.startsWith(project) ? 'this project' : 'real code'}`,
  )
  await cold(subject)
  await warm(subject)
}
await mcpStart()
report()

async function cold(subject: Subject): Promise<void> {
  const raw: number[] = []
  const alidade: number[] = []
  let counts: [number, number] = [0, 0]
  for (let round = 0; round < rounds; round += 1) {
    // Alternating keeps a slow spell of the machine from hitting one side alone.
    const rawRun = await coldRaw(subject)
    const alidadeRun = await coldAlidade(subject)
    raw.push(rawRun.milliseconds)
    alidade.push(alidadeRun.milliseconds)
    counts = [rawRun.references, alidadeRun.references]
    if (rawRun.references !== alidadeRun.references)
      throw new Error(`raw has ${counts[0]} references, Alidade ${counts[1]}`)
  }
  const [a, b] = [percentile(raw, 50), percentile(alidade, 50)]
  const what = `${subject.title}: first references after start, all ${counts[1]}`
  add({ what, raw: ms(a), alidade: ms(b), ratio: times(b / a), target: 'at most 1.3x', met: b / a <= 1.3 })
}

async function coldRaw({ server, root, file, languageId, ...at }: Subject) {
  const began = performance.now()
  const client = await startRaw(server, root)
  const uri = client.open(join(root, file), languageId)
  await client.ready()
  const found = await rawReferences(client, uri, at)
  const milliseconds = performance.now() - began
  client.close()
  return { milliseconds, references: found }
}

async function coldAlidade({ root, file, line, column }: Subject) {
  const began = performance.now()
  const bridge = await createBridge({ root })
  const answer = await bridge.findReferences({ file, line, column })
  const milliseconds = performance.now() - began
  await bridge.close()
  if (!answer.ok) throw new Error(answer.error)
  const { verdict } = answer.completeness
  const trustedOnly =
    answer.completeness.verdict !== 'complete' &&
    answer.completeness.reason.startsWith('the workspace is not trusted')
  if (verdict !== 'complete' && !trustedOnly) throw new Error(`the first answer was ${verdict}`)
  return { milliseconds, references: answer.truncated?.total ?? answer.result.references.length }
}

async function warm(subject: Subject): Promise<void> {
  const { server, root, file, languageId, line, column } = subject
  const client = await startRaw(server, root)
  const uri = client.open(join(root, file), languageId)
  await client.ready()
  const bridge = await createBridge({ root })
  const at = { textDocument: { uri }, position: { line: line - 1, character: column - 1 } }
  const target = { file, line, column }
  const questions = [
    {
      name: 'hover',
      raw: () => client.connection.sendRequest('textDocument/hover', at),
      alidade: () => bridge.inspectSymbol(target),
    },
    {
      name: 'definition',
      raw: () => client.connection.sendRequest('textDocument/definition', at),
      alidade: () => bridge.goToDefinition(target),
    },
    {
      name: 'references',
      raw: () => rawReferences(client, uri, subject),
      alidade: () => bridge.findReferences(target),
    },
  ]
  // What one call spends at the server is known exactly; the rest of it is what the bridge adds.
  let atServer = 0
  bridge.events.subscribe(event => {
    if (event.type === 'request.finished') atServer += event.milliseconds
  })
  for (const question of questions) {
    const raw: number[] = []
    const alidade: number[] = []
    const added: number[] = []
    const ask = async () => {
      atServer = 0
      const began = performance.now()
      await question.alidade()
      added.push(performance.now() - began - atServer)
    }
    // Short blocks, by turns: a slow spell of the machine then hits both sides.
    for (let block = 0; block < rounds * 4; block += 1) {
      const bench = new Bench({
        iterations: 10,
        time: 0,
        warmupIterations: block === 0 ? 30 : 1,
        warmupTime: 0,
        retainSamples: true,
      })
      bench.add('raw', async () => void (await question.raw()))
      bench.add('alidade', ask)
      await bench.run()
      raw.push(...samples(bench, 'raw'))
      alidade.push(...samples(bench, 'alidade'))
    }
    const [rawMedian, median] = [percentile(raw, 50), percentile(alidade, 50)]
    const [rawHigh, high] = [percentile(raw, 95), percentile(alidade, 95)]
    const bound = Math.max(rawHigh * 1.25, rawHigh + 3)
    const what = `${subject.title}: warm ${question.name}`
    add({
      what: `${what}, median`,
      raw: ms(rawMedian),
      alidade: ms(median),
      // The target is judged against the raw server; the second figure is told to show how much of it is ours.
      ratio: `${signed(median - rawMedian)} (outside its own request ${ms(percentile(added, 50))})`,
      target: 'at most +2 ms',
      met: median - rawMedian <= 2,
    })
    add({
      what: `${what}, 95th percentile`,
      raw: ms(rawHigh),
      alidade: ms(high),
      ratio: times(high / rawHigh),
      target: `at most ${ms(bound)}`,
      met: high <= bound,
    })
  }
  await bridge.close()
  client.close()
}

async function rawReferences(
  client: RawClient,
  uri: string,
  { line, column }: Pick<Subject, 'line' | 'column'>,
): Promise<number> {
  const found = await client.connection.sendRequest('textDocument/references', {
    textDocument: { uri },
    position: { line: line - 1, character: column - 1 },
    context: { includeDeclaration: true },
  })
  return Array.isArray(found) ? found.length : 0
}

async function mcpStart(): Promise<void> {
  const bare: number[] = []
  const listed: number[] = []
  let memory = 0
  for (let round = 0; round < Math.max(rounds, 5); round += 1) {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    bare.push(performance.now() - began)
    const run = await timeToToolList(round === 0)
    listed.push(run.milliseconds)
    memory = Math.max(memory, run.memoryMegabytes)
  }
  const [a, b] = [percentile(bare, 50), percentile(listed, 50)]
  add({
    what: 'MCP: start to tool list (raw: node -e 0)',
    raw: ms(a),
    alidade: ms(b),
    ratio: times(b / a),
    target: 'at most 4x',
    met: b / a <= 4,
  })
  add({
    what: 'MCP: memory of the bridge after a find_references',
    raw: '',
    alidade: `${memory.toFixed(0)} MB`,
    ratio: '',
    target: 'at most 90 MB',
    met: memory <= 90,
  })
}

async function timeToToolList(askToo: boolean): Promise<{ milliseconds: number; memoryMegabytes: number }> {
  const began = performance.now()
  const child = spawn(process.execPath, ['dist/cli.js', 'mcp', '--root', project], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })
  const replies = new Map<number, () => void>()
  lines.on('line', line => {
    const id: unknown = JSON.parse(line).id
    if (typeof id === 'number') replies.get(id)?.()
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (id: number, method: string, params: object) =>
    new Promise<void>(done => {
      replies.set(id, done)
      send({ id, method, params })
    })
  await ask(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  await ask(2, 'tools/list', {})
  const milliseconds = performance.now() - began
  let memoryMegabytes = 0
  if (askToo) {
    await ask(3, 'tools/call', {
      name: 'find_references',
      arguments: { file: 'src/errors.ts', symbol: 'BridgeError' },
    })
    memoryMegabytes = residentMegabytes(child.pid)
  }
  const ended = new Promise(done => child.once('exit', done))
  child.stdin.end()
  await ended
  return { milliseconds, memoryMegabytes }
}

function residentMegabytes(pid: number | undefined): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return 0
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) / 1024
}

function subjects(): Subject[] {
  const manifest = readManifest()
  const own = typescript.embedded?.()
  const python = pyright.embedded?.()
  if (own === undefined || python === undefined)
    throw new Error('the embedded servers are missing: run npm ci')
  const found: Subject[] = []
  const code = manifest?.workspaces.typescript
  if (code !== undefined) {
    found.push({
      title: 'TypeScript 7',
      server: own,
      root: code.root,
      languageId: 'typescript',
      ...code.symbol,
    })
  } else {
    found.push({
      title: 'TypeScript 7',
      server: own,
      root: project,
      file: 'src/errors.ts',
      languageId: 'typescript',
      ...declaration('src/errors.ts', 'BridgeError'),
    })
  }
  const django = manifest?.workspaces.python
  if (django !== undefined) {
    const server = { ...python, readyLine: /^(Found \d+ source files?|No source files found)/ }
    found.push({ title: 'Pyright', server, root: django.root, languageId: 'python', ...django.symbol })
  }
  return found
}

function declaration(file: string, name: string): { line: number; column: number } {
  const lines = readFileSync(file, 'utf8').split('\n')
  const index = lines.findIndex(text => text.includes(`class ${name}`))
  return { line: index + 1, column: (lines[index]?.indexOf(name) ?? 0) + 1 }
}

function samples(bench: Bench, name: string): readonly number[] {
  const result = bench.getTask(name)?.result
  if (result === undefined || !('latency' in result) || result.latency.samples === undefined) {
    throw new Error(`${name} did not run: ${JSON.stringify(result)}`)
  }
  return result.latency.samples
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? 0
}

function add(row: Row): void {
  rows.push(row)
  console.log(
    `  ${row.met ? 'ok  ' : 'MISS'} ${row.what}: raw ${row.raw}, Alidade ${row.alidade} ${row.ratio} (${row.target})`,
  )
}

function report(): void {
  const missed = rows.filter(row => !row.met)
  console.log(`\n${rows.length - missed.length} of ${rows.length} targets met`)
  if (process.argv.includes('--write')) writeFileSync('bench/results.md', table())
  process.exitCode = missed.length === 0 ? 0 : 1
}

function table(): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`
  const lines = rows.map(
    ({ what, raw, alidade, ratio, target, met }) =>
      `| ${what} | ${raw} | ${alidade} | ${ratio} | ${target} | ${met ? 'yes' : 'no'} |`,
  )
  return [
    '# Overhead over the raw language server',
    '',
    `Written by \`npm run bench -- --rounds ${rounds} --write\` on ${new Date().toISOString().slice(0, 10)}; ${machine}.`,
    'Both sides run in the same process and take turns, so that ratios hold on other machines and bare times do not.',
    'Medians are judged by Alidade less raw. Each side has a server process of its own, so that difference holds the',
    'difference of the two servers too; the figure in brackets is the call less the time of its own request.',
    '',
    '| What | Raw | Alidade | Difference | Target | Met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${ms(Math.abs(value))}`
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`
}

function argument(name: string): string | undefined {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
