// The suite for servers that the large one does not fit: the same judgement of every answer, over what such a server can
// know. Every other operation is asked as well, and what came of it is recorded.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { property } from '../../src/json.js'
import { operations } from '../../src/operations/index.js'
import type { Operation } from '../../src/operations/operation.js'
import { writeFixture } from '../fixture/index.js'
import { type Judge, judgeFor, type KnownGap, type OperationName } from './judge.js'
import { type OpenWorkspace, openStory } from './open.js'
import { shortPlace, whileEdited, withChildren } from './questions.js'
import { type OperationResult, parseServerResult, type ServerResult } from './results.js'
import { type RealServer, realServer, whenInstalled } from './servers.js'
import type { SmallStory } from './small-story.js'
import type { Breakage } from './story.js'
import { plant } from './temptations.js'

export interface SmallConformanceOptions {
  /** The id of its definition. */
  readonly server: string
  readonly story: SmallStory
  readonly partial?: readonly KnownGap[]
  readonly silentAboutVersion?: true
  readonly onResult?: (id: string, result: ServerResult) => void
}

const storyMilliseconds = 60_000

export function runSmallConformance(options: SmallConformanceOptions): void {
  const server = realServer(options.server)
  const { id } = server.definition
  whenInstalled(id, server.missing, () => {
    describe(id, () => {
      const telling = tellingOf(server, options)
      describe('asked', () => tellOfQuestions(telling))
      describe('while files change', () => tellOfChanges(telling))
      tellOfTrust(telling)
      test('R-111 every operation was asked', () => {
        const asked = operations.map(({ name }) => [
          name,
          telling.judge.outcomes.get(name) ?? telling.others.get(name),
        ])
        const { language } = server.definition
        const found = { ...telling.findings, language, operations: Object.fromEntries(asked) }
        options.onResult?.(id, parseServerResult(found))
      })
    })
  })
}

function tellingOf(server: RealServer, options: SmallConformanceOptions): Telling {
  const { id } = server.definition
  return {
    server,
    options,
    story: options.story,
    judge: judgeFor({ server: id, partial: options.partial ?? [], missing: [] }),
    findings: {},
    others: new Map(),
  }
}

interface Telling {
  readonly server: RealServer
  readonly options: SmallConformanceOptions
  readonly story: SmallStory
  readonly judge: Judge
  readonly findings: Partial<ServerResult>
  /** What came of the operations that no story is about. */
  readonly others: Map<OperationName, OperationResult>
}

function tell(title: string, run: () => Promise<void>): void {
  test(title, run, storyMilliseconds)
}

function tellOfQuestions({ server, story, judge, findings, others, options }: Telling): void {
  const { file, line, column } = story.fixture.cursor()
  const marked = (label: string) => story.fixture.ranges(label).map(shortPlace).sort()
  let workspace: OpenWorkspace
  beforeAll(async () => {
    workspace = await openStory(story, { server, trusted: true })
  })
  afterAll(() => workspace[Symbol.asyncDispose]())

  const references = async () => {
    const answer = await workspace.bridge.findReferences({ file, line, column })
    const found = judge.accept('find_references', answer).result.references
    expect(found.map(shortPlace).sort()).toEqual(marked('reference'))
  }
  const outline = async () => {
    const answer = await workspace.bridge.listSymbols({ file })
    const names = judge.accept('list_symbols', answer).result.symbols.flatMap(withChildren)
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining([...(story.outline ?? [])]))
  }
  const diagnostics = async () => {
    const answer = await workspace.bridge.getDiagnostics({ file })
    const { files } = judge.accept('get_diagnostics', answer).result
    expect(files).toMatchObject([{ file, verdict: 'settled', diagnostics: [] }])
  }
  const questions = [
    ...(marked('reference').length > 0 ? [references] : []),
    ...(story.outline === undefined ? [] : [outline]),
    diagnostics,
  ]

  tell('story 9 the very first question, and the next ones, each answered whole', async () => {
    const startedAt = performance.now()
    for (const question of questions) {
      await question()
      findings.first_answer_ms ??= Math.round(performance.now() - startedAt)
    }
  })

  if (story.hover !== undefined) {
    const { hover } = story
    tell('story 1 what the name at the cursor means', async () => {
      const answer = await workspace.bridge.inspectSymbol({ file, line, column })
      const { signature, documentation } = judge.accept('inspect_symbol', answer).result
      expect(`${signature ?? ''}\n${documentation ?? ''}`).toMatch(hover)
    })
  }
  if (marked('definition').length > 0) {
    tell('story 1 definition', async () => {
      const answer = await workspace.bridge.goToDefinition({ file, line, column })
      const { places } = judge.accept('go_to_definition', answer).result
      expect(places.map(shortPlace).sort()).toEqual(marked('definition'))
    })
  }
  if (story.completion !== undefined) {
    const { completion } = story
    tell('story 1 completions', async () => {
      const answer = await workspace.bridge.getCompletions(story.fixture.cursor(1))
      const { completions } = judge.accept('get_completions', answer).result
      expect(completions.map(({ label }) => label)).toContainEqual(expect.stringMatching(completion))
    })
  }
  if (story.search !== undefined) {
    const { search } = story
    tell('story 1 found by name', async () => {
      const answer = await workspace.bridge.findSymbol({ query: search })
      const { symbols } = judge.accept('find_symbol', answer).result
      expect(symbols).toContainEqual(expect.objectContaining({ name: search, file }))
    })
  }

  tell('R-111 every other operation is answered, or is said to be missing', async () => {
    for (const operation of operations) {
      if (judge.outcomes.has(operation.name) || lastOnes.includes(operation.name)) continue
      const reason = unasked[operation.name]
      if (reason !== undefined) {
        others.set(operation.name, { verdict: 'not asked', reason })
        continue
      }
      const answer = await ask(workspace, operation, inputFor(operation, story))
      others.set(operation.name, outcomeOf(operation, answer))
    }
  })

  tell('story 1 status names server, version and memory', async () => {
    const answer = judge.accept('server_status', await workspace.bridge.serverStatus({}))
    const [status] = answer.result.servers
    expect(status).toMatchObject({
      id: server.definition.id,
      version: expect.stringMatching(options.silentAboutVersion ? /^unknown$/ : /^v?\d+\.\d+\S*$/),
      // Some look again at a file they were just told of.
      state: expect.stringMatching(/^(ready|indexing)$/),
      restarts: 0,
    })
    findings.name = status?.name ?? ''
    findings.version = (options.silentAboutVersion ? server.entry?.version : status?.version) ?? ''
    findings.capabilities = workspace.traffic.declared()
    findings.registered = workspace.traffic.registered()
  })

  tell('R-111 restarted, it answers again; closed, it leaves no process', async () => {
    const answer = await workspace.bridge.restartServer({})
    expect(judge.accept('restart_server', answer).result.restarted).toHaveLength(1)
    expect(await workspace.bridge.getDiagnostics({ file })).toMatchObject({ ok: true })
    expect(workspace.processes().length).toBeGreaterThan(0)
    await workspace.bridge.close()
    expect(workspace.processes()).toEqual([])
  })
}

function tellOfChanges({ server, story, judge, findings, others }: Telling): void {
  const { file } = story
  const methods = new Set<string>()
  let workspace: OpenWorkspace
  beforeAll(async () => {
    workspace = await openStory(story, { server, trusted: true })
    workspace.bridge.events.subscribe(event => {
      if (event.type === 'request.started') methods.add(event.method)
    })
  })
  afterAll(() => workspace[Symbol.asyncDispose]())

  const diagnose = async () => {
    const answer = await workspace.bridge.getDiagnostics({ file })
    const [found] = judge.accept('get_diagnostics', answer).result.files
    expect(found).toMatchObject({ file, verdict: 'settled' })
    return (found?.diagnostics ?? []).map(({ message }) => message)
  }
  const breakAndMend = async (breakage: Breakage) => {
    expect(await diagnose()).toEqual([])
    await whileEdited(workspace, breakage, async () => {
      expect(await diagnose()).toContainEqual(expect.stringMatching(breakage.complaint))
    })
    expect(await diagnose()).toEqual([])
  }

  tell('W08 an unannounced edit breaks the file, another mends it, every time', async () => {
    for (let round = 0; round < 3; round += 1) await breakAndMend(story.ownBreakage)
    findings.diagnostics = methods.has('textDocument/diagnostic') ? 'pulled' : 'pushed'
  })

  if (story.foreignBreakage !== undefined) {
    const { foreignBreakage } = story
    tell('R-125 an unannounced edit of another file breaks this one, another mends it', async () => {
      for (let round = 0; round < 2; round += 1) await breakAndMend(foreignBreakage)
    })
  }

  if (story.guest !== undefined) {
    const { guest } = story
    tell('R-125 references right after a file was added, and after it was deleted', async () => {
      const own = story.fixture.ranges('reference').map(shortPlace)
      const guests = guest.ranges('reference').map(shortPlace)
      const references = async () => {
        const answer = await workspace.bridge.findReferences(story.fixture.cursor())
        return judge.accept('find_references', answer).result.references.map(shortPlace).sort()
      }
      expect(await references()).toEqual([...own].sort())
      for (let round = 0; round < 2; round += 1) {
        await writeFixture(guest, workspace.root)
        expect(await references()).toEqual([...own, ...guests].sort())
        for (const added of guest.files.keys()) await rm(workspace.path(dirname(added)), { recursive: true })
        expect(await references()).toEqual([...own].sort())
      }
    })
  }

  tell('story 2 a breaking edit previews as new errors; the disk stays as it was', async () => {
    const { file: edited, find, replace, complaint } = story.ownBreakage
    const edit = { file: edited, find, new_text: replace }
    // Who else depends on a file of data no server can say.
    const answer = await workspace.bridge.previewEdit({ edits: [edit], dependents: false })
    if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
    const { result, completeness } = answer
    if (completeness.verdict !== 'complete') expect(completeness.reason).toMatch(/only the changed files/)
    others.set('preview_edit', completeness)
    const messages = result.files.flatMap(found => found.new.map(({ message }) => message))
    expect(messages).toContainEqual(expect.stringMatching(complaint))
    expect(await diagnose()).toEqual([])
  })
}

function tellOfTrust({ server, story, options }: Telling): void {
  const { limited, id } = server.definition
  tell('S09 a workspace that is not trusted: nothing of it is run, and what that costs is said', async () => {
    await using workspace = await openStory(story, { server, trusted: false })
    const { root, bridge } = workspace
    const mark = `${root}.mark`
    await plant(id, root, mark)
    const answer = await bridge.getDiagnostics({ file: story.file })
    // Formatters are where configuration is a program.
    await bridge.formatDocument({ file: story.file })
    expect(existsSync(mark), 'something of the workspace was run').toBe(false)
    if (limited.kind === 'refused') {
      expect(answer).toMatchObject({ ok: false, kind: 'NotTrusted' })
      return
    }
    expect(answer).toMatchObject({ ok: true, result: { files: [{ verdict: 'settled', diagnostics: [] }] } })
    const costs =
      limited.kind === 'reduced' ? limited.costs({ root, file: undefined, exists: existsSync }) : undefined
    const gap = options.partial?.find(({ operation }) => operation === 'get_diagnostics')
    if (costs === undefined && gap === undefined)
      expect(answer).toMatchObject({ completeness: { verdict: 'complete' } })
    if (costs !== undefined)
      expect(answer).toMatchObject({ completeness: { reason: expect.stringContaining(costs) } })
  })
}

/** Told by stories of their own. */
const lastOnes: readonly OperationName[] = [
  'get_diagnostics',
  'preview_edit',
  'server_status',
  'restart_server',
]

/** What takes more than a small story has. The refusal of a wrong input would be ours, and no verdict on the server. */
const unasked: Readonly<Partial<Record<OperationName, string>>> = {
  apply_edit: 'in a small project nothing is proposed',
  add_workspace_folder: 'a small project has one folder',
  remove_workspace_folder: 'a small project has one folder',
}

/** What the operation takes of a question about the name at the cursor. */
function inputFor(operation: Operation, story: SmallStory): object {
  const { file, line, column } = story.fixture.cursor()
  const { find, replace } = story.ownBreakage
  const given: Readonly<Record<string, unknown>> = {
    ...{ file, line, column, query: 'alidade', new_name: 'alidade', command: 'alidade.nothing', folder: '.' },
    ...{ files: [file], end_line: line, edits: [{ file, find, new_text: replace }] },
  }
  const taken = Object.keys(operation.input.shape).filter(key => Object.hasOwn(given, key))
  return Object.fromEntries(taken.map(key => [key, given[key]]))
}

async function ask({ bridge }: OpenWorkspace, { name }: Operation, input: object): Promise<unknown> {
  const method: unknown = Reflect.get(
    bridge,
    name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
  )
  if (typeof method !== 'function') throw new TypeError(`the bridge has no method for ${name}`)
  return method.call(bridge, input)
}

/** An answer is whole, or says what it lacks; an error says that the server does not offer it, or refuses the question. */
function outcomeOf({ name }: Operation, answer: unknown): OperationResult {
  const kind = property(answer, 'kind')
  if (property(answer, 'ok') !== true) {
    const error = String(property(answer, 'error'))
    const kinds = name === 'rename_symbol' ? [...acceptable, 'InvalidArguments'] : acceptable
    expect(kinds, `${name}: ${String(kind)}: ${error}`).toContain(kind)
    return { verdict: kind === 'CapabilityMissing' ? 'missing' : 'unknown', reason: error }
  }
  const completeness = property(answer, 'completeness')
  const verdict = property(completeness, 'verdict')
  const reason = String(property(completeness, 'reason') ?? '')
  if (verdict === 'complete') return { verdict }
  expect(reason, name).not.toBe('')
  return { verdict: verdict === 'partial' ? 'partial' : 'unknown', reason }
}

/**
 * What a name in a file of data may be answered with: it has no such thing, or is none. One that cannot be renamed, by the
 * server's own word, is an invalid argument of that operation alone.
 */
const acceptable = [
  ...['CapabilityMissing', 'SymbolNotFound', 'ServerError', 'StaleProposal'],
  // A rename may reach a module of another language, and the suite enables one alone.
  'LanguageNotEnabled',
  // ruby-lsp renames the file of a class along with it, and the edits of the text name the old one.
  'FileNotFound',
]
