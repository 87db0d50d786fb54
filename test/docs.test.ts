// Documentation that cannot go stale unnoticed: generated pages are compared with what the lists say now, the lists are
// complete enough to be documented, and what the hand-written pages name exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fieldsOf } from '../scripts/docs/json-shape.js'
import { knobs } from '../scripts/docs/presets-table.js'
import { matrixPart, resultsPart } from '../scripts/docs/real-results.js'
import { unobeyedSettings } from '../scripts/docs/settings-page.js'
import { architectureFile, generatedFiles, resultsFile } from '../scripts/generated-docs.js'
import { truthFile } from '../scripts/truth/results.js'
import { describeSettings } from '../src/config/describe.js'
import { operations } from '../src/operations/index.js'
import { inputSchema, parseInput } from '../src/operations/input.js'
import type { Operation } from '../src/operations/operation.js'
import type { RootFacts, ServerDefinition } from '../src/servers/definition.js'
import { serverDefinitions } from '../src/servers/index.js'
import { inputFrom, optionsOf, positionalOf } from '../src/surfaces/cli/flags.js'
import { readResults } from './real/results.js'

const project = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(project, path), 'utf8')
const readIfThere = (path: string) => (existsSync(join(project, path)) ? read(path) : undefined)

const results = readIfThere(resultsFile)
const truth = readIfThere(truthFile)
const generated = generatedFiles({ architecture: read(architectureFile), results, truth })
const decisions = readdirSync(join(project, 'docs/decisions')).map(name => `docs/decisions/${name}`)
const pages = ['docs/verdicts.md', 'docs/operators.md', 'docs/agents.md']
const handWritten = [architectureFile, 'CONTRIBUTING.md', 'AGENTS.md', 'CHANGELOG.md', ...pages, ...decisions]

const sentence = /^[A-Z0-9].*\.$/s
/** Put after a colon in a message, so it neither begins nor ends like a sentence. */
const phrase = /^[^A-Z\s].*[^.\s]$/s

describe('generated pages', () => {
  test.each(generated.map(file => [file.path, file] as const))('%s is current', (path, { text }) => {
    expect(readIfThere(path), `${path} is stale; run: npm run docs`).toBe(text)
  })

  test('the results shown are of servers and operations that exist', () => {
    if (results === undefined) return
    const ids = serverDefinitions.map(({ id }) => id)
    const names: readonly string[] = operations.map(({ name }) => name)
    for (const [id, server] of Object.entries(readResults().servers)) {
      expect(ids).toContain(id)
      expect(names).toEqual(expect.arrayContaining(Object.keys(server.operations)))
    }
  })

  test('a knob is said to be obeyed where it is, and only there', () => {
    const files = sourceFiles()
    for (const [name, { obeyedIn }] of Object.entries(knobs)) {
      if (obeyedIn !== undefined) {
        expect(existsSync(join(project, 'src', obeyedIn)), `${name}: ${obeyedIn}`).toBe(true)
        continue
      }
      const readers = files.filter(
        path => path !== 'src/config/knobs.ts' && new RegExp(`\\bpreset\\.${name}\\b`).test(read(path)),
      )
      expect(readers, `${name} is obeyed now; say so in scripts/docs/presets-table.ts`).toEqual([])
    }
    const rows = describeSettings()
    for (const [name, { obeyedIn }] of Object.entries(knobs)) {
      const key = `knobs.${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`
      const said = rows.find(row => row.key === key)?.description ?? ''
      expect(said.startsWith('Not obeyed'), `${key}: ${said}`).toBe(obeyedIn === undefined)
    }
    for (const name of unobeyedSettings) {
      const readers = files.filter(path => new RegExp(`\\bsettings\\.${name}\\b`).test(read(path)))
      expect(readers, `${name} is obeyed now; say so in scripts/docs/settings-page.ts`).toEqual([])
    }
  })

  test('what a real server was shown to lack stands on its page with the reason', () => {
    const lacking = (method: string, name: string) => ({
      verdict: 'missing',
      reason: `Pyright does not offer ${method}, which ${name} needs`,
    })
    const operations = {
      find_symbol: { verdict: 'complete' },
      find_references: { verdict: 'partial', reason: 'it stops early' },
      get_code_lenses: lacking('textDocument/codeLens', 'get_code_lenses'),
      format_range: lacking('textDocument/rangeFormatting', 'format_range'),
    }
    const server = { name: 'Pyright', version: '1.1', diagnostics: 'pulled', operations }
    const results = { requests: {}, servers: { pyright: server } }
    const text = resultsPart(results).join('\n')
    expect(text).toContain('| `pyright` | Pyright 1.1 | pulled | 1 | 1 | 0 | 2 |')
    expect(text).toContain('- `find_references` partial: it stops early.')
    expect(text).toContain('- `get_code_lenses`, `format_range` not offered.')
    const matrix = matrixPart(results, Object.keys(operations)).join('\n')
    expect(matrix).toContain('| [`find_symbol`](#find_symbol) | yes |')
    expect(matrix).toContain('| [`find_references`](#find_references) | part |')
    expect(matrix).toContain('| [`format_range`](#format_range) | - |')
  })
})

describe.each(operations.map(operation => [operation.name, operation] as const))('%s', (_, operation) => {
  const { name, summary, example }: Operation = operation

  test('has a name, a summary of at most 240 characters and described fields', () => {
    expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
    expect(summary).toMatch(sentence)
    expect(summary.length).toBeLessThanOrEqual(240)
    for (const field of fieldsOf(inputSchema(operation))) {
      expect(field.description, `${name}.${field.name}`).toMatch(sentence)
    }
  })

  test('has an example that is a valid command line about something that is there', () => {
    const input = parseInput(operation, typed(operation, example))
    if (typeof input.file !== 'string') return
    const text = readFileSync(input.file, 'utf8')
    if (typeof input.symbol === 'string') expect(text).toContain(input.symbol)
  })
})

describe.each(serverDefinitions.map(server => [server.id, server] as const))('%s', (_, server) => {
  test('has an install hint, files, a root rule and a limited form', () => {
    expect(server.install).toMatch(phrase)
    expect(Object.keys(server.extensions).length).toBeGreaterThan(0)
    for (const extension of Object.keys(server.extensions))
      expect(extension).toMatch(/^(\.[a-z0-9+]+)+$|^[a-z]+$/)
    if (server.root.kind !== 'workspace') expect(server.root.markers).not.toEqual([])
    if (server.limited.kind === 'reduced') {
      const { kind: _, costs, ...changes } = server.limited
      expect(costs(everythingThere) ?? '').toMatch(phrase)
      expect(Object.values(changes)).not.toEqual([])
    }
  })

  test('gives its reasons as sentences', () => {
    for (const reason of reasonsOf(server)) expect(reason).toMatch(sentence)
    for (const { reason, hint } of server.limits?.(nothingThere) ?? []) {
      expect(reason).toMatch(phrase)
      if (hint !== undefined) expect(hint).toMatch(sentence)
    }
  })
})

test('R-26 the built-in matrix has the install hints word for word', () => {
  const hints = Object.fromEntries(serverDefinitions.map(({ id, install }) => [id, install]))
  expect(hints).toMatchObject({
    'rust-analyzer': 'rustup component add rust-analyzer',
    pylsp: 'pip install python-lsp-server',
    'typescript-language-server': 'npm i -g typescript-language-server',
    gopls: 'go install golang.org/x/tools/gopls@latest',
  })
})

test('names are unique', () => {
  for (const names of [operations.map(({ name }) => name), serverDefinitions.map(({ id }) => id)]) {
    expect(new Set(names).size).toBe(names.length)
  }
})

describe('hand-written pages', () => {
  test.each(handWritten)('%s names only files that exist', path => {
    const named = [...read(path).matchAll(/`((?:src|test|scripts|bench|docs)\/[\w./-]*)`/g)]
    const missing = named.map(([, file = '']) => file).filter(file => !existsSync(join(project, file)))
    expect(missing).toEqual([])
    expect(localLinks(path).filter(link => !existsSync(link))).toEqual([])
  })

  test.each(handWritten)('%s is plain ASCII', path => {
    expect(read(path).match(/[^\n\x20-\x7e]+/g) ?? []).toEqual([])
  })

  test('the tree in ARCHITECTURE.md is the tree', () => {
    const [, tree = ''] = /```text\n([\s\S]*?)```/.exec(read(architectureFile)) ?? []
    const shown = tree.split('\n').flatMap(line => /^ {2}(src\/[\w./-]*)/.exec(line)?.[1] ?? [])
    const entries = readdirSync(join(project, 'src'), { withFileTypes: true })
    const real = entries
      .filter(entry => !entry.name.endsWith('.test.ts'))
      .map(entry => `src/${entry.name}${entry.isDirectory() ? '/' : ''}`)
    expect(shown.toSorted()).toEqual(real.toSorted())
  })

  test('every decision asks, chooses and says what would change it', () => {
    for (const path of decisions) {
      expect(path).toMatch(/\/\d{3}-[a-z0-9-]+\.md$/)
      const headings = [...read(path).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
      expect(headings, path).toEqual(['Question', 'Choice', 'What would change our mind'])
    }
  })

  test('decision 015 explains every package that the program imports or ships', () => {
    const explained = [...read('docs/decisions/015-dependencies.md').matchAll(/^\| `([^`]+)`/gm)]
    const names = explained.map(([, name = '']) => name)
    const manifest = manifestSchema.parse(JSON.parse(read('package.json')))
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(declared).toEqual(expect.arrayContaining(names))
    const sources = sourceFiles().map(read).join('\n')
    const imported = Object.keys(manifest.dependencies).filter(name =>
      new RegExp(`(?:from |import\\(|ownDependency\\()'${name}(?:/[^']*)?'`).test(sources),
    )
    expect(names).toEqual(expect.arrayContaining(imported))
  })
})

const packages = z.record(z.string(), z.string())
const manifestSchema = z.object({ dependencies: packages, devDependencies: packages })

/** What the example's words come to, by the very flags of its command. */
function typed(operation: Operation, example: string): Record<string, unknown> {
  const command = new Command().exitOverride().argument('[words...]')
  for (const option of optionsOf(operation)) command.addOption(option)
  const words = [...example.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
  command.parse(words, { from: 'user' })
  const positional = positionalOf(operation)
  const most = positional === undefined ? 0 : positional.several ? Number.POSITIVE_INFINITY : 1
  expect(command.args.length).toBeLessThanOrEqual(most)
  const given = Object.entries(command.opts()).filter(([key]) => command.getOptionValueSource(key) === 'cli')
  return inputFrom(
    operation,
    { positional: command.args, flags: Object.fromEntries(given) },
    { cwd: project, exists: existsSync },
  )
}

const nothingThere: RootFacts = { root: '/workspace', file: undefined, exists: () => false }
const everythingThere: RootFacts = { ...nothingThere, exists: () => true }

function reasonsOf({ readiness, diagnostics, limited, quirks }: ServerDefinition): string[] {
  const same = limited.kind === 'same' ? [limited.reason] : []
  return [readiness.reason, diagnostics.reason, ...same, ...Object.values(quirks)]
}

function localLinks(path: string): string[] {
  const links = [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
  return links.map(([, link = '']) => resolve(project, path, '..', link))
}

function sourceFiles(): string[] {
  return readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(path => join('src', path))
}
