// What every server definition has to keep, whichever server it is about: names that are unique, files that are told
// apart, reasons a reader can follow, and a form in which it may run on code nobody trusts.
import { describe, expect, test } from 'vitest'
import { customServer } from './custom.js'
import type { ServerDefinition } from './definition.js'
import { definitionsInOrder, serverDefinitions } from './index.js'

const sentence = /^[A-Z][\s\S]*[a-z0-9)"]\.$/

test('contract 5 every server has an id and a program of its own', () => {
  const ids = serverDefinitions.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const programs = serverDefinitions.map(({ command }) => command)
  expect(new Set(programs).size).toBe(programs.length)
})

test('R-26 the four servers of the matrix carry their install hints to the letter', () => {
  const hints = Object.fromEntries(serverDefinitions.map(({ command, install }) => [command, install]))
  expect(hints).toMatchObject({
    'rust-analyzer': 'rustup component add rust-analyzer',
    pylsp: 'pip install python-lsp-server',
    'typescript-language-server': 'npm i -g typescript-language-server',
    gopls: 'go install golang.org/x/tools/gopls@latest',
  })
})

test('R-26, C29 both orders hold the same servers; the seeds put theirs first', () => {
  const ours = definitionsInOrder('ours')
  const seeds = definitionsInOrder('seed')
  expect([...seeds].sort(byId)).toEqual([...ours].sort(byId))
  const firstOf = (order: typeof ours, language: string) =>
    order.find(found => found.language === language)?.id
  expect(firstOf(ours, 'typescript')).toBe('typescript')
  expect(firstOf(ours, 'python')).toBe('pyright')
  expect(firstOf(seeds, 'typescript')).toBe('typescript-language-server')
  expect(firstOf(seeds, 'python')).toBe('pylsp')
})

test('R-23 the extensions of the table lead to the languages of the table', () => {
  const table = {
    '.go': 'go',
    '.ts': 'typescript',
    '.tsx': 'typescript',
    '.js': 'typescript',
    '.jsx': 'typescript',
    '.rs': 'rust',
    '.py': 'python',
    '.c': 'c',
    '.cpp': 'c',
    '.h': 'c',
    '.hpp': 'c',
  }
  for (const [extension, language] of Object.entries(table)) {
    const owners = serverDefinitions.filter(({ extensions }) => Object.hasOwn(extensions, extension))
    expect(owners.map(owner => owner.language)).toContain(language)
    // Or the first file would decide which of two languages a folder is in (K09).
    expect(new Set(owners.map(owner => owner.language)).size).toBe(1)
  }
})

describe.each(serverDefinitions.map(definition => [definition.id, definition] as const))(
  '%s',
  (_, definition) => {
    test('contract 5 its files: extensions with a dot, in small letters, and a language for each', () => {
      const extensions = Object.entries(definition.extensions)
      expect(extensions).not.toEqual([])
      for (const [extension, languageId] of extensions) {
        // Of one or more parts, or the whole name of a file.
        expect(extension).toMatch(/^(\.[a-z0-9+#]+)+$|^[a-z]+$/)
        expect(languageId).toMatch(/^[a-z]+$/)
      }
    })

    test('contract 5 its program: a plain name, without a path or a shell in it', () => {
      expect(definition.command).toMatch(/^[a-z][a-z0-9-]*$/)
      expect(definition.args.every(argument => !/[\s;|&$]/.test(argument))).toBe(true)
      expect(definition.install).toMatch(/\S \S/)
      expect(definition.title).not.toBe('')
    })

    test('contract 5 its reasons are sentences', () => {
      const { readiness, diagnostics, quirks, limited } = definition
      const reasons = [readiness.reason, diagnostics.reason, ...Object.values(quirks)]
      const { onlyWhenChosen, declaresNoSymbols, dataFolder } = definition
      for (const reason of [onlyWhenChosen, declaresNoSymbols, dataFolder?.reason])
        if (reason !== undefined) reasons.push(reason)
      if (limited.kind === 'same') reasons.push(limited.reason)
      for (const reason of reasons) expect(reason).toMatch(sentence)
    })

    test('contract 5 it has a form for a workspace that is not trusted, and says what that costs', () => {
      const { limited } = definition
      // A refusal ends in the middle of a message.
      if (limited.kind === 'refused') expect(limited.reason).toMatch(/^[a-z].*[^.]$/)
      if (limited.kind !== 'reduced') return
      const { settings, initializationOptions, environment, args } = limited
      // A limited form that limits nothing would only be a claim.
      expect([settings, initializationOptions, environment, args].some(part => part !== undefined)).toBe(true)
      const costs = [true, false].map(present =>
        limited.costs({ root: '/w', file: '/w/a', exists: () => present }),
      )
      expect(costs.some(cost => cost !== undefined)).toBe(true)
      for (const cost of costs) if (cost !== undefined) expect(cost).toMatch(/[^.]$/)
    })

    test('contract 3.2 its limits name what they touch, why, and what to do', () => {
      const everything = [true, false].flatMap(present =>
        [undefined, '/w/src/a'].flatMap(
          file => definition.limits?.({ root: '/w', file, exists: () => present }) ?? [],
        ),
      )
      for (const { methods, reason, hint } of everything) {
        expect(methods.length).toBeGreaterThan(0)
        for (const method of methods)
          expect(method).toMatch(/^(textDocument|workspace|callHierarchy|typeHierarchy)\//)
        expect(reason).toMatch(/[^.]$/)
        expect(hint ?? 'None.').toMatch(/\.$/)
      }
    })

    test('contract 5 what it watches are plain names, with at most one star', () => {
      for (const name of definition.watches) {
        expect(name).not.toMatch(/[/\\]/)
        expect(name.split('*').length).toBeLessThanOrEqual(2)
      }
      const { root } = definition
      if (root.kind !== 'workspace') expect(root.markers).not.toEqual([])
    })
  },
)

test('contract 5 the embedded servers are there, with their version', () => {
  const embedded = serverDefinitions.filter(definition => definition.embedded !== undefined)
  expect(embedded.map(({ id }) => id)).toEqual(['typescript', 'pyright'])
  for (const definition of embedded) {
    expect(definition.embedded?.()).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) })
  }
})

test('contract 5 a server nobody here knows is believed in nothing and refused where nothing is trusted', () => {
  const definition = customServer({ name: 'zls', language: 'zig', extensions: ['.zig'], rootMarkers: [] })
  expect(definition).toMatchObject({
    id: 'zls',
    language: 'zig',
    extensions: { '.zig': 'zig' },
    root: { kind: 'workspace' },
    readiness: { kind: 'unproven' },
    limited: { kind: 'refused' },
  })
  const marked = customServer({
    name: 'zls',
    language: 'zig',
    extensions: ['.zig'],
    rootMarkers: ['build.zig'],
  })
  expect(marked.root).toEqual({ kind: 'nearest', markers: ['build.zig'] })
})

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}

test('D04 an error that keeps a server from telling the others is known, and no other is', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
  const finding = { range, severity: 1, message: 'wrong', code: undefined, source: undefined, raw: {} }
  const hidden = (id: string, found: object[]) =>
    definitionOf(id).hides?.(found.map(part => ({ ...finding, ...part }))) !== undefined
  expect(hidden('clangd', [{ code: 'undeclared_var_use' }])).toBe(false)
  expect(hidden('clangd', [{ code: 'undeclared_var_use' }, { code: 'pp_file_not_found' }])).toBe(true)
  expect(hidden('clangd', [{ message: 'In included file: wrong' }])).toBe(true)
  expect(hidden('clangd', Array(18).fill({}))).toBe(false)
  expect(hidden('clangd', Array(19).fill({}))).toBe(true)
  expect(hidden('clangd', Array(40).fill({ severity: 2 }))).toBe(false)
  expect(hidden('gopls', [{ source: 'compiler' }])).toBe(false)
  expect(hidden('gopls', [{ source: 'compiler' }, { source: 'syntax' }])).toBe(true)
})

function definitionOf(id: string): ServerDefinition {
  const found = serverDefinitions.find(definition => definition.id === id)
  if (found === undefined) throw new TypeError(`there is no server ${id}`)
  return found
}
