// Servers as their documentation describes them, spoken by the fake one: what each says while it loads, and when it is
// done. The definitions are the real ones; an answer is whole only behind the signal of the dialect, and where that never
// comes the answer says so. For some of these servers no program can be had, so this is all that holds their rules.
import { describe, expect, test } from 'vitest'
import { basedpyright } from '../../src/servers/basedpyright.js'
import { bashLanguageServer } from '../../src/servers/bash-language-server.js'
import { csharpLs } from '../../src/servers/csharp-ls.js'
import type { ServerDefinition } from '../../src/servers/definition.js'
import { intelephense } from '../../src/servers/intelephense.js'
import { jdtls } from '../../src/servers/jdtls.js'
import { omnisharp } from '../../src/servers/omnisharp.js'
import { roslyn } from '../../src/servers/roslyn.js'
import { rubyLsp } from '../../src/servers/ruby-lsp.js'
import { solargraph } from '../../src/servers/solargraph.js'
import { type Act, combine, partialBeforeReady, type Script } from '../fake-server/index.js'
import { expectTruth, judge, patiently } from './judge.js'

interface Dialect {
  readonly definition: ServerDefinition
  /** What it says while it is not ready, in order. */
  readonly loading: readonly Act[]
  /** What it says when it is. */
  readonly ready: readonly Act[]
  /** What an answer without that says. */
  readonly reason: RegExp
}

const dialects: readonly Dialect[] = [
  {
    definition: jdtls,
    // Started is no end, and Starting comes again after it (issue 651).
    loading: [
      status('Starting', 'Init...'),
      status('Starting', '34% Starting Java Language Server'),
      status('ProjectStatus', 'OK'),
      status('Started', 'Ready'),
      status('Starting', '100% Starting Java Language Server'),
    ],
    ready: [status('ServiceReady', 'ServiceReady')],
    reason: /has not said yet that its view of the workspace is complete/,
  },
  {
    definition: roslyn,
    loading: [log('[Program] Language server initialized'), log('Loading /w/greeter.sln...')],
    ready: [{ act: 'notify', method: 'workspace/projectInitializationComplete', params: {} }],
    reason: /has not said yet that its view of the workspace is complete/,
  },
  {
    definition: csharpLs,
    loading: [
      log('csharp-ls: initializing, version 0.26.0'),
      ...begun('8a6f', 'Loading workspace folder "/w"..'),
      log('csharp-ls: attempting to find and load solution on path "/w"'),
    ],
    ready: ended('8a6f', 'Finished loading workspace folder "/w"'),
    reason: /still indexing: Loading workspace folder/,
  },
  {
    definition: rubyLsp,
    loading: [
      ...begun('indexing-progress', 'Ruby LSP: indexing files'),
      progress('indexing-progress', { kind: 'report', message: '100% completed', percentage: 100 }),
    ],
    ready: ended('indexing-progress'),
    reason: /still indexing: Ruby LSP: indexing files/,
  },
  {
    definition: solargraph,
    loading: [
      ...begun('0f1e', 'Mapping workspace'),
      progress('0f1e', { kind: 'report', message: '12/40 files', percentage: 30 }),
    ],
    ready: ended('0f1e', 'Mapping workspace: 40/40 files'),
    reason: /still indexing: Mapping workspace/,
  },
  {
    definition: intelephense,
    loading: [
      log('Initialised in 35 ms'),
      log('Indexer: Starting whole workspace indexing.'),
      ...begun('9551', 'Intelephense (1.18.5) indexing'),
    ],
    ready: [log('Indexer: Indexing finished. 440 of 440 files indexed in 4.8 s.')],
    reason: /still busy: Intelephense/,
  },
  {
    definition: bashLanguageServer,
    loading: [log('13:01:37.080 INFO BackgroundAnalysis: Glob resolved with 2 files after 0.1 seconds')],
    ready: [log('13:01:37.312 INFO BackgroundAnalysis: Completed after 0.231 seconds.')],
    reason: /has not said yet that its view of the workspace is complete/,
  },
  {
    definition: basedpyright,
    loading: [log('Auto-excluding **/node_modules')],
    ready: [log('Found 402 source files')],
    reason: /has not said yet that its view of the workspace is complete/,
  },
]

describe.each(dialects.map(dialect => [dialect.definition.id, dialect] as const))('%s', (_, dialect) => {
  const { definition, loading, ready, reason } = dialect

  test.concurrent('R-89, H12 no answer is whole before its signal, and every one behind it', async () => {
    const judged = await judge(speaking(loading, [{ act: 'delay', milliseconds: 400 }, ...ready]), {
      definition: rulesOf(definition),
      timeout: patiently,
      outline: false,
    })
    expectTruth(judged)
  })

  test.concurrent('H12, O9 where the signal never comes, every answer is partial and says why', async () => {
    const { rounds } = await judge(speaking(loading, undefined), {
      definition: rulesOf(definition),
      timeout: 5000,
      outline: false,
    })
    for (const [references, goTo] of rounds) {
      for (const answer of [references, goTo])
        expect(answer).toMatchObject({
          ok: true,
          completeness: { verdict: 'partial', reason: expect.stringMatching(reason) },
        })
    }
  })
})

test.concurrent.each([
  { definition: roslyn, told: 'pull', verdict: 'settled' },
  { definition: csharpLs, told: 'pull', verdict: 'settled' },
  { definition: omnisharp, told: 'push', verdict: 'unknown' },
  { definition: solargraph, told: 'push', verdict: 'unknown' },
  // Should a release begin to say the version, it is believed.
  { definition: solargraph, told: 'push-versioned', verdict: 'settled' },
] as const)('R-104, D09 $definition.id: a report that is told by $told is $verdict', async row => {
  const { definition, told, verdict } = row
  const { readiness: _, ...rules } = rulesOf(definition)
  const { rounds } = await judge(
    {},
    {
      definition: { ...rules, diagnostics: definition.diagnostics },
      diagnostics: told,
      timeout: patiently,
      outline: false,
    },
  )
  for (const [, , diagnostics] of rounds)
    expect(diagnostics).toMatchObject({ ok: true, result: { files: [{ verdict }] } })
})

test('R-89 jdtls: what it says is wrong with a project is told with every answer, and with none once it is mended', async () => {
  const ready = status('ServiceReady', 'ServiceReady')
  const warning = status('ProjectStatus', 'WARNING')
  const { rounds } = await judge(speaking([], [warning, ready]), {
    definition: rulesOf(jdtls),
    timeout: patiently,
    outline: false,
  })
  for (const [references] of rounds)
    expect(references).toMatchObject({
      completeness: { verdict: 'partial', reason: expect.stringContaining('errors in its settings') },
    })
  // Before it is ready: what is asked between the two would rightly be told of the fault.
  const mended = [warning, status('ProjectStatus', 'OK'), ready]
  const options = { definition: rulesOf(jdtls), timeout: patiently, outline: false }
  expectTruth(await judge(speaking([], mended), options))
})

test('H12, O9 csharp-ls: a folder it never begins to load is waited for no longer than it may take to begin', async () => {
  const { rounds } = await judge(speaking([], undefined), {
    definition: { readiness: { ...csharpLs.readiness, ...{ beginsWithinMs: 300 } } },
    timeout: patiently,
    outline: false,
  })
  expect(rounds[1][0]).toMatchObject({
    completeness: { verdict: 'partial', reason: expect.stringContaining('never began to index') },
  })
})

test('O9 omnisharp: nothing shows that its projects are loaded, so nothing it says is taken for the whole', async () => {
  const { rounds } = await judge(speaking([], []), {
    definition: rulesOf(omnisharp),
    timeout: patiently,
    outline: false,
  })
  for (const [references, goTo] of rounds) {
    for (const answer of [references, goTo])
      expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'unknown' } })
  }
})

test('H12 bash: an analysis that stopped half way is told, although it says that it has completed', async () => {
  const stopped = [
    log(
      '13:01:37.312 WARNING BackgroundAnalysis: stopped after 60000ms; workspace symbols may be incomplete',
    ),
    log('13:01:37.312 INFO BackgroundAnalysis: Completed after 60.1 seconds.'),
  ]
  const { rounds } = await judge(speaking([], stopped), {
    definition: rulesOf(bashLanguageServer),
    timeout: patiently,
    outline: false,
  })
  for (const [references] of rounds)
    expect(references).toMatchObject({
      completeness: { verdict: 'partial', reason: expect.stringContaining('stopped after 60000ms') },
    })
})

/** The rules of the dialect, without what the fake server cannot have. */
function rulesOf(definition: ServerDefinition): Partial<ServerDefinition> {
  const { readiness, quirks, reloads } = definition
  const { announceOnlyWhenLoaded: _, answersBeforeParsing: __, ...others } = quirks
  const rules = { readiness, quirks: others }
  return reloads === undefined ? rules : { ...rules, reloads }
}

/** Answers from the asked file alone until it is ready, saying what it says. */
function speaking(loading: readonly Act[], ready: readonly Act[] | undefined): Script {
  const partial = partialBeforeReady({ ready: 'never' })
  const said: readonly Act[] =
    ready === undefined
      ? loading
      : [...loading, ...untilLast(ready), { act: 'become-ready' }, ...lastOf(ready)]
  return combine({ rules: [{ on: 'initialized', also: true, do: said }] }, partial)
}

/** Ready in truth before it says so: the other order would be a lie of the fake's. */
function untilLast(acts: readonly Act[]): readonly Act[] {
  return acts.filter(({ act }) => act === 'delay')
}

function lastOf(acts: readonly Act[]): readonly Act[] {
  return acts.filter(({ act }) => act !== 'delay')
}

function status(type: string, message: string): Act {
  return { act: 'notify', method: 'language/status', params: { type, message } }
}

function log(message: string): Act {
  return { act: 'notify', method: 'window/logMessage', params: { type: 3, message } }
}

function progress(token: string, value: Record<string, string | number>): Act {
  return { act: 'notify', method: '$/progress', params: { token, value } }
}

function begun(token: string, title: string): Act[] {
  return [
    { act: 'request', method: 'window/workDoneProgress/create', params: { token }, waits: true },
    progress(token, { kind: 'begin', title, percentage: 0 }),
  ]
}

function ended(token: string, message = ''): Act[] {
  return [progress(token, { kind: 'end', message })]
}
