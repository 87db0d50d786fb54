// The one suite every server is held to: the questions an agent asks of a two-file project, asked through the bridge
// of the real server, with what may happen to the files in between. What a server cannot do is named with its reason.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/index.js'
import { writeFixture } from '../fixture/index.js'
import { tellOfBadInput } from './bad-input-story.js'
import { tellOfEditing } from './editing-stories.js'
import { judgeFor, type KnownGap } from './judge.js'
import { tellOfManagement } from './management-stories.js'
import { type OpenWorkspace, openStory } from './open.js'
import { askReferences, clean, diagnose, referencesIn, shortPlace, withChildren } from './questions.js'
import { tellOfReading } from './reading-stories.js'
import type { RequestsMade } from './requests.js'
import { parseServerResult, type ServerResult } from './results.js'
import { type RealServer, realServer, whenInstalled } from './servers.js'
import { storyFor } from './stories.js'
import type { Breakage, Repair, Story } from './story.js'
import { type StoryCommand, type StoryName, storyTitles, type Telling } from './telling.js'
import { plant } from './temptations.js'

export interface ConformanceOptions {
  /** The id of its definition. */
  readonly server: string
  readonly partial?: readonly KnownGap[]
  readonly missing?: readonly KnownGap[]
  /** The version stays unknown, because it does not say it in the handshake. */
  readonly silentAboutVersion?: true
  /** In place of the story's, for a checker that does not look at types, or says it in other words. */
  readonly ownBreakage?: Breakage
  readonly foreignBreakage?: Breakage
  /** For a server that has settings files of its own. */
  readonly projectBreakage?: Breakage
  /** In place of the story's; none where it offers no fix for an error. */
  readonly repair?: Repair | 'none'
  readonly command?: StoryCommand
  /** Its answer on who calls a function has the places of the calls. */
  readonly placesCallersAtCalls?: true
  readonly skip?: readonly { readonly reason: string; readonly stories: readonly StoryName[] }[]
  /** Called when every operation was asked. */
  readonly onResult?: (id: string, result: ServerResult, requests: readonly RequestsMade[]) => void
}

export function runConformance(options: ConformanceOptions): void {
  const server = realServer(options.server)
  const { id } = server.definition
  whenInstalled(id, server.missing, () => {
    describe(id, () => tellStories(server, options))
  })
}

const storyMilliseconds = 60_000

function tellStories(server: RealServer, options: ConformanceOptions): void {
  const { definition } = server
  const { partial = [], missing = [], skip = [] } = options
  const told = storyFor(definition.language)
  const story: Story = {
    ...told,
    ownBreakage: options.ownBreakage ?? told.ownBreakage,
    foreignBreakage: options.foreignBreakage ?? told.foreignBreakage,
    projectBreakage: options.projectBreakage ?? told.projectBreakage,
  }
  const telling: Telling = {
    server,
    story,
    judge: judgeFor({ server: definition.id, partial, missing }),
    findings: {},
    requests: [],
    silentAboutVersion: options.silentAboutVersion ?? false,
    repair: options.repair === 'none' ? undefined : (options.repair ?? told.repair),
    command: options.command,
    placesCallersAtCalls: options.placesCallersAtCalls ?? false,
    provesClean: !partial.some(({ operation }) => operation === 'get_diagnostics'),
    tell(name, run) {
      const skipped = skip.find(({ stories }) => stories.includes(name))
      if (skipped === undefined) test(storyTitles[name], run, storyMilliseconds)
      else test.skip(`${storyTitles[name]} (${skipped.reason})`, () => {})
    },
  }
  describe('asked', () => tellOfQuestions(telling))
  describe('while files change', () => tellOfChanges(telling))
  tellOfTrust(telling)
  test('R-111 every operation was asked', () => {
    expect([...telling.judge.outcomes.keys()].sort()).toEqual(operations.map(({ name }) => name).sort())
    const { language } = definition
    const asked = Object.fromEntries(operations.map(({ name }) => [name, telling.judge.outcomes.get(name)]))
    const result = parseServerResult({ ...telling.findings, language, operations: asked })
    options.onResult?.(definition.id, result, telling.requests)
  })
}

function tellOfQuestions(telling: Telling): void {
  const { server, story, judge, findings, silentAboutVersion, tell } = telling
  const { definition } = server
  const [typeRange] = story.fixture.ranges('Person').filter(({ file }) => file === story.person)
  const [methodRange] = story.fixture.ranges('greeting')
  const { file, line, column } = story.fixture.cursor()
  let workspace: OpenWorkspace
  beforeAll(async () => {
    workspace = await openStory(story, { server, trusted: true })
    telling.requests.push(workspace.requests)
  })
  afterAll(() => workspace[Symbol.asyncDispose]())

  tell('references', async () => {
    const startedAt = performance.now()
    expect(await askReferences(workspace, story, judge)).toEqual(referencesIn(story))
    findings.first_answer_ms = Math.round(performance.now() - startedAt)
  })

  tell('definition', async () => {
    const answer = await workspace.bridge.goToDefinition({ file, line, column })
    const { places } = judge.accept('go_to_definition', answer).result
    expect(places.map(shortPlace)).toEqual(story.fixture.ranges('greeting').map(shortPlace))
  })

  tell('hover', async () => {
    const answer = await workspace.bridge.inspectSymbol({ file, line, column })
    expect(judge.accept('inspect_symbol', answer).result.signature).toMatch(story.method.signature)
  })

  tell('outline', async () => {
    const answer = await workspace.bridge.listSymbols({ file: story.person })
    const listed = judge.accept('list_symbols', answer).result.symbols.flatMap(withChildren)
    const pathOn = (line: number | undefined) => listed.find(symbol => symbol.line === line)?.path
    const found: string[] = []
    for (const symbol of [pathOn(typeRange?.line), pathOn(methodRange?.line), story.method.path]) {
      const asked = await workspace.bridge.inspectSymbol({ file: story.person, symbol })
      const { target } = judge.accept('inspect_symbol', asked)
      found.push(`${target?.line}:${target?.column}`)
    }
    expect(found).toEqual(
      [typeRange, methodRange, methodRange].map(range => `${range?.line}:${range?.column}`),
    )
  })

  tell('search', async () => {
    const answer = await workspace.bridge.findSymbol({ query: story.type })
    if (judge.lacks('find_symbol')) return judge.acceptLack('find_symbol', answer)
    const [first] = judge.accept('find_symbol', answer).result.symbols
    expect(first).toMatchObject({ name: story.type, file: story.person, line: typeRange?.line })
    const asked = await workspace.bridge.findReferences({ file: first?.file, symbol: first?.path })
    const { target } = judge.accept('find_references', asked)
    expect(target).toMatchObject({ line: typeRange?.line, column: typeRange?.column })
  })

  tellOfReading(telling, () => workspace)
  tellOfBadInput(telling, () => workspace)

  tell('status', async () => {
    const { servers, languages } = judge.accept(
      'server_status',
      await workspace.bridge.serverStatus({}),
    ).result
    const { id, language } = definition
    expect(servers).toEqual([
      expect.objectContaining({
        id,
        language,
        version: expect.stringMatching(silentAboutVersion ? /^unknown$/ : /^v?\d+\.\d+\S*$/),
        state: 'ready',
        root: '.',
        restarts: 0,
      }),
    ])
    expect(languages).toMatchObject([{ language }])
    const [status] = servers
    expect(status?.memory_mb).toBeGreaterThan(5)
    findings.name = status?.name ?? ''
    findings.version = (silentAboutVersion ? server.entry?.version : status?.version) ?? ''
    findings.capabilities = workspace.traffic.declared()
    findings.registered = workspace.traffic.registered()
  })

  tell('end', async () => {
    expect(workspace.processes().length).toBeGreaterThan(0)
    await workspace.bridge.close()
    expect(workspace.processes()).toEqual([])
  })
}

function tellOfChanges(telling: Telling): void {
  const { server, story, judge, findings, tell } = telling
  const methods = new Set<string>()
  let workspace: OpenWorkspace
  beforeAll(async () => {
    workspace = await openStory(story, { server, trusted: true })
    telling.requests.push(workspace.requests)
    workspace.bridge.events.subscribe(event => {
      if (event.type === 'request.started') methods.add(event.method)
    })
  })
  afterAll(() => workspace[Symbol.asyncDispose]())

  const breakAndMend = async (breakage: Breakage) => {
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
    const mend = await workspace.edit(breakage)
    const complaints = [expect.stringMatching(breakage.complaint)]
    expect(await diagnose(workspace, story, judge)).toMatchObject({ errors: complaints })
    await mend()
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
  }

  tell('ownError', async () => {
    await breakAndMend(story.ownBreakage)
    findings.diagnostics = methods.has('textDocument/diagnostic')
      ? 'pulled'
      : methods.has('workspace/executeCommand')
        ? 'own request'
        : 'pushed'
  })

  tell('foreignError', () => breakAndMend(story.foreignBreakage))

  tell('projectError', () => breakAndMend(story.projectBreakage))

  tell('comingAndGoing', async () => {
    const guests = story.guest.ranges('Person').map(shortPlace)
    expect(await askReferences(workspace, story, judge)).toEqual(referencesIn(story))
    for (let round = 0; round < 3; round += 1) {
      await writeFixture(story.guest, workspace.root)
      // Two at once: neither may overtake what the other waits for.
      const [first, second] = await Promise.all([
        askReferences(workspace, story, judge),
        askReferences(workspace, story, judge),
      ])
      expect(first).toEqual([...referencesIn(story), ...guests].sort())
      expect(second).toEqual(first)
      for (const file of story.guest.files.keys())
        await rm(workspace.path(dirname(file)), { recursive: true })
      expect(await askReferences(workspace, story, judge)).toEqual(referencesIn(story))
    }
  })

  tellOfEditing(telling, () => workspace)
  tellOfManagement(telling, () => workspace)
}

function tellOfTrust({ server, story, tell }: Telling): void {
  const { limited, id } = server.definition
  tell('limited', async () => {
    await using workspace = await openStory(story, { server, trusted: false })
    const { root, bridge } = workspace
    const mark = `${root}.mark`
    await plant(id, root, mark)
    const { file, line, column } = story.fixture.cursor()
    const answer = await bridge.goToDefinition({ file, line, column })
    const diagnosed = await bridge.getDiagnostics({ file })
    expect(existsSync(mark), 'something of the workspace was run').toBe(false)
    if (!answer.ok) {
      expect(limited.kind).toBe('refused')
      expect(answer).toMatchObject({ kind: 'NotTrusted', hint: expect.stringContaining('alidade trust') })
      return
    }
    expect(answer.result.places.map(shortPlace)).toEqual(story.fixture.ranges('greeting').map(shortPlace))
    expect(diagnosed).toMatchObject({
      ok: true,
      result: { files: [{ verdict: 'settled', diagnostics: [] }] },
    })
    // Where the server is refused, another one of the same language may have stood in.
    expect(answer.servers.some(answering => answering.id === id)).toBe(limited.kind !== 'refused')
    const costs =
      limited.kind === 'reduced' ? limited.costs({ root, file: undefined, exists: existsSync }) : undefined
    if (costs === undefined) expect(answer.completeness).toEqual({ verdict: 'complete' })
    else {
      expect(answer.completeness).toEqual({
        verdict: 'partial',
        reason: expect.stringContaining(costs),
        hint: expect.stringContaining('alidade trust'),
      })
    }
  })
}
