// The bare minimum of a language client, as the measure of what Alidade adds: the protocol package's own connection over
// a plain pipe, with nothing between the question and the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node'
import { URI } from 'vscode-uri'
import { property } from '../src/json.js'

export interface RawServer {
  readonly command: string
  readonly args: readonly string[]
  /** A log line before which answers are incomplete, for servers that do not block. */
  readonly readyLine?: RegExp
  readonly env?: Readonly<Record<string, string>>
  readonly initializationOptions?: unknown
  /** What it is answered when it asks for its configuration, by section. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface RawClient {
  readonly connection: ProtocolConnection
  open(file: string, languageId: string): string
  ready(): Promise<void>
  close(): void
}

export async function startRaw(server: RawServer, root: string): Promise<RawClient> {
  const child: ChildProcess = spawn(server.command, [...server.args], {
    cwd: root,
    env: { ...process.env, ...server.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (child.stdout === null || child.stdin === null) throw new Error('no pipes')
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  const { readyLine } = server
  const ready = new Promise<void>(resolve => {
    if (readyLine === undefined) resolve()
    connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      if (readyLine?.test(message)) resolve()
    })
  })
  connection.onRequest('workspace/configuration', ({ items }: { items: { section?: string }[] }) =>
    items.map(({ section = '' }) => settingOf(server.settings, section)),
  )
  connection.onRequest('client/registerCapability', () => null)
  connection.onRequest('client/unregisterCapability', () => null)
  connection.onRequest('window/workDoneProgress/create', () => null)
  connection.onRequest('workspace/diagnostic/refresh', () => null)
  connection.listen()
  const rootUri = URI.file(root).toString()
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: 'root' }],
    capabilities: { workspace: { configuration: true } },
    initializationOptions: server.initializationOptions,
  })
  await connection.sendNotification('initialized', {})
  return {
    connection,
    open(file, languageId) {
      const uri = URI.file(file).toString()
      const text = readFileSync(file, 'utf8')
      void connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version: 1, text },
      })
      return uri
    },
    ready: () => ready,
    close() {
      connection.dispose()
      child.kill('SIGKILL')
    },
  }
}

function settingOf(settings: unknown, section: string): unknown {
  const steps = section === '' ? [] : section.split('.')
  return steps.reduce<unknown>((found, step) => property(found, step), settings) ?? null
}
