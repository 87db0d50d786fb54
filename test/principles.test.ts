// What holds for the whole program rather than for a part of it: it sees what an editor would see, reading changes
// nothing, and it never installs anything.
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startRaw } from '../bench/raw-client.js'
import { openBridge } from '../src/bridge.js'
import { createBridge } from '../src/index.js'
import { property } from '../src/json.js'
import { parseHover, parseLocations } from '../src/lsp/results.js'
import { operations } from '../src/operations/index.js'
import { definitionsInOrder } from '../src/servers/index.js'
import { rustAnalyzer } from '../src/servers/rust-analyzer.js'
import { typescript } from '../src/servers/typescript.js'
import { inputFor } from './every-operation.js'
import { fixture, temporaryWorkspace } from './fixture/index.js'

vi.setConfig({ testTimeout: 120_000 })

const shapes = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["*.ts"] }
-- shapes.ts --
export function area(side: number): number {
  return side * side
}
-- use.ts --
import { area } from './shapes.js'
export const both = area(2) + area(3)
-- tool.py --
def width(side: int) -> int:
    return side

print(width("x"))
`

test('R-01 what is told of a symbol is what an editor gets from the same server on the same root and text', async () => {
  await using workspace = await temporaryWorkspace(shapes)
  const embedded = typescript.embedded?.()
  if (embedded === undefined) throw new Error('the embedded server is missing')
  const editor = await startRaw(embedded, workspace.root)
  const bridge = await createBridge({ root: workspace.root, evidence: 'none' })
  try {
    const uri = editor.open(join(workspace.root, 'use.ts'), 'typescript')
    const at = { textDocument: { uri }, position: { line: 1, character: 21 } }
    const target = { file: 'use.ts', line: 2, column: 22 }
    const hover = parseHover(await editor.connection.sendRequest('textDocument/hover', at))
    const inspected = await bridge.inspectSymbol(target)
    expect(hover?.text).toContain(String(property(property(inspected, 'result'), 'signature')))
    const params = { ...at, context: { includeDeclaration: true } }
    const seen = parseLocations(await editor.connection.sendRequest('textDocument/references', params))
    const told = await bridge.findReferences(target)
    expect(property(property(told, 'result'), 'references')).toHaveLength(seen.length)
  } finally {
    editor.close()
    await bridge.close()
  }
})

test('R-15 reading writes no file, whatever is read', async () => {
  await using workspace = await temporaryWorkspace(shapes)
  const before = contentsOf(workspace.root)
  const bridge = await openBridge({ root: workspace.root, evidence: 'none' })
  try {
    for (const operation of operations.filter(({ effect }) => effect === 'read')) {
      for (const file of ['shapes.ts', 'tool.py']) {
        const given: Record<string, unknown> = inputFor(operation)
        const input = {
          ...given,
          ...('file' in given ? { file } : {}),
          ...('files' in given ? { files: [file] } : {}),
        }
        await bridge.run(
          operation,
          { ...input, ...('edits' in given ? { edits: [{ file, new_text: 'x' }] } : {}) },
          { caller: 'host' },
        )
      }
    }
  } finally {
    await bridge.close()
  }
  expect(contentsOf(workspace.root)).toEqual(before)
})

test('R-15 servers are told to fetch and build nothing in a workspace that nobody trusts', () => {
  expect(JSON.stringify(typescript.settings)).toContain('"disableAutomaticTypeAcquisition":true')
  const { limited } = rustAnalyzer
  expect(JSON.stringify(limited)).toMatch(/"buildScripts":\{[^}]*"enable":false/)
  expect(JSON.stringify(limited)).toMatch(/"procMacro":\{[^}]*"enable":false/)
})

test('R-31 the table of the earlier designs: each language with its program and arguments', () => {
  const first = (language: string) =>
    definitionsInOrder('seed').find(definition => definition.language === language)
  expect(['rust', 'go', 'python', 'typescript', 'c'].map(language => first(language)?.command)).toEqual([
    'rust-analyzer',
    'gopls',
    'pylsp',
    'typescript-language-server',
    'clangd',
  ])
  expect(first('go')?.args).toContain('serve')
  expect(first('typescript')?.args).toContain('--stdio')
  expect(first('rust')?.args).toEqual([])
  expect(first('python')?.args).toEqual([])
})

test('R-32 an entry is plain data, added or overridden in configuration and in code', async () => {
  await using workspace = await temporaryWorkspace(shapes)
  const servers = {
    zig: {
      language: 'zig',
      command: process.execPath,
      args: ['--quiet'],
      extensions: ['.zig'],
      env: { A: 'b' },
    },
  }
  const bridge = await openBridge({ root: workspace.root, evidence: 'none', settings: { servers } })
  writeFileSync(join(workspace.root, 'a.zig'), 'const x = 1;\n')
  try {
    const found = await bridge.candidates()
    const zig = found.find(({ language }) => language === 'zig')
    // It is known by its entry alone; that it would be started is another matter, and here it would not.
    expect(zig).toMatchObject({
      files: 1,
      error: { kind: 'NotTrusted', message: expect.stringMatching(/^zig /) },
    })
  } finally {
    await bridge.close()
  }
})

test('R-33 a missing server is never installed: no installer is run, whatever is asked', async () => {
  await using workspace = await temporaryWorkspace(fixture`
-- go.mod --
module example.com/x
-- main.go --
package main
`)
  const folder = mkdtempSync(join(tmpdir(), 'alidade-traps-'))
  try {
    const trace = join(folder, 'trace')
    for (const installer of [
      'npm',
      'npx',
      'pip',
      'pip3',
      'go',
      'rustup',
      'cargo',
      'brew',
      'apt-get',
      'curl',
    ]) {
      const trap = join(folder, installer)
      writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> ${trace}\nexit 1\n`)
      chmodSync(trap, 0o755)
    }
    mkdirSync(join(folder, 'home'))
    const env = { PATH: folder, HOME: join(folder, 'home') }
    const bridge = await createBridge({ root: workspace.root, env, evidence: 'none' })
    const answer = await bridge.listSymbols({ file: 'main.go' })
    expect(answer).toMatchObject({ ok: false, kind: 'ServerUnavailable' })
    await bridge.serverStatus({})
    await bridge.close()
    expect(readdirSync(folder)).not.toContain('trace')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function contentsOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}
