import { describe, expect, it } from 'vitest'
import { parseCodeActions, parsePrepareRename, parseTextEdits, parseWorkspaceEdit } from './edit-results.js'

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 6 } }
const edit = { range, newText: 'size' }
const malformed = expect.objectContaining({ kind: 'ServerError' })

describe('R-109 a workspace edit', () => {
  it('R-109 by document', () => {
    expect(parseWorkspaceEdit({ changes: { 'file:///a': [edit], 'file:///b': [] } })).toEqual({
      changes: [
        { kind: 'edit', uri: 'file:///a', version: undefined, edits: [edit] },
        { kind: 'edit', uri: 'file:///b', version: undefined, edits: [] },
      ],
    })
  })

  it('R-109 as a list in order, with versions, annotations and operations on files', () => {
    const parsed = parseWorkspaceEdit({
      changes: { 'file:///ignored': [edit] },
      documentChanges: [
        {
          textDocument: { uri: 'file:///a', version: 3 },
          edits: [{ ...edit, annotationId: 'x' }],
        },
        { textDocument: { uri: 'file:///b', version: null }, edits: [] },
        { kind: 'create', uri: 'file:///c', options: { overwrite: true } },
        { kind: 'rename', oldUri: 'file:///a', newUri: 'file:///d', options: { ignoreIfExists: true } },
        { kind: 'delete', uri: 'file:///e', options: { recursive: true, ignoreIfNotExists: true } },
        { kind: 'delete', uri: 'file:///f', annotationId: 'x' },
      ],
      changeAnnotations: { x: { label: 'x' } },
    })
    expect(parsed?.changes).toEqual([
      { kind: 'edit', uri: 'file:///a', version: 3, edits: [edit] },
      { kind: 'edit', uri: 'file:///b', version: undefined, edits: [] },
      { kind: 'create', uri: 'file:///c', overwrite: true, ignoreIfExists: false },
      { kind: 'rename', from: 'file:///a', to: 'file:///d', overwrite: false, ignoreIfExists: true },
      { kind: 'delete', uri: 'file:///e', recursive: true, ignoreIfNotExists: true },
      { kind: 'delete', uri: 'file:///f', recursive: false, ignoreIfNotExists: false },
    ])
  })

  it('R-109 null is none, and an empty one changes nothing', () => {
    expect(parseWorkspaceEdit(null)).toBeUndefined()
    expect(parseWorkspaceEdit({})).toEqual({ changes: [] })
    expect(parseWorkspaceEdit({ changes: null, documentChanges: null })).toEqual({ changes: [] })
    expect(parseWorkspaceEdit({ documentChanges: [], changes: { 'file:///a': [edit] } })).toEqual({
      changes: [],
    })
  })

  it('X11 the names of documents are only names', () => {
    const parsed = parseWorkspaceEdit(JSON.parse('{"changes":{"__proto__":[]}}'))
    expect(parsed?.changes).toMatchObject([{ uri: '__proto__' }])
  })

  it.each([
    [[]],
    ['text'],
    [{ changes: [] }],
    [{ changes: { 'file:///a': edit } }],
    [{ documentChanges: {} }],
    [{ documentChanges: [null] }],
    [{ documentChanges: [{ textDocument: { uri: 1 }, edits: [] }] }],
    [{ documentChanges: [{ textDocument: { uri: 'file:///a', version: 'one' }, edits: [] }] }],
    [{ documentChanges: [{ textDocument: { uri: 'file:///a' } }] }],
    [{ documentChanges: [{ kind: 'move', uri: 'file:///a' }] }],
    [{ documentChanges: [{ kind: 'rename', oldUri: 'file:///a' }] }],
    [{ documentChanges: [{ textDocument: { uri: 'file:///a' }, edits: [{ range, snippet: {} }] }] }],
  ])('P07 is refused whole when malformed: %j', value => {
    expect(() => parseWorkspaceEdit(value)).toThrow(malformed)
  })
})

describe('R-109 text edits', () => {
  it('R-109 null is an empty list', () => {
    expect(parseTextEdits(null)).toEqual([])
    expect(parseTextEdits([edit])).toEqual([edit])
  })

  it.each([[{}], [[{ range }]], [[{ newText: 'a' }]], [[{ range: { start: 1 }, newText: 'a' }]]])(
    'P07 refuses %j',
    value => {
      expect(() => parseTextEdits(value)).toThrow(malformed)
    },
  )
})

describe('R-109 what can be renamed', () => {
  it.each([
    [null, undefined],
    [range, { kind: 'range', range, placeholder: undefined }],
    [
      { range, placeholder: 'area' },
      { kind: 'range', range, placeholder: 'area' },
    ],
    [{ defaultBehavior: true }, { kind: 'default' }],
    [{ defaultBehavior: false }, undefined],
  ])('R-109 %j', (value, expected) => {
    expect(parsePrepareRename(value)).toEqual(expected)
  })

  it.each([[{}], ['area'], [{ range: null }], [{ start: 1 }]])('P07 refuses %j', value => {
    expect(() => parsePrepareRename(value)).toThrow(malformed)
  })
})

describe('R-109 code actions', () => {
  it('R-109 with an edit, a command, both or none', () => {
    const action = {
      title: 'Import area',
      kind: 'quickfix',
      isPreferred: true,
      edit: { changes: { 'file:///a': [edit] } },
      command: { title: 'Run', command: 'run', arguments: [1] },
      data: { id: 4 },
    }
    expect(parseCodeActions([action, { title: 'Later', data: 1 }])).toEqual([
      {
        title: 'Import area',
        kind: 'quickfix',
        isPreferred: true,
        disabledReason: undefined,
        edit: { changes: [{ kind: 'edit', uri: 'file:///a', version: undefined, edits: [edit] }] },
        command: { title: 'Run', command: 'run', arguments: [1] },
        raw: action,
      },
      {
        title: 'Later',
        kind: undefined,
        isPreferred: false,
        disabledReason: undefined,
        edit: undefined,
        command: undefined,
        raw: { title: 'Later', data: 1 },
      },
    ])
  })

  it('R-109 in the older form, and disabled', () => {
    const command = { title: 'Run', command: 'run' }
    expect(parseCodeActions([command])).toMatchObject([
      { title: 'Run', edit: undefined, command: { title: 'Run', command: 'run', arguments: [] } },
    ])
    const reasons = parseCodeActions([
      { title: 'a', disabled: { reason: 'not here' } },
      { title: 'b', disabled: {} },
    ]).map(action => action.disabledReason)
    expect(reasons).toEqual(['not here', 'the server gives no reason'])
    expect(parseCodeActions(null)).toEqual([])
  })

  it.each([
    [{}],
    [[null]],
    [[{}]],
    [[{ title: 'a', command: {} }]],
    [[{ title: 'a', command: 1 }]],
    [[{ title: 'a', edit: [] }]],
  ])('P07 refuses %j', value => {
    expect(() => parseCodeActions(value)).toThrow(malformed)
  })
})
