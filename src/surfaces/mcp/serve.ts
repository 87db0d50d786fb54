// `alidade mcp`: MCP on stdin and stdout until the client closes stdin. Owns what concerns the process as a whole: that
// nothing but messages goes to stdout, and that it ends in time with every server it started.

import { Console } from 'node:console'
import { setFlagsFromString } from 'node:v8'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { BridgeOptions } from '../../bridge.js'
import { systemClock } from '../../clock.js'
import { followTools } from '../../dialects/follow-tools.js'
import { messageOf } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { createConnection } from './connection.js'
import { untilEnding } from './ending.js'
import { LazyBridge } from './lazy-bridge.js'
import type { Resources, ResourcesOptions } from './resources.js'
import { readAlong, Subscriptions } from './subscriptions.js'
import type { Toolbox } from './toolbox.js'
import { writtenTools } from './written-tools.js'

export interface ServeOptions {
  readonly bridge: BridgeOptions
  /** Answers as JSON besides the text, with schemas for it. */
  readonly structured: boolean
}

/** Everything is to be over five seconds after the client left, also on a machine that is slow just then. */
const closingMilliseconds = 3500

/** Resolves when stdin has ended and everything is closed; ends the process itself after a signal or a fault. */
export async function serveMcp({ bridge: options, structured }: ServeOptions): Promise<void> {
  keepStdoutForMessages()
  keepHeapSmall()
  const bridge = new LazyBridge(options, log)
  const subscriptions = new Subscriptions()
  let connection: Server | undefined
  let loading: Promise<Offering> | undefined
  const offering = () => {
    loading ??= loadOffering({
      bridge,
      preset: options.preset,
      structured,
      subscriptions,
      // A client that left makes the connection end; here there is nothing to do.
      onUpdate: uri => void connection?.sendResourceUpdated({ uri }).catch(() => undefined),
      onToolsChanged: () => void connection?.sendToolListChanged().catch(() => undefined),
    })
    return loading
  }
  // Once a client knows what there is, it will ask: the rest is loaded in the meantime.
  const warmUp = () => {
    void offering().catch(() => undefined)
    void bridge.open().catch(() => undefined)
  }
  const listTools = async () => {
    const tools = structured ? undefined : await writtenTools(options)
    setImmediate(warmUp)
    return tools ?? (await offering()).toolbox.list()
  }
  const transport = readAlong(new StdioServerTransport(), subscriptions)
  const handle = serveStdio(
    () => {
      connection = createConnection({
        listTools,
        toolbox: async () => (await offering()).toolbox,
        resources: async () => (await offering()).resources,
        subscriptions,
        preset: options.preset,
        noteRead: async file => (await bridge.open()).noteRead(file),
      })
      return connection
    },
    { transport, onerror: error => log(`the client: ${error.message}`) },
  )
  const ending = untilEnding(process, closeOf(transport))
  if (process.stdin.isTTY) log('this speaks MCP on stdin; it is meant to be started by an MCP client')

  const { code, fault } = await ending
  if (fault !== undefined) log(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
  // Servers that do not end in time are killed by the exit.
  const patience = systemClock.after(closingMilliseconds, () => process.exit(code))
  await handle.close()
  void loading?.then(({ resources }) => resources.close()).catch(() => undefined)
  await bridge.close().catch(error => log(messageOf(error)))
  patience.cancel()
  if (code !== 0) process.exit(code)
}

interface Offering {
  readonly toolbox: Toolbox
  readonly resources: Resources
}

interface OfferingOptions extends Pick<ResourcesOptions, 'subscriptions' | 'onUpdate'> {
  readonly bridge: LazyBridge
  readonly preset: BridgeOptions['preset']
  readonly structured: boolean
  readonly onToolsChanged: () => void
}

async function loadOffering({
  bridge,
  preset,
  structured,
  onToolsChanged,
  ...following
}: OfferingOptions): Promise<Offering> {
  const [{ createToolbox }, { createResources }, { isDynamic }] = await Promise.all([
    import('./toolbox.js'),
    import('./resources.js'),
    import('../../dialects/index.js'),
  ])
  const shared = { openBridge: () => bridge.open(), clock: systemClock }
  const resources = createResources({ ...shared, ...following })
  const onAnswer = (answer: Answer<unknown>) => resources.learn(answer)
  const toolbox = createToolbox({ ...shared, preset, structured, onAnswer })
  const follow = async () => {
    const opened = await bridge.open()
    if (isDynamic(opened.preset))
      followTools({ events: opened.events, list: () => toolbox.list(), onChange: onToolsChanged })
  }
  void follow().catch(() => undefined)
  return { resources, toolbox }
}

/** The SDK's entry has its own use for the callback; ours comes after it. */
function closeOf(transport: Transport): Promise<void> {
  return new Promise(resolve => {
    const inner = transport.onclose
    transport.onclose = () => {
      inner?.()
      resolve()
    }
  })
}

/**
 * V8 lets the space for young objects grow to 48 MB before it collects, for garbage that is mostly one answer's. Kept at
 * its first size the process needs a quarter less memory (93 MB became 74), and answers come no later.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** One stray line on stdout ends the conversation in most clients. */
function keepStdoutForMessages(): void {
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr })
  // A client that closes our stderr must not bring us down, nor make every later complaint a new error.
  process.stderr.on('error', () => undefined)
}

function log(message: string): void {
  process.stderr.write(`alidade: ${message}\n`)
}
