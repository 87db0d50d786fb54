// Sixty-four questions at once, of every kind, about as many symbols: every answer belongs to its question, and is the
// one that would have been given to it alone.
import { Client, InMemoryTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TemporaryWorkspace, temporaryWorkspace } from '../../../test/fixture/index.js'
import { type BridgeCore, openBridge } from '../../bridge.js'
import { systemClock } from '../../clock.js'
import { property } from '../../json.js'
import { createConnection } from './connection.js'
import { createResources } from './resources.js'
import { Subscriptions } from './subscriptions.js'
import { createToolbox } from './toolbox.js'

const count = 64

/** Each file differs from the others in everything that an answer may say. */
function files(): ReadonlyMap<string, string> {
  const written = new Map([
    ['tsconfig.json', '{ "compilerOptions": { "strict": true, "module": "nodenext" } }'],
  ])
  for (let index = 0; index < count; index += 1) {
    const uses = Array.from(
      { length: (index % 7) + 1 },
      (_, use) => `export const use${use} = shape${index}(${use})`,
    )
    const wrong = index % 2 === 0 ? [`export const wrong: string = shape${index}(${index})`] : []
    const text = [
      ...Array.from({ length: index % 5 }, () => ''),
      `/** Number ${index}. */`,
      `export function shape${index}(side: number): number {`,
      `  return side * ${index}`,
      '}',
      ...uses,
      ...wrong,
    ]
    written.set(`src/file${index}.ts`, `${text.join('\n')}\n`)
  }
  return written
}

interface Question {
  readonly name: string
  readonly arguments: Record<string, unknown>
  /** What the answer to this question alone names. */
  readonly names: RegExp
}

function question(index: number): Question {
  const file = `src/file${index}.ts`
  const symbol = `shape${index}`
  const named = new RegExp(`\\b${symbol}\\b`)
  const inFile = new RegExp(`src/file${index}\\.ts`)
  const kinds: readonly Question[] = [
    { name: 'find_references', arguments: { file, symbol }, names: named },
    { name: 'go_to_definition', arguments: { file, symbol }, names: named },
    { name: 'inspect_symbol', arguments: { file, symbol }, names: new RegExp(`Number ${index}\\.`) },
    { name: 'list_symbols', arguments: { file }, names: inFile },
    { name: 'get_diagnostics', arguments: { file }, names: inFile },
    { name: 'find_symbol', arguments: { query: symbol, limit: 1 }, names: named },
    // One that fails: its failure must not become anybody else's.
    {
      name: 'find_references',
      arguments: { file, symbol: `missing${index}` },
      names: new RegExp(`missing${index}\\b`),
    },
  ]
  const kind = kinds[index % kinds.length]
  if (kind === undefined) throw new Error('there are questions')
  return kind
}

async function serve(bridge: BridgeCore, mode: VersionNegotiationMode) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const shared = { openBridge: async () => bridge, clock: systemClock }
  const subscriptions = new Subscriptions()
  const toolbox = createToolbox({ ...shared, preset: 'full', structured: false })
  const resources = createResources({ ...shared, subscriptions, onUpdate: () => undefined })
  const options = {
    listTools: () => toolbox.list(),
    toolbox: async () => toolbox,
    resources: async () => resources,
    subscriptions,
  }
  const handle = serveStdio(() => createConnection(options), { transport: far })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(near)
  return {
    client,
    async [Symbol.asyncDispose]() {
      resources.close()
      await client.close()
      await handle.close()
    },
  }
}

async function ask(client: Client, { name, arguments: given }: Question): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: given })
  return `${isError === true ? 'error: ' : ''}${String(property(content[0], 'text'))}`
}

async function opened(workspace: TemporaryWorkspace): Promise<BridgeCore> {
  const state = workspace.path('.state')
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state }
  return openBridge({ root: workspace.root, preset: 'full', env })
}

test.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])(
  'O10 a client of %s gets each of 64 answers at once as it would get it alone',
  {
    timeout: 120_000,
  },
  async (_era, mode) => {
    const workspace = await temporaryWorkspace({ files: files() })
    const bridge = await opened(workspace)
    try {
      await using connected = await serve(bridge, mode)
      const { client } = connected
      const questions = Array.from({ length: count }, (_, index) => question(index))
      const [shuffled = []] = fc.sample(fc.shuffledSubarray(questions, { minLength: count }), 1)
      // The server is not even started yet: the first of them starts it for all.
      const together = new Map(
        await Promise.all(shuffled.map(async asked => [asked, await ask(client, asked)] as const)),
      )
      for (const asked of questions) {
        const answer = together.get(asked)
        expect(answer).toMatch(asked.names)
        expect(answer).toBe(await ask(client, asked))
      }
      expect(new Set(together.values()).size).toBe(count)
    } finally {
      await bridge.close()
      await workspace.dispose()
    }
  },
)
