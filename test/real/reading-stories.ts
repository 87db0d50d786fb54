// The questions that change nothing, beyond the first few: each operation asked once of the real server, and its answer
// compared with what the story says.
import { expect } from 'vitest'
import { shortPlace } from './questions.js'
import type { Story } from './story.js'
import type { Opened, Telling } from './telling.js'

export function tellOfReading(telling: Telling, opened: Opened): void {
  tellOfUses(telling, opened)
  tellOfTypes(telling, opened)
  tellOfArguments(telling, opened)
  tellOfStructure(telling, opened)
}

function tellOfUses({ story, judge, placesCallersAtCalls, tell }: Telling, opened: Opened): void {
  const callerOf = ({ cursor, caller }: ReturnType<typeof placesOf>) =>
    placed(placesCallersAtCalls ? cursor : caller)

  tell('explore', async () => {
    const { cursor, greeting } = placesOf(story)
    const caller = callerOf(placesOf(story))
    const { result } = judge.accept('explore_symbol', await opened().bridge.exploreSymbol(cursor))
    expect(result).toMatchObject({
      symbol: expect.stringContaining(story.method.name),
      signature: expect.stringMatching(story.method.signature),
      source: expect.stringContaining(story.method.name),
      references: 1,
      files: [{ file: story.greeter, count: 1 }],
      callers: [caller],
    })
    expect(result.definitions.map(shortPlace)).toEqual([shortPlace(greeting)])
  })

  tell('context', async () => {
    const { bridge } = opened()
    const ask = async (file: string) => {
      const answer = await bridge.getContext({ files: [file], timeout_ms: 55_000 })
      return judge.accept('get_context', answer).result
    }
    const { items, left_out } = await ask(story.greeter)
    const definitions = items.filter(({ kind }) => kind === 'definition').map(({ text }) => text)
    expect(definitions).toContainEqual(
      expect.stringMatching(new RegExp(`^${story.person}:\\d+ .*${story.type}`)),
    )
    expect(left_out).toEqual([])
    const used = (await ask(story.person)).items.filter(({ kind }) => kind === 'usage')
    expect(used.map(({ text }) => text).join('\n')).toContain(story.greeter)
  })

  tell('callers', async () => {
    const { cursor, caller, greeting } = placesOf(story)
    const { bridge } = opened()
    const calling = await bridge.findCallers({ ...placed(greeting), direction: 'both' })
    const { incoming } = judge.offered('find_callers', calling)?.result ?? { incoming: undefined }
    if (incoming === undefined) return
    expect(incoming).toMatchObject([callerOf(placesOf(story))])
    expect(incoming.flatMap(({ calls }) => calls)).toMatchObject([{ file: cursor.file, line: cursor.line }])
    const called = await bridge.findCallers({ ...placed(caller), direction: 'outgoing' })
    const { outgoing } = judge.accept('find_callers', called).result
    expect(outgoing.map(shortPlace)).toContain(shortPlace(greeting))
  })

  tell('reach', async () => {
    const { cursor, greeting } = placesOf(story)
    const answer = await opened().bridge.blastRadius({ files: [story.person] })
    const { symbols, files } = judge.accept('blast_radius', answer).result
    expect(files).toContain(story.greeter)
    const method = symbols.find(({ line, column }) => line === greeting.line && column === greeting.column)
    expect(method).toMatchObject({ references: 1, users: [{ file: story.greeter, line: cursor.line }] })
  })

  tell('highlights', async () => {
    const { cursor } = placesOf(story)
    const { file, line } = cursor
    const answer = await opened().bridge.getDocumentHighlights({ file, line, symbol: 'person' })
    const result = judge.offered('get_document_highlights', answer)?.result
    // gopls also marks the results of the function.
    const expected = story.fixture.ranges('parameter').map(shortPlace)
    if (result !== undefined)
      expect(result.highlights.map(shortPlace)).toEqual(expect.arrayContaining(expected))
  })
}

function tellOfTypes({ story, judge, tell }: Telling, opened: Opened): void {
  tell('typeDefinition', async () => {
    const { cursor, type } = placesOf(story)
    const { file, line } = cursor
    const answer = await opened().bridge.goToTypeDefinition({ file, line, symbol: 'person' })
    const result = judge.offered('go_to_type_definition', answer)?.result
    if (result !== undefined) expect(result.places.map(shortPlace)).toEqual([shortPlace(type)])
  })

  tell('implementation', async () => {
    const { base } = placesOf(story)
    const answer = await opened().bridge.goToImplementation(placed(base))
    const result = judge.offered('go_to_implementation', answer)?.result
    // basedpyright and ty name the base itself, too.
    const expected = story.fixture.ranges('implementation').map(shortPlace)
    if (result !== undefined) expect(result.places.map(shortPlace)).toEqual(expect.arrayContaining(expected))
  })

  tell('declaration', async () => {
    const { cursor, greeting } = placesOf(story)
    const answer = await opened().bridge.goToDeclaration(cursor)
    const result = judge.offered('go_to_declaration', answer)?.result
    if (result !== undefined) expect(result.places.map(shortPlace)).toEqual([shortPlace(greeting)])
  })

  tell('hierarchy', async () => {
    const { base, derived } = placesOf(story)
    const { bridge } = opened()
    const below = judge.offered('type_hierarchy', await bridge.typeHierarchy(placed(base)))
    if (below === undefined) return
    expect(below.result.subtypes.map(shortPlace)).toEqual([shortPlace(derived)])
    const above = judge.accept('type_hierarchy', await bridge.typeHierarchy(placed(derived)))
    expect(above.result.supertypes.map(shortPlace)).toContain(shortPlace(base))
  })

  tell('semanticTokens', async () => {
    const { type } = placesOf(story)
    const { file, line } = type
    const answer = await opened().bridge.getSemanticTokens({ file, line })
    const tokens = judge.offered('get_semantic_tokens', answer)?.result.tokens
    if (tokens === undefined) return
    const found = tokens.filter(({ name }) => name === story.type)
    expect(found.map(shortPlace)).toEqual([shortPlace(type)])
    expect(found).toMatchObject([{ kind: expect.stringMatching(/^(class|struct|type)$/) }])
  })
}

function tellOfArguments({ story, judge, tell }: Telling, opened: Opened): void {
  tell('signatureHelp', async () => {
    const { argument } = placesOf(story)
    const answer = await opened().bridge.getSignatureHelp(placed(argument))
    const signatures = judge.offered('get_signature_help', answer)?.result.signatures
    if (signatures === undefined) return
    const parameters = signatures.flatMap(({ parameters }) => parameters).filter(({ active }) => active)
    expect(parameters.map(({ label }) => label)).toContainEqual(expect.stringMatching(/\bname\b/))
  })

  tell('inlayHints', async () => {
    const { argument } = placesOf(story)
    const answer = await opened().bridge.getInlayHints({ file: argument.file })
    const hints = judge.offered('get_inlay_hints', answer)?.result.hints
    const { line, column } = argument
    if (hints !== undefined)
      expect(hints).toContainEqual(
        expect.objectContaining({ line, column, label: expect.stringMatching(/^name\b/) }),
      )
  })
}

function tellOfStructure({ story, judge, tell }: Telling, opened: Opened): void {
  tell('selectionRanges', async () => {
    const { cursor, caller } = placesOf(story)
    const answer = await opened().bridge.getSelectionRanges(cursor)
    const ranges = judge.offered('get_selection_ranges', answer)?.result.ranges
    if (ranges === undefined) return
    const [first] = ranges
    const last = ranges.at(-1)
    expect(first).toMatchObject({ line: cursor.line, starts: expect.stringContaining(story.method.name) })
    expect(last?.line).toBeLessThanOrEqual(caller.line)
    const outgrown = ranges.filter((range, index) => !isInside(range, ranges[index + 1] ?? range))
    expect(outgrown).toEqual([])
    expect(ranges.map(({ starts }) => starts)).toContainEqual(
      expect.stringMatching(new RegExp(`^person\\.${story.method.name}\\(\\)`)),
    )
  })

  tell('foldingRanges', async () => {
    const { type } = placesOf(story)
    const answer = await opened().bridge.getFoldingRanges({ file: story.person })
    const ranges = judge.offered('get_folding_ranges', answer)?.result.ranges
    if (ranges === undefined) return
    const [body] = ranges.filter(({ line }) => line === type.line)
    expect(body?.end_line).toBeGreaterThan(type.line)
  })

  tell('codeLenses', async () => {
    const { base } = placesOf(story)
    const answer = await opened().bridge.getCodeLenses({ file: base.file })
    const lenses = judge.offered('get_code_lenses', answer)?.result.lenses
    if (lenses !== undefined)
      expect(lenses).toContainEqual(
        expect.objectContaining({ resolved: true, label: expect.stringMatching(story.lens) }),
      )
  })
}

/** The marked places of the story, each of which it must have. */
export function placesOf(story: Story) {
  const only = (label: string, file?: string) => {
    const [range] = story.fixture.ranges(label).filter(found => file === undefined || found.file === file)
    if (range === undefined) throw new TypeError(`the story in ${story.language} marks no ${label}`)
    return range
  }
  return {
    cursor: story.fixture.cursor(),
    type: only('Person', story.person),
    greeting: only('greeting'),
    caller: only('caller'),
    base: only('base'),
    derived: only('derived'),
    argument: only('argument'),
  }
}

interface Positioned {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A mark has more fields than a question takes. */
function placed({ file, line, column }: Positioned): Positioned {
  return { file, line, column }
}

interface Extent extends Positioned {
  readonly end_line: number
  readonly end_column: number
}

function isInside(inner: Extent, outer: Extent): boolean {
  const startsLater = inner.line > outer.line || (inner.line === outer.line && inner.column >= outer.column)
  const endsSooner =
    inner.end_line < outer.end_line ||
    (inner.end_line === outer.end_line && inner.end_column <= outer.end_column)
  return startsLater && endsSooner
}
