// What a server is told of documents: opened before anything else, versions that only grow, the least recently used
// closed beyond the bound.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextDocumentSyncKind } from 'vscode-languageserver-protocol'
import { property } from '../json.js'
import { Documents, type DocumentsOptions } from './documents.js'

interface Sent {
  readonly method: string
  readonly uri: unknown
  readonly version: unknown
}

function documents(options: Partial<DocumentsOptions> = {}) {
  const sent: Sent[] = []
  const told: string[] = []
  const bodies: object[] = []
  const store = new Documents({
    notify: (method, params) => {
      const document = property(params, 'textDocument')
      bodies.push(params)
      sent.push({
        method: method.slice('textDocument/'.length),
        uri: property(document, 'uri'),
        version: property(document, 'version'),
      })
    },
    sync: () => TextDocumentSyncKind.Incremental,
    changeExtras: {},
    changedRange: () => undefined,
    maxOpen: 100,
    onOpened: ({ uri }) => told.push(`opened ${uri}`),
    onChanged: ({ uri }) => told.push(`changed ${uri}`),
    onClosed: uri => told.push(`closed ${uri}`),
    ...options,
  })
  const show = (uri: string, text: string) =>
    store.sync({ uri, languageId: 'fake', text, content: `sha256:${text}` })
  return { store, sent, told, bodies, show, methods: () => sent.map(({ method }) => method) }
}

test('R-100 a document is opened with its whole text and language', () => {
  const { bodies, show, told } = documents()
  const document = show('a', 'one')
  expect(bodies).toEqual([{ textDocument: { uri: 'a', languageId: 'fake', version: 1, text: 'one' } }])
  expect(document).toMatchObject({ uri: 'a', version: 1, content: 'sha256:one' })
  expect(told).toEqual(['opened a'])
})

test('R-101 the same content again is not sent, another one is a change of the whole text', () => {
  const { bodies, methods, show, told } = documents()
  const first = show('a', 'one')
  expect(show('a', 'one')).toBe(first)
  expect(methods()).toEqual(['didOpen'])
  expect(show('a', 'two')).toMatchObject({ version: 2, text: 'two' })
  expect(bodies.at(-1)).toEqual({
    textDocument: { uri: 'a', version: 2 },
    contentChanges: [{ text: 'two' }],
  })
  expect(told).toEqual(['opened a', 'changed a'])
})

test('R-101 a server that misreads a whole text gets the range of the old one with it', () => {
  const { bodies, show } = documents({ changedRange: () => 'utf-8' })
  const texts = ['one\ntwo\nthr\u00e9e', 'one\r\n', '', 'a']
  for (const text of texts) show('a', text)
  const start = { line: 0, character: 0 }
  expect(bodies.slice(1)).toMatchObject([
    { contentChanges: [{ range: { start, end: { line: 2, character: 6 } }, text: 'one\r\n' }] },
    { contentChanges: [{ range: { start, end: { line: 1, character: 0 } }, text: '' }] },
    { contentChanges: [{ range: { start, end: start }, text: 'a' }] },
  ])
})

test('W13 a content that reads alike but is not the same is a change', () => {
  const { store, methods } = documents()
  const document = { uri: 'a', languageId: 'fake', text: 'one' }
  store.sync({ ...document, content: 'sha256:utf-8' })
  store.sync({ ...document, content: 'sha256:utf-8 with a mark' })
  expect(methods()).toEqual(['didOpen', 'didChange'])
})

test('D02 a server that must look again gets the same text under a new version', () => {
  const { store, bodies, show } = documents({ changeExtras: { forceRebuild: true } })
  show('a', 'one')
  store.touch('a')
  expect(bodies.at(-1)).toEqual({
    textDocument: { uri: 'a', version: 2 },
    contentChanges: [{ text: 'one' }],
    forceRebuild: true,
  })
  store.touch('never opened')
  expect(bodies).toHaveLength(2)
})

describe.each([
  [TextDocumentSyncKind.None],
  [{ openClose: true, change: TextDocumentSyncKind.None }],
] as const)('a server that takes no changes (%j)', sync => {
  test('R-101 gets a new text by a new opening, under a higher version', () => {
    const { sent, show, store } = documents({ sync: () => sync })
    show('a', 'one')
    const document = show('a', 'two')
    expect(sent.map(({ method }) => method)).toEqual(['didOpen', 'didClose', 'didOpen'])
    expect(sent.at(-1)?.version).toBe(document.version)
    expect(document.version).toBeGreaterThan(1)
    expect(store.all()).toEqual([document])
  })
})

test.each([[undefined], [TextDocumentSyncKind.Full], [{ openClose: true }]] as const)(
  'R-98 a server that says %j of synchronisation gets changes of the whole text',
  sync => {
    const { methods, show } = documents({ sync: () => sync })
    show('a', 'one')
    show('a', 'two')
    expect(methods()).toEqual(['didOpen', 'didChange'])
  },
)

test('C20 beyond the bound the least recently used is closed, and use is what counts', () => {
  const { store, sent, show } = documents({ maxOpen: 2 })
  show('a', 'one')
  show('b', 'one')
  show('a', 'one')
  show('c', 'one')
  expect(sent.filter(({ method }) => method === 'didClose').map(({ uri }) => uri)).toEqual(['b'])
  show('a', 'two')
  show('b', 'one')
  expect(store.all().map(({ uri }) => uri)).toEqual(['a', 'b'])
})

test('C20 what is not open is not closed', () => {
  const { store, sent, told } = documents()
  store.close('a')
  expect(sent).toEqual([])
  expect(told).toEqual([])
})

test('C20, R-101 whatever is done, a server hears a sound story', () => {
  const uri = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const step = fc.oneof(
    fc.record({ act: fc.constant('show' as const), uri, text: fc.constantFrom('one', 'two', 'three') }),
    fc.record({ act: fc.constant('close' as const), uri }),
    fc.record({ act: fc.constant('touch' as const), uri }),
  )
  const sync = fc.constantFrom(TextDocumentSyncKind.None, TextDocumentSyncKind.Full)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), sync, (steps, kind) => {
      const { store, sent, show } = documents({ maxOpen: 3, sync: () => kind })
      for (const did of steps) {
        if (did.act === 'show') {
          expect(show(did.uri, did.text)).toMatchObject({ uri: did.uri, text: did.text })
          expect(store.get(did.uri)?.text).toBe(did.text)
        } else if (did.act === 'close') store.close(did.uri)
        else store.touch(did.uri)
        expect(store.all().length).toBeLessThanOrEqual(3)
      }
      const open = new Set<unknown>()
      let lastVersion = 0
      for (const { method, uri: about, version } of sent) {
        expect(open.has(about)).toBe(method !== 'didOpen')
        if (method === 'didClose') open.delete(about)
        else {
          open.add(about)
          // Over all documents, and over closing and opening again.
          expect(version).toBeGreaterThan(lastVersion)
          lastVersion = Number(version)
        }
        if (kind === TextDocumentSyncKind.None) expect(method).not.toBe('didChange')
      }
      expect([...open].sort()).toEqual(
        store
          .all()
          .map(document => document.uri)
          .sort(),
      )
    }),
  )
})

test('C20 what is held stays, however many hold it, until the last lets go', () => {
  const { store, show } = documents({ maxOpen: 2 })
  show('a', '')
  const letGo = [store.hold('a'), store.hold('a')]
  for (const uri of ['b', 'c', 'd']) show(uri, '')
  expect(store.all().map(({ uri }) => uri)).toEqual(['a', 'd'])
  letGo[0]?.()
  letGo[0]?.()
  show('e', '')
  expect(store.get('a')).toBeDefined()
  letGo[1]?.()
  show('f', '')
  expect(store.get('a')).toBeUndefined()
})
