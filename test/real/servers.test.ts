// The conformance suite over the servers that know types and uses, each with what it is known to lack. The others are
// told small stories in a file of their own, so that two of them run at a time.
import { afterAll, describe, expect, test } from 'vitest'
import { unavailable } from '../../scripts/servers/unavailable.js'
import { operations } from '../../src/operations/index.js'
import { serverDefinitions } from '../../src/servers/index.js'
import { type ConformanceOptions, runConformance } from './conformance.js'
import type { KnownGap, OperationName } from './judge.js'
import { allRequests, type RequestsMade } from './requests.js'
import { mergeResults, type Results, writesResults } from './results.js'
import { smallSuite } from './small-servers.js'

/** What it does not declare. */
const lacks = (...operations: OperationName[]) => because(/does not offer textDocument\//, ...operations)

const because = (reason: RegExp, ...operations: OperationName[]): KnownGap[] =>
  operations.map(operation => ({ operation, reason }))

const noCommands = because(/declares no commands/, 'execute_command')
const noTypeHierarchy = because(/has no type hierarchy; this one is read/, 'type_hierarchy')
const openLists = because(/does not call its list complete/, 'get_completions')

const endsWithItsEdit = because(/ended when its edit was not applied/, 'execute_command')

const suite: readonly ConformanceOptions[] = [
  {
    server: 'typescript',
    partial: noTypeHierarchy,
    missing: [...lacks('go_to_declaration'), ...noCommands],
  },
  {
    server: 'typescript-language-server',
    silentAboutVersion: true,
    partial: noTypeHierarchy,
    missing: lacks('go_to_declaration'),
    command: { fix: /^Extract to constant in enclosing scope$/ },
  },
  {
    server: 'vtsls',
    partial: noTypeHierarchy,
    missing: lacks('go_to_declaration'),
    command: {
      name: 'typescript.tsserverRequest',
      arguments: file => ['projectInfo', { file, needFileNameList: false }],
      answer: /tsconfig\.json/,
    },
  },
  {
    server: 'pyright',
    partial: [...noTypeHierarchy, ...openLists],
    missing: [
      ...lacks('go_to_implementation', 'get_inlay_hints', 'get_semantic_tokens', 'get_selection_ranges'),
      ...lacks('get_folding_ranges', 'get_code_lenses', 'format_document', 'format_range'),
      ...noCommands,
    ],
    repair: 'none',
  },
  {
    server: 'pylsp',
    partial: [
      ...because(/jedi stops searching/, 'find_references', 'explore_symbol', 'blast_radius'),
      ...because(/jedi stops searching/, 'rename_symbol'),
      ...because(
        /at no types/,
        'get_diagnostics',
        'get_context',
        'preview_edit',
        'apply_edit',
        'check_change',
      ),
      ...because(/no plugin for that is installed/, 'suggest_fixes'),
      ...noTypeHierarchy,
    ],
    missing: [
      ...because(/pylsp does not offer workspace\/symbol/, 'find_symbol'),
      ...lacks('go_to_implementation', 'go_to_declaration', 'find_callers', 'get_inlay_hints'),
      ...lacks('get_semantic_tokens', 'get_selection_ranges', 'prepare_rename'),
      ...because(/sent no code lenses/, 'get_code_lenses'),
      ...because(/no plugin for that is installed/, 'format_document', 'format_range'),
      ...noCommands,
    ],
    repair: 'none',
    ownBreakage: {
      file: 'greeter.py',
      find: 'person.greeting()',
      replace: 'persona.greeting()',
      complaint: /undefined name 'persona'/,
    },
    skip: [
      {
        reason: 'pyflakes looks at one file at a time',
        stories: ['foreignError', 'previewForeign', 'checkForeign'],
      },
      { reason: 'it has no settings file of the project that adds an error', stories: ['projectError'] },
    ],
  },
  {
    server: 'basedpyright',
    partial: [...noTypeHierarchy, ...openLists],
    missing: [
      ...lacks('get_selection_ranges', 'get_folding_ranges', 'get_code_lenses'),
      ...lacks('format_document', 'format_range'),
    ],
    // Its others write files.
    command: { name: 'basedpyright.restartserver', arguments: () => [], answer: undefined },
  },
  {
    server: 'ty',
    partial: openLists,
    missing: lacks('get_code_lenses', 'format_document', 'format_range'),
    command: { name: 'ty.printDebugInformation', arguments: () => [], answer: /Client capabilities/ },
    ownBreakage: {
      file: 'greeter.py',
      find: 'person.greeting()',
      replace: 'len(person.greeting())',
      complaint: /Unsupported `\+` operation/,
    },
    foreignBreakage: {
      file: 'person.py',
      find: '-> str:\n        return "Hello, " + self.name',
      replace: '-> int:\n        return len(self.name)',
      complaint: /Unsupported `\+` operation/,
    },
    projectBreakage: {
      file: 'ty.toml',
      find: 'root = ["."]',
      replace: 'root = ["elsewhere"]',
      complaint: /Cannot resolve imported module `person`/,
    },
  },
  {
    server: 'jedi-language-server',
    partial: [
      ...because(/jedi stops searching/, 'find_references', 'explore_symbol', 'blast_radius'),
      ...because(/jedi stops searching/, 'rename_symbol'),
      ...because(
        /syntax alone/,
        'get_diagnostics',
        'get_context',
        'preview_edit',
        'apply_edit',
        'check_change',
      ),
      ...noTypeHierarchy,
    ],
    missing: [
      ...lacks('go_to_implementation', 'find_callers', 'get_inlay_hints', 'get_semantic_tokens'),
      ...lacks('get_selection_ranges', 'get_folding_ranges', 'get_code_lenses', 'prepare_rename'),
      ...lacks('format_document', 'format_range'),
      ...noCommands,
    ],
    repair: 'none',
    ownBreakage: {
      file: 'greeter.py',
      find: 'person.greeting()',
      replace: 'person.greeting(',
      complaint: /SyntaxError/,
    },
    skip: [
      {
        reason: 'it looks at one file at a time',
        stories: ['foreignError', 'previewForeign', 'checkForeign'],
      },
      { reason: 'it has no settings file of the project', stories: ['projectError'] },
    ],
  },
  {
    server: 'gopls',
    partial: [...openLists, ...endsWithItsEdit],
    missing: lacks('go_to_declaration', 'format_range'),
    command: { fix: /^Add test for Greet$/ },
  },
  {
    server: 'rust-analyzer',
    partial: [
      ...because(
        /own checks only/,
        'get_diagnostics',
        'get_context',
        'preview_edit',
        'apply_edit',
        'check_change',
      ),
      ...openLists,
    ],
    missing: [...lacks('type_hierarchy', 'format_range'), ...noCommands],
  },
  {
    server: 'clangd',
    partial: [...because(/instances of a template/, 'type_hierarchy'), ...endsWithItsEdit],
    missing: lacks('get_code_lenses'),
    command: { fix: /^Extract to function$/ },
  },
  {
    server: 'jdtls',
    placesCallersAtCalls: true,
    missing: [
      ...because(/only of what overrides/, 'go_to_declaration'),
      ...because(/declares no command "/, 'execute_command'),
    ],
  },
]

const servers: Results['servers'] = {}
const recordings: RequestsMade[] = []

describe('R-111 conformance', () => {
  for (const options of suite) {
    runConformance({
      ...options,
      onResult(id, result, requests) {
        Object.assign(servers, { [id]: result })
        recordings.push(...requests)
      },
    })
  }
})

const told = [...suite, ...smallSuite].map(({ server }) => server)
const ids = serverDefinitions.map(({ id }) => id)

test('R-111 every server that has a definition is in the suite, or cannot be had', () => {
  expect([...told, ...Object.keys(unavailable)].sort()).toEqual([...ids].sort())
})

for (const [id, reason] of Object.entries(unavailable)) test.skip(`${id} cannot be had: ${reason}`, () => {})

afterAll(() => {
  if (!writesResults) return
  const found = { requests: allRequests(recordings), servers }
  mergeResults(
    found,
    operations.map(({ name }) => name),
  )
})
