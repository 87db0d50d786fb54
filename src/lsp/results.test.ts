// Every legal shape of a result becomes one of ours, and everything else a ServerError: nothing half-read passes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import {
  parseDiagnosticReport,
  parseDiagnostics,
  parseDocumentSymbols,
  parseHover,
  parseLocations,
  parseWorkspaceSymbols,
} from './results.js'

const range = (line: number, character = 0) => ({
  start: { line, character },
  end: { line, character: character + 4 },
})
const uri = 'file:///workspace/a.fake'

const parsers: Record<string, (result: unknown) => unknown> = {
  parseLocations,
  parseHover,
  parseDocumentSymbols,
  parseWorkspaceSymbols,
  parseDiagnostics,
  parseDiagnosticReport,
}

describe('locations', () => {
  const location = { uri, range: range(1) }
  const link = {
    originSelectionRange: range(9),
    targetUri: uri,
    targetRange: range(1, 2),
    targetSelectionRange: range(1),
  }

  test('P06, R-109 null is none', () => {
    expect(parseLocations(null)).toEqual([])
    expect(parseLocations([])).toEqual([])
  })

  test('P08, R-109 one, a list, links, and both mixed are the same', () => {
    for (const result of [location, [location], link, [link]])
      expect(parseLocations(result)).toEqual([location])
    expect(parseLocations([location, link])).toEqual([location, location])
  })

  test('P08 a link without a selection points at its whole target', () => {
    const { targetSelectionRange: _, ...bare } = link
    expect(parseLocations([bare])).toEqual([{ uri, range: range(1, 2) }])
  })

  test('P17 wild positions are passed on as they are; where they are shown decides about them', () => {
    const wild = { uri, range: { start: { line: -1, character: 2 ** 53 }, end: { line: 0.5, character: 0 } } }
    expect(parseLocations(wild)).toEqual([wild])
  })

  test.each([
    'a string',
    7,
    true,
    {},
    [null],
    [location, 'a string'],
    [{ uri }],
    [{ range: range(1) }],
    [{ uri: 7, range: range(1) }],
    [{ uri, range: { start: { line: 1 }, end: { line: 1, character: 1 } } }],
    [{ uri, range: { start: { line: '1', character: 0 }, end: { line: 1, character: 1 } } }],
    [{ targetUri: uri }],
    [[location]],
  ])('P07 %j is an error, and nothing of it is used', result => {
    expect(() => parseLocations(result)).toThrow(
      expect.objectContaining({
        kind: 'ServerError',
        hint: expect.stringContaining('Nothing of the answer'),
      }),
    )
  })
})

describe('hover', () => {
  const text = (contents: unknown) => parseHover({ contents })?.text

  test('P06 null is none', () => {
    expect(parseHover(null)).toBeUndefined()
  })

  test('P09, R-106 markup content says of what kind it is', () => {
    const markup = (kind: string) => parseHover({ contents: { kind, value: 'def area' }, range: range(1) })
    expect(markup('markdown')).toEqual({ text: 'def area', markdown: true, range: range(1) })
    expect(markup('plaintext')).toEqual({ text: 'def area', markdown: false, range: range(1) })
  })

  test('P09, R-106 a string, a marked string and a list of both are joined by lines', () => {
    expect(text('def area')).toBe('def area')
    expect(text({ language: 'fake', value: 'def area' })).toBe('```fake\ndef area\n```')
    expect(text([{ language: 'fake', value: 'def area' }, '', 'It is an area.'])).toBe(
      '```fake\ndef area\n```\nIt is an area.',
    )
  })

  test('P09 nothing to say is an empty text', () => {
    for (const contents of ['', [], null, undefined, ['']]) expect(text(contents)).toBe('')
    expect(parseHover({ contents: '', range: null })).toMatchObject({ range: undefined })
  })

  test.each([
    'a string',
    [],
    { contents: 7 },
    { contents: [7] },
    { contents: { kind: 'markdown' } },
    { contents: { language: 'fake' } },
    { contents: 'text', range: 'line 1' },
  ])('P07 %j is an error', result => {
    expect(() => parseHover(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
  })
})

describe('symbols', () => {
  test('P08 nested symbols keep their children and point at the name', () => {
    const method = {
      name: 'area',
      kind: 6,
      range: range(2),
      selectionRange: range(2, 6),
      detail: '(): number',
    }
    const nested = {
      name: 'Shape',
      kind: 5,
      range: range(1),
      selectionRange: range(1, 6),
      children: [method],
    }
    expect(parseDocumentSymbols([nested])).toEqual([
      {
        name: 'Shape',
        kind: 5,
        detail: undefined,
        container: undefined,
        uri: undefined,
        range: range(1),
        selection: range(1, 6),
        children: [
          expect.objectContaining({
            name: 'area',
            detail: '(): number',
            selection: range(2, 6),
            children: [],
          }),
        ],
      },
    ])
  })

  test('P08 flat symbols know their container and place', () => {
    const flat = { name: 'area', kind: 6, containerName: 'Shape', location: { uri, range: range(2) } }
    for (const parse of [parseDocumentSymbols, parseWorkspaceSymbols]) {
      expect(parse([flat])).toEqual([
        expect.objectContaining({
          name: 'area',
          container: 'Shape',
          uri,
          range: range(2),
          selection: range(2),
        }),
      ])
    }
  })

  test('P08 a workspace symbol that is not resolved has a file and no range', () => {
    expect(parseWorkspaceSymbols([{ name: 'area', kind: 6, location: { uri } }])).toEqual([
      expect.objectContaining({
        uri,
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      }),
    ])
  })

  test('P06, R-98 null is none, an unknown kind or an empty detail is tolerated', () => {
    expect(parseDocumentSymbols(null)).toEqual([])
    expect(parseWorkspaceSymbols(null)).toEqual([])
    const odd = { name: 'x', detail: '', range: range(1), selectionRange: range(1), tags: [9], future: {} }
    expect(parseDocumentSymbols([odd])).toMatchObject([{ kind: 0, detail: undefined }])
  })

  test.each([
    'a string',
    {},
    [null],
    [{ kind: 5, range: range(1), selectionRange: range(1) }],
    [{ name: 'x', kind: 5 }],
    [{ name: 'x', kind: 5, location: {} }],
    [{ name: 'x', kind: 5, range: range(1), selectionRange: range(1), children: ['y'] }],
  ])('P07 %j is an error', result => {
    expect(() => parseDocumentSymbols(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
    expect(() => parseWorkspaceSymbols(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
  })
})

describe('diagnostics', () => {
  const broken = { range: range(1), message: 'broken' }

  test('D10 severities count from 1 to 4, and whatever else is an error', () => {
    for (const severity of [1, 2, 3, 4]) {
      expect(parseDiagnostics([{ ...broken, severity }])).toMatchObject([{ severity }])
    }
    for (const severity of [undefined, null, 0, 5, 9, -1, 'error', Number.NaN]) {
      expect(parseDiagnostics([{ ...broken, severity }])).toMatchObject([{ severity: 1 }])
    }
  })

  test('D10 the same finding twice is one; another place, code or source is another', () => {
    const others = [
      broken,
      { ...broken, range: range(2) },
      { ...broken, code: 7 },
      { ...broken, source: 'x' },
    ]
    expect(parseDiagnostics([...others, broken])).toHaveLength(4)
  })

  test('P08 codes are numbers or words, messages may be markup', () => {
    const code = (value: unknown) => parseDiagnostics([{ ...broken, code: value }])[0]?.code
    expect(code(2322)).toBe('2322')
    expect(code('no-unused')).toBe('no-unused')
    expect(code(undefined)).toBeUndefined()
    const markup = { ...broken, message: { kind: 'markdown', value: '*broken*' } }
    expect(parseDiagnostics([markup])).toMatchObject([{ message: '*broken*' }])
  })

  test('D07 a full report has items, an unchanged one none', () => {
    expect(parseDiagnosticReport({ kind: 'full', items: [broken] })).toHaveLength(1)
    expect(parseDiagnosticReport({ items: [] })).toEqual([])
    expect(parseDiagnosticReport({ kind: 'unchanged', resultId: '1' })).toBeUndefined()
  })

  test.each([null, 'a string', {}, { kind: 'full' }, { kind: 'full', items: 'none' }, { items: [{}] }])(
    'P07, O9 %j is an error and not a clean report',
    result => {
      expect(() => parseDiagnosticReport(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
    },
  )

  test.each([null, undefined, 'a string', {}, [null], [{ message: 'no range' }], [{ range: range(1) }]])(
    'P07, O9 %j is an error and not an empty list',
    result => {
      expect(() => parseDiagnostics(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
    },
  )
})

test.each(Object.entries(parsers))('P07, X11 %s survives any JSON: a result or a ServerError', (_, parse) => {
  // Biased towards the words of the protocol, or nothing would get past the first look.
  const word = fc.constantFrom(
    'uri',
    'range',
    'start',
    'end',
    'line',
    'character',
    'targetUri',
    'targetRange',
    'contents',
    'kind',
    'value',
    'name',
    'location',
    'children',
    'items',
    'message',
    '__proto__',
  )
  const { json } = fc.letrec(tie => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, 0, -1, 'file:///a', 'markdown', 'unchanged'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(word, tie('json'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(json, result => {
      try {
        parse(result)
      } catch (error) {
        expect(error).toBeInstanceOf(BridgeError)
        expect(error).toMatchObject({ kind: 'ServerError', hint: expect.any(String) })
      }
    }),
    { numRuns: 500 },
  )
})
