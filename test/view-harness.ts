// A view of a real folder whose server is a fake one that notes every message: what it is told can be read in words.

import { setMaxListeners } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setImmediate as loopTurn } from 'node:timers/promises'
import { afterEach, beforeEach } from 'vitest'
import { type Clock, systemClock } from '../src/clock.js'
import { property } from '../src/json.js'
import type { ServerDefinition } from '../src/servers/definition.js'
import { uriToPath } from '../src/text/uri.js'
import { FileTable } from '../src/workspace/file-table.js'
import { createPathGate, type PathGate } from '../src/workspace/path-gate.js'
import { SessionView, type SessionViewOptions } from '../src/workspace/session-view.js'
import { readSource } from '../src/workspace/source-file.js'
import { type ClientHarness, clientHarness, neverAborted } from './client-harness.js'
import { fakeDefinition } from './fake-definition.js'
import type { Script } from './fake-server/index.js'
import type { VirtualClock } from './virtual-clock.js'

// Nothing is fresh for it, so that nothing is told twice.
const later: Clock = { ...systemClock, now: () => 0, date: () => new Date(Date.now() + 60_000) }
export const wait = { signal: neverAborted(), milliseconds: 10_000 }
setMaxListeners(0, wait.signal)

export interface OpenedOptions {
  readonly startedAt?: number
  readonly maxOpenDocuments?: number
  /** The view waits on the clock of its client, which moves by hand. */
  readonly waitsByHand?: boolean
}

export interface OpenedView extends Pick<ClientHarness, 'client' | 'server' | 'clock'> {
  readonly view: SessionView
  open(file: string): ReturnType<SessionView['open']>
  /** Everything about files that the server was told so far. */
  told(): Promise<string[]>
}

/** A new folder with two files for each test. */
export class ViewFolder {
  root = ''
  #gate: PathGate | undefined
  #table: FileTable | undefined

  constructor() {
    beforeEach(async () => {
      this.root = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-view-')))
      this.#gate = createPathGate(this.root)
      this.put('main.fake', 'def area\n')
      this.put('other.fake', 'use area\n')
      await this.watch({
        isInteresting: name => /\.(fake|toml|md)$/i.test(name),
        useWatcher: true,
        maxFiles: 1000,
      })
    })
    afterEach(() => {
      this.#table?.close()
      rmSync(this.root, { recursive: true, force: true })
    })
  }

  get gate(): PathGate {
    if (this.#gate === undefined) throw new Error('there is a folder only during a test')
    return this.#gate
  }

  get table(): FileTable {
    if (this.#table === undefined) throw new Error('there is a table only during a test')
    return this.#table
  }

  /** From now on the files are seen in this way. */
  async watch(how: {
    isInteresting: (name: string) => boolean
    useWatcher: boolean
    maxFiles: number
  }): Promise<void> {
    this.#table?.close()
    this.#table = new FileTable({ root: this.root, clock: later, sweepMilliseconds: 1000, ...how })
    await this.#table.scan()
  }

  put(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true })
    writeFileSync(join(this.root, file), text)
  }

  remove(file: string): void {
    rmSync(join(this.root, file))
  }

  uriOf(file: string): string {
    return `file://${join(this.root, file)}`
  }

  read(file: string) {
    return readSource(this.gate, file)
  }

  async opened(
    definition: Partial<ServerDefinition> = {},
    { startedAt, maxOpenDocuments = 500, waitsByHand = false }: OpenedOptions = {},
    script: Script = {},
  ): Promise<OpenedView> {
    const whole = fakeDefinition(definition)
    const { readiness, diagnostics } = whole
    const { client, server, clock, initialize } = clientHarness(
      { diagnostics: 'push-versioned', ...script },
      { maxOpenDocuments, readiness, diagnostics },
    )
    await initialize()
    const session: SessionViewOptions['session'] = {
      client,
      candidate: {
        definition: whole,
        how: 'made for the test',
        command: 'fake',
        args: [],
        environment: {},
        endpoint: undefined,
        settings: {},
        initializationOptions: {},
        version: undefined,
        limitedCosts: undefined,
      },
      root: this.root,
      startedAt: startedAt ?? Date.now() + 60_000,
      ended: new Promise(() => undefined),
      memoryBytes: () => undefined,
      stop: async () => undefined,
      kill: () => undefined,
    }
    const { table, gate } = this
    const view = new SessionView({ table, gate, session, ...(waitsByHand ? { clock } : {}) })
    return {
      view,
      client,
      server,
      clock,
      open: file => view.open(this.read(file), 'fake', wait),
      told: async () => {
        await settled(clock)
        return server.log.flatMap(({ method, params }) => this.#describe(method, params))
      },
    }
  }

  /** A message that tells of files, in words. */
  #describe(method: unknown, params: unknown): string[] {
    const document = property(params, 'textDocument')
    const file = this.#nameOf(property(document, 'uri'))
    const version = property(document, 'version')
    switch (method) {
      case 'workspace/didChangeWatchedFiles': {
        const changes = listOf(property(params, 'changes'))
        const told = changes.map(
          change => `${property(change, 'type')} ${this.#nameOf(property(change, 'uri'))}`,
        )
        return [`changed files: ${told.sort().join(', ')}`]
      }
      case 'textDocument/didOpen':
        return [`open ${file} ${version}: ${String(property(document, 'text')).trimEnd()}`]
      case 'textDocument/didChange': {
        const [change] = listOf(property(params, 'contentChanges'))
        return [`change ${file} ${version}: ${String(property(change, 'text')).trimEnd()}`]
      }
      case 'textDocument/didClose':
        return [`close ${file}`]
      default:
        return []
    }
  }

  #nameOf(uri: unknown): string {
    return relative(this.root, uriToPath(String(uri)) ?? '')
  }
}

/** Real turns of the loop for the file system's events, and everything that needs no time on the clock of the client. */
export async function settled(clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await loopTurn()
  await clock.advance(0)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
