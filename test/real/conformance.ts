// The one suite every server is held to: the questions an agent asks of a two-file project, asked through the bridge
// of the real server, with what may happen to the files in between. What a server cannot do is named with its reason.
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../src/index.js'
import { writeFixture } from '../fixture/index.js'
import { judgeFor, type KnownGap, type OperationName } from './judge.js'
import { type OpenWorkspace, openStory } from './open.js'
import type { ServerResult } from './results.js'
import { everyServerRequired, realServer } from './servers.js'
import { storyFor } from './stories.js'
import type { Breakage } from './story.js'

/** What is told of every server, in this order; the names are the tests' names. */
export const storyTitles = {
  references: 'story 9 the first question: references in both files',
  definition: 'story 1 definition in the other file',
  hover: 'story 1 signature of the method',
  outline: 'story 1 outline, whose paths work verbatim as the next symbol',
  search: 'story 1 the type is found by name alone',
  status: 'story 1 status names server, version and memory',
  end: 'story 8 close leaves no process',
  ownError: 'W08 an unannounced edit breaks the file, another mends it',
  foreignError: 'R-125 an unannounced edit of an unopened file breaks this one',
  comingAndGoing: 'R-125 references right after a file was added, and deleted',
  limited: 'S09 the limited form of an untrusted workspace answers and says so',
} as const
export type StoryName = keyof typeof storyTitles

export interface ConformanceOptions {
  /** The id of its definition. */
  readonly server: string
  readonly partial?: readonly KnownGap[]
  readonly missing?: readonly KnownGap[]
  /** In place of the story's, for a checker that does not look at types. */
  readonly ownBreakage?: Breakage
  readonly skip?: readonly { readonly reason: string; readonly stories: readonly StoryName[] }[]
  /** Called when every story was told. */
  readonly onResult?: (id: string, result: ServerResult) => void
}

const storyMilliseconds = 60_000

export function runConformance(options: ConformanceOptions): void {
  const server = realServer(options.server)
  const { definition, missing } = server
  if (missing !== undefined) {
    if (everyServerRequired) test(definition.id, () => expect.fail(`${definition.id}: ${missing}`))
    else test.skip(`${definition.id}: ${missing}`, () => {})
    return
  }
  describe(definition.id, () => tellStories(options))
}

function tellStories({ partial = [], missing = [], skip = [], ...options }: ConformanceOptions): void {
  const server = realServer(options.server)
  const { definition } = server
  const story = storyFor(definition.language)
  const judge = judgeFor({ server: definition.id, partial, missing })
  const atMethod = story.fixture.cursor()
  const references = story.fixture.ranges('Person').map(shortPlace).sort()
  const guests = story.guest.ranges('Person').map(shortPlace)
  let result: Pick<ServerResult, 'name' | 'version' | 'capabilities' | 'registered'> | undefined
  let firstAnswerMs = 0
  let told = 0

  function tell(name: StoryName, run: () => Promise<void>): void {
    const skipped = skip.find(({ stories }) => stories.includes(name))
    if (skipped !== undefined) test.skip(`${storyTitles[name]} (${skipped.reason})`, () => {})
    else test(storyTitles[name], async () => void (await run(), (told += 1)), storyMilliseconds)
  }

  async function askReferences({ bridge }: OpenWorkspace): Promise<string[]> {
    const [place] = story.fixture.ranges('Person').filter(({ file }) => file === story.greeter)
    const answer = await bridge.findReferences({ file: story.greeter, line: place?.line, symbol: story.type })
    return judge.accept('find_references', answer).result.references.map(shortPlace).sort()
  }

  async function diagnose({ bridge }: OpenWorkspace): Promise<{ errors: string[]; others: string[] }> {
    const answer = await bridge.getDiagnostics({ file: story.greeter })
    const [file] = judge.accept('get_diagnostics', answer).result.files
    expect(file).toMatchObject({ file: story.greeter, verdict: 'settled' })
    const told = (errors: boolean) =>
      (file?.diagnostics ?? [])
        .filter(({ severity }) => (severity === 'error') === errors)
        .map(({ message }) => message)
    return { errors: told(true), others: told(false) }
  }

  describe('asked', () => {
    let workspace: OpenWorkspace
    beforeAll(async () => {
      workspace = await openStory(story, { server, trusted: true })
    })
    afterAll(() => workspace[Symbol.asyncDispose]())

    tell('references', async () => {
      const startedAt = performance.now()
      expect(await askReferences(workspace)).toEqual(references)
      firstAnswerMs = Math.round(performance.now() - startedAt)
    })

    tell('definition', async () => {
      const { file, line, column } = atMethod
      const answer = await workspace.bridge.goToDefinition({ file, line, column })
      const { places } = judge.accept('go_to_definition', answer).result
      expect(places.map(shortPlace)).toEqual(story.fixture.ranges('greeting').map(shortPlace))
    })

    tell('hover', async () => {
      const { file, line, column } = atMethod
      const answer = await workspace.bridge.inspectSymbol({ file, line, column })
      expect(judge.accept('inspect_symbol', answer).result.signature).toMatch(story.method.signature)
    })

    tell('outline', async () => {
      const answer = await workspace.bridge.listSymbols({ file: story.person })
      const listed = judge.accept('list_symbols', answer).result.symbols.flatMap(withChildren)
      const [type] = story.fixture.ranges('Person').filter(({ file }) => file === story.person)
      const [method] = story.fixture.ranges('greeting')
      const paths = [
        ...[type, method].map(range => listed.find(({ line }) => line === range?.line)?.path ?? 'not listed'),
        story.method.path,
      ]
      const found: string[] = []
      for (const symbol of paths) {
        const asked = await workspace.bridge.inspectSymbol({ file: story.person, symbol })
        const { target } = judge.accept('inspect_symbol', asked)
        found.push(`${target?.line}:${target?.column}`)
      }
      expect(found).toEqual([type, method, method].map(range => `${range?.line}:${range?.column}`))
    })

    tell('search', async () => {
      const answer = await workspace.bridge.findSymbol({ query: story.type })
      if (judge.lacks('find_symbol')) return judge.acceptLack('find_symbol', answer)
      const [first] = judge.accept('find_symbol', answer).result.symbols
      const [type] = story.fixture.ranges('Person').filter(({ file }) => file === story.person)
      expect(first).toMatchObject({ name: story.type, file: story.person, line: type?.line })
      // The path of one answer is the symbol of the next question.
      const asked = await workspace.bridge.findReferences({ file: first?.file, symbol: first?.path })
      expect(judge.accept('find_references', asked).target).toMatchObject({ line: type?.line, column: type?.column })
    })

    tell('status', async () => {
      const answer = await workspace.bridge.serverStatus({})
      const { servers, languages } = judge.accept('server_status', answer).result
      const [status] = servers
      const { id, language } = definition
      expect(servers).toHaveLength(1)
      expect(languages).toMatchObject([{ language }])
      expect(status).toMatchObject({ id, language, state: 'ready', restarts: 0, root: '.' })
      expect(status?.version).toMatch(/^v?\d+\.\d+\S*$/)
      expect(status?.memory_mb).toBeGreaterThan(5)
      if (status !== undefined) {
        const { name, version } = status
        const { traffic } = workspace
        result = { name, version, capabilities: traffic.declared(), registered: traffic.registered() }
      }
    })

    tell('end', async () => {
      expect(workspace.processes().length).toBeGreaterThan(0)
      await workspace.bridge.close()
      expect(workspace.processes()).toEqual([])
    })
  })

  describe('while files change', () => {
    let workspace: OpenWorkspace
    const methods = new Set<string>()
    beforeAll(async () => {
      workspace = await openStory(story, { server, trusted: true })
      workspace.bridge.events.subscribe(event => {
        if (event.type === 'request.started') methods.add(event.method)
      })
    })
    afterAll(async () => {
      await workspace[Symbol.asyncDispose]()
      const stories = Object.keys(storyTitles).length - skip.flatMap(({ stories }) => stories).length
      if (result === undefined || told < stories - 1) return
      options.onResult?.(definition.id, {
        ...result,
        language: definition.language,
        first_answer_ms: firstAnswerMs,
        diagnostics: methods.has('textDocument/diagnostic')
          ? 'pulled'
          : methods.has('workspace/executeCommand')
            ? 'own request'
            : 'pushed',
        operations: Object.fromEntries(judge.outcomes),
      })
    })

    tell('ownError', async () => {
      const breakage = options.ownBreakage ?? story.ownBreakage
      expect(await diagnose(workspace)).toEqual({ errors: [], others: [] })
      const mend = await workspace.edit(breakage)
      expect((await diagnose(workspace)).errors).toEqual([expect.stringMatching(breakage.complaint)])
      await mend()
      expect(await diagnose(workspace)).toEqual({ errors: [], others: [] })
    })

    tell('foreignError', async () => {
      const breakage = story.foreignBreakage
      expect(await diagnose(workspace)).toEqual({ errors: [], others: [] })
      const mend = await workspace.edit(breakage)
      expect((await diagnose(workspace)).errors).toEqual([expect.stringMatching(breakage.complaint)])
      await mend()
      expect(await diagnose(workspace)).toEqual({ errors: [], others: [] })
    })

    tell('comingAndGoing', async () => {
      expect(await askReferences(workspace)).toEqual(references)
      for (let round = 0; round < 3; round += 1) {
        await writeFixture(story.guest, workspace.root)
        expect(await askReferences(workspace)).toEqual([...references, ...guests].sort())
        for (const file of story.guest.files.keys()) await rm(workspace.path(dirname(file)), { recursive: true })
        expect(await askReferences(workspace)).toEqual(references)
      }
    })
  })

  tell('limited', async () => {
    await using workspace = await openStory(story, { server, trusted: false })
    const { file, line, column } = atMethod
    const answer = await workspace.bridge.goToDefinition({ file, line, column })
    const { limited } = definition
    if (limited.kind === 'refused') {
      expect(answer).toMatchObject({ ok: false, kind: 'NotTrusted', hint: expect.stringContaining('trust') })
      return
    }
    if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
    expect(answer.result.places.map(shortPlace)).toEqual(story.fixture.ranges('greeting').map(shortPlace))
    expect(answer.servers).toMatchObject([{ id: definition.id }])
    if (limited.kind === 'same') expect(answer.completeness).toEqual({ verdict: 'complete' })
    else {
      expect(answer.completeness).toEqual({
        verdict: 'partial',
        reason: expect.stringContaining(limited.costs),
        hint: expect.stringContaining('alidade trust'),
      })
    }
  })
}

interface Range {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly end_line: number
  readonly end_column: number
}

function shortPlace({ file, line, column, end_line, end_column }: Range): string {
  return `${file}:${line}:${column}-${end_line}:${end_column}`
}

interface Outline extends Place {
  readonly path: string
  readonly children?: readonly Outline[] | undefined
}

function withChildren(symbol: Outline): Outline[] {
  return [symbol, ...(symbol.children ?? []).flatMap(withChildren)]
}

export type { OperationName }
