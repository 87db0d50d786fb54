// What the client does for servers with ways of their own: one that registers too late is asked to declare at once, and
// one that parses too early is asked something in between.

import { expect, test } from 'vitest'
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { clientHarness, harnessRoot, neverAborted, watched } from '../../test/client-harness.js'
import type { Script } from '../../test/fake-server/index.js'
import { pathToUri } from '../text/uri.js'
import { clientCapabilities } from './capabilities.js'
import type { ClientOptions } from './client.js'
import type { RequestOptions } from './requests.js'

const uri = pathToUri(`${harnessRoot}/a.fake`)
const text = (version: number) => ({
  uri,
  languageId: 'fake',
  text: `def a${version}`,
  content: `${version}`,
})

test('C7 without dynamic registration nothing is offered for it but what can only be registered', () => {
  const options = { positionEncodings: ['utf-16'], experimental: {} } as const
  const offered = (dynamicRegistration: boolean) =>
    namesOf(clientCapabilities({ ...options, dynamicRegistration }), 'dynamicRegistration')
  expect(offered(false)).toEqual(['workspace.didChangeWatchedFiles'])
  expect(offered(true).length).toBeGreaterThan(20)
  expect(namesOf(clientCapabilities(options), 'dynamicRegistration')).toEqual(offered(true))
})

test('P22 a question behind a change goes out when the server has answered another one behind it', async () => {
  const slow: Script = {
    rules: [{ on: 'textDocument/hover', also: true, do: [{ act: 'delay', milliseconds: 300 }] }],
  }
  const { client, clock, methods, ask } = await opened(slow, { asksTwice: true })
  const first = ask()
  await clock.advance(299)
  expect(methods()).toEqual(['textDocument/didOpen', 'textDocument/hover'])
  await clock.advance(1)
  expect(first.outcome).toBeDefined()
  client.documents.sync(text(2))
  client.documents.sync(text(3))
  const both = [ask(), ask()]
  await clock.advance(299)
  expect(both.map(({ outcome }) => outcome)).toEqual([undefined, undefined])
  await clock.advance(1)
  expect(both.every(({ outcome }) => outcome !== undefined)).toBe(true)
  expect(methods().slice(3)).toEqual([
    ...['textDocument/didChange', 'textDocument/hover', 'textDocument/didChange', 'textDocument/hover'],
    ...['textDocument/documentSymbol', 'textDocument/documentSymbol'],
  ])
})

test('P22, R-85 a server that fails the question in between, or never answers it, is asked all the same', async () => {
  const broken: Script = {
    rules: [
      { on: 'textDocument/hover', nth: 1, do: [{ act: 'error', code: -32603, message: 'no' }] },
      { on: 'textDocument/hover', do: [{ act: 'hang' }] },
    ],
  }
  const { client, clock, ask } = await opened(broken, { asksTwice: true })
  const first = ask()
  await clock.settle()
  expect(first.outcome).toBeDefined()
  client.documents.sync(text(2))
  const second = ask()
  await clock.advance(9999)
  expect(second.outcome).toBeUndefined()
  await clock.advance(1)
  expect(second.outcome).toBeDefined()
})

test('P22, R-85, R-99 the wait for the answer in between is part of the time that is given, and ends with an abort', async () => {
  const silent: Script = { rules: [{ on: 'textDocument/hover', do: [{ act: 'hang' }] }] }
  const { clock, ask, methods } = await opened(silent, { asksTwice: true })
  const abort = new AbortController()
  const short = ask({ milliseconds: 2000 })
  const called = ask({ signal: abort.signal })
  const long = ask({ milliseconds: 12_000 })
  await clock.advance(1000)
  abort.abort()
  await clock.settle()
  expect(called.outcome).toMatchObject({ kind: 'Cancelled' })
  expect(short.outcome).toBeUndefined()
  await clock.advance(1000)
  expect(short.outcome).toMatchObject({ kind: 'RequestTimeout' })
  expect(methods()).not.toContain('textDocument/documentSymbol')
  await clock.advance(8000)
  expect(long.outcome).toBeDefined()
})

test('P22 any other server is asked at once', async () => {
  const { clock, methods, ask } = await opened({}, {})
  const asked = ask()
  await clock.settle()
  expect(asked.outcome).toBeDefined()
  expect(methods()).toEqual(['textDocument/didOpen', 'textDocument/documentSymbol'])
})

async function opened(script: Script, options: Partial<ClientOptions>) {
  const { client, clock, server, initialize } = clientHarness(script, options)
  await initialize()
  await clock.settle()
  client.documents.sync(text(1))
  const wait: RequestOptions = { signal: neverAborted(), milliseconds: 60_000 }
  return {
    client,
    clock,
    ask: (options: Partial<RequestOptions> = {}) =>
      watched(client.request(DocumentSymbolRequest, { textDocument: { uri } }, { ...wait, ...options })),
    methods: () => server.log.flatMap(({ method }) => (method?.startsWith('textDocument/') ? [method] : [])),
  }
}

/** The paths of all objects in which this is true. */
function namesOf(value: unknown, name: string, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Reflect.get(value, name) === true ? [path.join('.')] : []
  return [...own, ...Object.entries(value).flatMap(([key, part]) => namesOf(part, name, [...path, key]))]
}
