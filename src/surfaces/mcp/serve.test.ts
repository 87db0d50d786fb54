// The whole of `alidade mcp` in a process of its own, bundled as it is published, with real clients of both eras.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fixture, type TemporaryWorkspace, temporaryWorkspace } from '../../../test/fixture/index.js'
import { carrying, survivorsWithin } from '../../../test/orphans/bridge.js'
import type { BridgeOptions } from '../../bridge.js'
import { presets } from '../../config/presets.js'
import { TrustStore } from '../../config/trust.js'
import { offeredBy } from '../../dialects/offered.js'
import { property } from '../../json.js'
import { operations } from '../../operations/index.js'
import { toolLists } from './tool-lists.js'

const project = resolve(import.meta.dirname, '../../..')

/** A signal makes the program misbehave as told: print to stdout, or throw where nobody catches. */
const program = `
  import { serveMcp } from './src/surfaces/mcp/serve.ts'
  const { options, misbehaviour } = JSON.parse(process.argv[2])
  process.on('SIGUSR2', () => {
    if (misbehaviour === 'print') console.log('a stray line')
    else throw new Error('a planted fault')
  })
  await serveMcp(options)
`

let folder = ''
let workspace: TemporaryWorkspace

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'alidade-mcp-')))
  await copyFile(join(project, 'package.json'), join(folder, 'package.json'))
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'), 'dir')
  await build({
    stdin: { contents: program, resolveDir: project, loader: 'ts', sourcefile: 'program.ts' },
    outdir: join(folder, 'dist'),
    entryNames: 'program',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
  workspace = await temporaryWorkspace(fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
-- src/shapes.ts --
export function area(side: number): number {
  return side * side
}
-- src/use.ts --
import { area } from './shapes.js'
export const both = area(2) + area(3)
  `)
  // A server that Alidade does not know is started in a trusted workspace only.
  await new TrustStore({ env: environment() }).trust(workspace.root)
})

afterAll(async () => {
  await workspace.dispose()
  await rm(folder, { recursive: true, force: true })
})

interface Start {
  readonly structured?: boolean
  readonly bridge?: Partial<BridgeOptions>
  readonly misbehaviour?: 'print' | 'throw'
}

function commandLine({ structured = false, bridge = {}, misbehaviour }: Start): string[] {
  const options = { structured, bridge: { root: workspace.root, ...bridge } }
  return [join(folder, 'dist/program.js'), JSON.stringify({ options, misbehaviour })]
}

/** Nothing of the machine's own configuration takes part. */
function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
}

/** A server that greets and then neither answers nor listens to SIGTERM: every question to it waits. */
const deafServer: Partial<BridgeOptions> = {
  settings: {
    servers: {
      deaf: {
        language: 'typescript',
        command: process.execPath,
        args: [
          '-e',
          `process.on('SIGTERM', () => {})
          let heard = ''
          process.stdin.on('data', data => {
            const asked = /"id":(\\d+).*"initialize"|"initialize".*"id":(\\d+)/s.exec(heard += data)
            if (!asked) return
            process.stdin.removeAllListeners('data').resume()
            const result = { capabilities: { documentSymbolProvider: true } }
            const body = JSON.stringify({ jsonrpc: '2.0', id: Number(asked[1] ?? asked[2]), result })
            process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body)
          })
          setInterval(() => {}, 1000)`,
        ],
      },
    },
  },
}

const eras: readonly [string, VersionNegotiationMode, string][] = [
  ['2025', 'legacy', '2025-11-25'],
  ['2026-07-28', { pin: '2026-07-28' }, '2026-07-28'],
]

describe.each(eras)('a client of %s', (_era, mode, negotiated) => {
  const open: Client[] = []

  async function connect(start: Start = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    open.push(client)
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: commandLine(start),
        env: environment(),
        cwd: workspace.root,
        stderr: 'ignore',
      }),
    )
    return client
  }

  afterEach(async () => {
    await Promise.all(open.splice(0).map(client => client.close()))
  })

  test('R-110 is told who answers, how to use it, and the same ordered tools every time', async () => {
    const client = await connect()
    expect(client.getNegotiatedProtocolVersion()).toBe(negotiated)
    expect(client.getServerVersion()).toMatchObject({
      name: 'alidade',
      version: expect.stringMatching(/^\d/),
    })
    expect(client.getInstructions()).toMatch(/grep.*\[complete\].*\[partial\].*\[unknown\].*settled/s)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      offeredBy(presets.default, operations).map(({ name }) => name),
    )
    expect((await client.listTools()).tools).toEqual(tools)
  })

  test('R-147 gets our complaint about an unknown argument, with the nearest known one', async () => {
    const client = await connect()
    const answer = await client.callTool({ name: 'find_references', arguments: { fiel: 'src/shapes.ts' } })
    expect(answer).toMatchObject({
      isError: true,
      content: [
        { type: 'text', text: expect.stringMatching(/^InvalidArguments: .*fiel\nhint: Did you mean file\?/) },
      ],
    })
  })

  test('R-110 asks a real server, sees it start, and gets every reference', { timeout: 60_000 }, async () => {
    const client = await connect({ structured: true })
    const steps: { progress: number; message?: string | undefined }[] = []
    await client.listTools()
    const answer = await client.callTool(
      { name: 'find_references', arguments: { file: 'src/shapes.ts', symbol: 'area' } },
      { onprogress: step => steps.push(step) },
    )
    const text = property(answer.content[0], 'text')
    expect(text).toMatch(/^4 references to area .* in 2 files \[complete; typescript-go /)
    expect(text).toContain('src/use.ts\n  1:10  import')
    expect(answer.structuredContent).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
    expect(steps[0]?.message).toBe('typescript: starting')
    expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, index) => index + 1))
    const status = await client.callTool({ name: 'server_status' })
    expect(property(status.content[0], 'text')).toMatch(
      /^1 server \[complete\]\n.*typescript: typescript-go/s,
    )
  })

  test('R-174 follows the diagnostics of a file', { timeout: 60_000 }, async () => {
    const client = await connect()
    const uri = 'alidade://diagnostics/src/draft.ts'
    const draft = join(workspace.root, 'src/draft.ts')
    await writeFile(draft, 'export const side = 2\n')
    const updated = new Promise(resolve => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
    })
    const read = async () => {
      const { contents } = await client.readResource({ uri }, { cacheMode: 'bypass' })
      return property(contents[0], 'text')
    }
    expect(await read()).toMatch(/^src\/draft\.ts: no diagnostics, settled/)
    if (negotiated === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    await writeFile(draft, "export const side: number = 'two'\n")
    await client.callTool({ name: 'list_symbols', arguments: { file: 'src/draft.ts' } })
    expect(await updated).toBe(uri)
    expect(await read()).toMatch(/^src\/draft\.ts: 1 error, settled/)
    await rm(draft)
  })

  test('R-99 may cancel a call, which ends at once, and go on', { timeout: 30_000 }, async () => {
    const client = await connect({ bridge: deafServer })
    const abort = new AbortController()
    const call = client.callTool(
      { name: 'list_symbols', arguments: { file: 'src/shapes.ts' } },
      { signal: abort.signal, onprogress: () => abort.abort('changed my mind') },
    )
    await expect(call).rejects.toThrow('changed my mind')
    const status = await client.callTool({ name: 'server_status' })
    expect(property(status.content[0], 'text')).toContain('deaf')
  })

  test('R-147 is told by every call what is wrong with the configuration', async () => {
    const client = await connect({ bridge: { configFile: 'missing.jsonc' } })
    expect((await client.listTools()).tools).not.toEqual([])
    const answer = await client.callTool({ name: 'server_status' })
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('missing.jsonc') }],
    })
  })

  test('R-110 is offered nothing by the governed preset', async () => {
    const client = await connect({ bridge: { preset: 'governed' } })
    expect((await client.listTools()).tools).toEqual([])
  })
})

/** A process spoken to line by line, for what a well-behaved client never does. */
class RawServer {
  static readonly running = new Set<RawServer>()
  readonly child: ChildProcess
  readonly lines: string[] = []
  readonly exited: Promise<{ code: number | null; milliseconds: number }>
  readonly #waiting = new Set<() => void>()
  stderr = ''
  #endAskedAt = performance.now()

  constructor(start: Start = {}) {
    this.child = spawn(process.execPath, commandLine(start), {
      cwd: workspace.root,
      env: environment(),
      stdio: 'pipe',
    })
    const { stdin, stdout, stderr } = this.child
    if (!stdin || !stdout || !stderr) throw new Error('the program has no pipes')
    stdin.on('error', () => {})
    createInterface({ input: stdout }).on('line', line => {
      this.lines.push(line)
      for (const look of this.#waiting) look()
    })
    stderr.on('data', chunk => {
      this.stderr += String(chunk)
      for (const look of this.#waiting) look()
    })
    RawServer.running.add(this)
    this.exited = once(this.child, 'exit').then(([code]) => ({
      code: typeof code === 'number' ? code : null,
      milliseconds: performance.now() - this.#endAskedAt,
    }))
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  write(line: string): void {
    this.child.stdin?.write(`${line}\n`)
  }

  send(message: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  /** The answer to the request with this id. */
  async answer(id: number): Promise<unknown> {
    const found = () => this.lines.map(parse).find(message => property(message, 'id') === id)
    await this.until(() => found() !== undefined)
    return found()
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise(resolve => {
      const look = () => {
        if (!holds()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  async initialize(): Promise<void> {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    }
    this.send({ id: 0, method: 'initialize', params })
    await this.answer(0)
  }

  /** A call that waits for the deaf server, once that runs. */
  async callThatWaits(id: number): Promise<void> {
    const params = {
      name: 'list_symbols',
      arguments: { file: 'src/shapes.ts' },
      _meta: { progressToken: `token ${id}` },
    }
    this.send({ id, method: 'tools/call', params })
    await this.until(() =>
      this.lines.some(line => line.includes(`token ${id}`) && /ready|indexing/.test(line)),
    )
  }

  async end(how: 'EOF' | NodeJS.Signals): Promise<{ code: number | null; milliseconds: number }> {
    this.#endAskedAt = performance.now()
    if (how === 'EOF') this.child.stdin?.end()
    else this.child.kill(how)
    return this.exited
  }
}

afterAll(() => {
  for (const { child } of RawServer.running) child.kill('SIGKILL')
})

function parse(line: string): unknown {
  return JSON.parse(line)
}

function isMessage(line: string): boolean {
  const message = parse(line)
  const isKnown = ['result', 'error', 'method'].some(key => property(message, key) !== undefined)
  return property(message, 'jsonrpc') === '2.0' && isKnown
}

describe('the written tool list', () => {
  const written = [{ name: 'from_the_build', inputSchema: { type: 'object' } }]
  const turned: [string, NonNullable<BridgeOptions['settings']>['knobs']][] = [
    ['the operations are named', { operations: ['find_references'] }],
    ['another default holds', { references_include_declaration: false }],
    ['nothing is offered without a server', { missing_server: 'hide' }],
  ]
  beforeAll(() => writeFile(join(folder, 'tool-lists.json'), JSON.stringify({ default: written })))
  afterAll(() => rm(join(folder, 'tool-lists.json')))

  test.each<[string, Start, boolean]>([
    ['is answered where it holds', {}, true],
    ['is not answered for a preset it does not know', { bridge: { preset: 'full' } }, false],
    ['is not answered with schemas of the answers', { structured: true }, false],
    [
      'is not answered for another preset of the configuration',
      { bridge: { settings: { preset: 'full' } } },
      false,
    ],
    ['is answered for a preset given by flag', { bridge: { preset: 'default' } }, true],
    ...turned.map(([what, knobs]): [string, Start, boolean] => [
      `is not answered where ${what}, also when a flag names the preset`,
      { bridge: { preset: 'default', settings: { knobs } } },
      false,
    ]),
  ])('R-110 %s', async (_, start, isWritten) => {
    const server = new RawServer(start)
    await server.initialize()
    server.send({ id: 1, method: 'tools/list' })
    const tools = property(property(await server.answer(1), 'result'), 'tools')
    if (isWritten) expect(tools).toEqual(written)
    else expect(tools).not.toEqual(written)
    await server.end('EOF')
  })
})

test('R-41 an agent that is not enabled is offered nothing, also when a flag names the preset', async () => {
  const configFile = join(folder, 'agents.yaml')
  await writeFile(configFile, 'agents:\n  - id: coder\n    lsp:\n      enabled: false\n')
  await writeFile(join(folder, 'tool-lists.json'), JSON.stringify(await toolLists()))
  const server = new RawServer({ bridge: { preset: 'default', agent: 'coder', configFile } })
  await server.initialize()
  server.send({ id: 1, method: 'tools/list' })
  expect(property(property(await server.answer(1), 'result'), 'tools')).toEqual([])
  await server.end('EOF')
  await rm(join(folder, 'tool-lists.json'))
})

describe('stdout', () => {
  test('O10 carries messages and nothing else, whatever is printed or sent', async () => {
    const server = new RawServer({ misbehaviour: 'print' })
    await server.initialize()
    server.child.kill('SIGUSR2')
    await server.until(() => server.stderr.includes('a stray line'))
    const call = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.integer({ min: 1000 }),
      method: fc.constantFrom('tools/call', 'tools/list', 'ping', 'no/such'),
      params: fc.oneof(
        fc.record({ name: fc.constantFrom('server_status', 'find_symbol', 'x'), arguments: fc.jsonValue() }),
        fc.jsonValue(),
      ),
    })
    const line = fc.oneof(
      call.map(message => JSON.stringify(message)),
      fc.json(),
      fc.string(),
    )
    for (const sent of fc.sample(line, 200)) server.write(sent.replace(/[\r\n]/g, ' '))
    server.send({ id: 1, method: 'tools/list' })
    expect(property(await server.answer(1), 'result')).toBeDefined()
    await server.end('EOF')
    expect(server.lines.filter(text => !isMessage(text))).toEqual([])
  })

  test('R-99 says nothing more about a request that was cancelled, and the next one is answered', {
    timeout: 30_000,
  }, async () => {
    const server = new RawServer({ bridge: deafServer })
    await server.initialize()
    await server.callThatWaits(7)
    server.send({ method: 'notifications/cancelled', params: { requestId: 7 } })
    const told = () => server.lines.filter(line => line.includes('token 7') || line.includes('"id":7'))
    server.send({ id: 8, method: 'tools/call', params: { name: 'server_status' } })
    await server.answer(8)
    const before = told()
    // What the deaf server goes through as it is stopped would be progress of the cancelled call.
    await server.end('EOF')
    expect(told()).toEqual(before)
    expect(before.some(line => line.includes('"id":7'))).toBe(false)
  })
})

describe('the end', () => {
  test.each([
    ['EOF', 0],
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)(
    'M05 M06 %s ends the process and a server that will not listen, in time',
    { timeout: 30_000 },
    async (how, code) => {
      const server = new RawServer({ bridge: deafServer })
      await server.initialize()
      await server.callThatWaits(1)
      expect(carrying('ALIDADE_OWNER', `${server.pid}/`).length).toBeGreaterThan(0)
      const exit = await server.end(how)
      expect(exit.code).toBe(code)
      expect(exit.milliseconds).toBeLessThan(10_000)
      expect(await survivorsWithin(5000, () => carrying('ALIDADE_OWNER', `${server.pid}/`))).toEqual([])
    },
  )

  test('M06 EOF before anything was said is an orderly end', async () => {
    expect(await new RawServer().end('EOF')).toMatchObject({ code: 0 })
  })

  test('M17 a fault is told once, and the servers end with us', { timeout: 30_000 }, async () => {
    const server = new RawServer({ bridge: deafServer, misbehaviour: 'throw' })
    await server.initialize()
    await server.callThatWaits(1)
    const { code } = await server.end('SIGUSR2')
    expect(code).toBe(1)
    expect(server.stderr.split('a planted fault')).toHaveLength(2)
    expect(await survivorsWithin(5000, () => carrying('ALIDADE_OWNER', `${server.pid}/`))).toEqual([])
  })

  test('M07 M17 a client that reads neither stdout nor stderr any more cannot make a fault spin', async () => {
    const server = new RawServer({ misbehaviour: 'throw' })
    await server.initialize()
    server.child.stderr?.destroy()
    server.child.stdout?.destroy()
    expect(await server.end('SIGUSR2')).toMatchObject({ code: 1 })
  })
})
