// The rules of ARCHITECTURE.md as code: which folder may import which, and what may stand only in one place.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { allowed } from './architecture-rules.js'

const source = resolve(import.meta.dirname, '../src')

const files = sourceFiles(source)

test('every file of src lies in a folder the rules know', () => {
  const unknown = files.filter(file => allowed[layerOf(file)] === undefined)
  expect(unknown.map(name)).toEqual([])
})

test('imports point down', () => {
  const broken = files.flatMap(file =>
    importsOf(file)
      .filter(({ to }) => to !== layerOf(file) && !allowed[layerOf(file)]?.includes(to))
      .map(({ to }) => `${name(file)} imports ${to}`),
  )
  expect(broken).toEqual([])
})

test('servers and config import only types from above their station', () => {
  const broken = files
    .filter(file => layerOf(file) === 'config' || layerOf(file) === 'servers')
    .flatMap(file =>
      importsOf(file)
        .filter(({ to, typesOnly }) => ['supervisor', 'lsp'].includes(to) && !typesOnly)
        .map(() => name(file)),
    )
  expect(broken).toEqual([])
})

test('only config-reading places import config, apart from its types', () => {
  const broken = files.filter(
    file =>
      !['config', 'settings', 'bridge'].includes(layerOf(file)) &&
      !name(file).startsWith('surfaces/') &&
      importsOf(file).some(({ to, typesOnly }) => to === 'config' && !typesOnly),
  )
  expect(broken.map(name)).toEqual([])
})

test('nothing outside surfaces writes to stdout or imports the MCP SDK', () => {
  const broken = files.filter(
    file =>
      !name(file).startsWith('surfaces/') &&
      /console\.|process\.stdout|@modelcontextprotocol/.test(code(file)),
  )
  expect(broken.map(name)).toEqual([])
})

test('no file outside servers compares a server id', () => {
  const broken = files.filter(
    file =>
      layerOf(file) !== 'servers' &&
      /\.id === '|'(?:gopls|clangd|pyright|pylsp|rust-analyzer|typescript-language-server)'/.test(code(file)),
  )
  expect(broken.map(name)).toEqual([])
})

test('only text/position.ts counts from 1 to 0 and back', () => {
  const broken = files.filter(
    file =>
      name(file) !== 'text/position.ts' && /\b(?:line|column|character)\b\s*[+-]\s*1\b/.test(code(file)),
  )
  expect(broken.map(name)).toEqual([])
})

test('no command line is ever a string given to a shell', () => {
  const broken = files.filter(file =>
    /\bshell:\s*true|\bexecSync?\(|from 'node:child_process'.*\bexec\b/.test(code(file)),
  )
  expect(broken.map(name)).toEqual([])
})

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map(entry => join(entry.parentPath, entry.name))
}

function name(file: string): string {
  return relative(source, file).replaceAll('\\', '/')
}

function layerOf(file: string): string {
  const parts = name(file).replace(/\.ts$/, '').split('/')
  if (parts[0] === 'surfaces' && parts.length > 2) return `surfaces/${parts[1]}`
  return parts[0] ?? ''
}

function importsOf(file: string): { to: string; typesOnly: boolean }[] {
  const found = code(file).matchAll(/(import|export)\s+(type\s+)?([^'";]*?)\s*from\s*'(\.[^']+)'/g)
  return [...found].map(([, , type, names = '', path = '']) => ({
    to: layerOf(resolve(dirname(file), path.replace(/\.js$/, '.ts'))),
    typesOnly: type !== undefined || onlyTypes(names),
  }))
}

function onlyTypes(names: string): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1] ?? ''
  const parts = inner
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  return parts.length > 0 && parts.every(part => part.startsWith('type '))
}

/** Without comments, so that an explanation may name what the code may not. */
function code(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}
