// Every request a server may send has an answer, at once, and none of them opens or writes anything.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerServerRequest, type ServerRequestHandling } from './server-requests.js'

function handling(settings: Readonly<Record<string, unknown>> = {}, collects = false) {
  const log: unknown[] = []
  const handlers: ServerRequestHandling = {
    settings,
    unsetConfiguration: null,
    workspaceFolders: [{ uri: 'file:///workspace', name: 'workspace' }],
    register: registrations => log.push(['register', registrations]),
    unregister: registrations => log.push(['unregister', registrations]),
    createProgress: token => log.push(['progress', token]),
    refreshDiagnostics: () => log.push('refresh'),
    refused: method => log.push(['refused', method]),
    offerEdit: edit => {
      if (collects) log.push(['edit', edit])
      return collects
    },
  }
  return {
    log,
    ask: (method: string, params?: unknown) => answerServerRequest(method, params, handlers)?.result,
    known: (method: string) => answerServerRequest(method, {}, handlers) !== undefined,
  }
}

const settings = { fake: { size: 3, deep: { er: 'yes' }, off: false, none: null }, 'fake.dotted.name': 1 }

test.each([
  ['fake', settings.fake],
  ['fake.size', 3],
  ['fake.deep.er', 'yes'],
  ['fake.off', false],
  ['fake.dotted.name', 1],
  ['', settings],
  [undefined, settings],
  ['fake.none', null],
  ['fake.size.more', null],
  ['other', null],
  ['fake.constructor', null],
  ['__proto__', null],
  ['toString', null],
])('R-86, P29 the section %j is %j', (section, expected) => {
  expect(handling(settings).ask('workspace/configuration', { items: [{ section }] })).toEqual([expected])
})

test('R-86 there is one answer for each item, whatever the items are', () => {
  const anything = fc.oneof(fc.record({ section: fc.string() }), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(anything), items => {
      expect(handling(settings).ask('workspace/configuration', { items })).toHaveLength(items.length)
    }),
  )
})

test('R-90, C7 registrations are noted, and broken ones left out', () => {
  const { ask, log } = handling()
  const sound = { id: '1', method: 'textDocument/hover' }
  expect(ask('client/registerCapability', { registrations: [sound, { id: 2 }, null] })).toBeNull()
  // The misspelling is the protocol's own.
  expect(ask('client/unregisterCapability', { unregisterations: [sound, 'x'] })).toBeNull()
  expect(ask('client/registerCapability', undefined)).toBeNull()
  expect(log).toEqual([
    ['register', [sound]],
    ['unregister', [sound]],
    ['register', []],
  ])
})

test('R-87 a progress token is known before the answer goes out', () => {
  const { ask, log } = handling()
  for (const token of ['index', 7]) expect(ask('window/workDoneProgress/create', { token })).toBeNull()
  expect(ask('window/workDoneProgress/create', { token: {} })).toBeNull()
  expect(log).toEqual([
    ['progress', 'index'],
    ['progress', 7],
  ])
})

test('P24, P25 what would write, open or ask the user is refused, and said to be', () => {
  const { ask, log } = handling()
  expect(ask('workspace/applyEdit', { edit: {} })).toMatchObject({
    applied: false,
    failureReason: expect.any(String),
  })
  expect(ask('window/showDocument', { uri: 'https://example.invalid' })).toEqual({ success: false })
  expect(ask('window/showMessageRequest', { actions: [{ title: 'Yes' }] })).toBeNull()
  expect(log).toEqual([
    ['refused', 'workspace/applyEdit'],
    ['refused', 'window/showDocument'],
  ])
})

test('P24 an edit somebody waits for is handed over and refused all the same', () => {
  const { ask, log } = handling({}, true)
  expect(ask('workspace/applyEdit', { edit: { changes: {} } })).toMatchObject({ applied: false })
  expect(log).toEqual([['edit', { changes: {} }]])
})

test('R-74 the folders are told, a wish for a refresh is heard', () => {
  const { ask, log } = handling()
  expect(ask('workspace/workspaceFolders')).toEqual([{ uri: 'file:///workspace', name: 'workspace' }])
  for (const what of ['codeLens', 'semanticTokens', 'inlayHint', 'inlineValue', 'foldingRange']) {
    expect(ask(`workspace/${what}/refresh`)).toBeNull()
  }
  expect(ask('workspace/diagnostic/refresh')).toBeNull()
  expect(log).toEqual(['refresh'])
})

test('R-91, P26 what is not known is left to the rule of the preset', () => {
  const { known, log } = handling()
  for (const method of ['fake/unknown', 'textDocument/hover', 'shutdown', 'constructor']) {
    expect(known(method)).toBe(false)
  }
  expect(log).toEqual([])
})

test('R-91 no params, however broken, keep an answer from being given', () => {
  const method = fc.constantFrom(
    'workspace/configuration',
    'client/registerCapability',
    'client/unregisterCapability',
    'window/workDoneProgress/create',
    'workspace/applyEdit',
    'window/showDocument',
  )
  fc.assert(
    fc.property(method, fc.jsonValue(), (name, params) => {
      expect(handling().ask(name, params)).not.toBeUndefined()
    }),
  )
})
