// The sandbox's three tools with real servers of the four languages: the same texts for all of them.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixture/index.js'
import { openStory } from './open.js'
import { realServer, whenInstalled } from './servers.js'

interface SandboxStory {
  readonly server: string
  readonly fixture: ReturnType<typeof fixture>
  /** A use of `greeting`. */
  readonly use: { readonly file_path: string; readonly line: number; readonly col: number }
  readonly declared: string
}

const stories: readonly SandboxStory[] = [
  {
    server: 'gopls',
    fixture: fixture`
-- go.mod --
module example.com/greet

go 1.21
-- person.go --
package main

func greeting(name string) string {
	return "hello " + name
}
-- main.go --
package main

func main() {
	println(greeting("Ada"))
}
`,
    use: { file_path: 'main.go', line: 4, col: 10 },
    declared: 'person.go:3:6  func greeting(name string) string {',
  },
  {
    server: 'pylsp',
    fixture: fixture`
-- pyproject.toml --
[project]
name = "greet"
-- person.py --
def greeting(name: str) -> str:
    return "hello " + name
-- main.py --
from person import greeting

print(greeting("Ada"))
`,
    use: { file_path: 'main.py', line: 3, col: 7 },
    declared: 'person.py:1:5  def greeting(name: str) -> str:',
  },
  {
    server: 'typescript-language-server',
    fixture: fixture`
-- package.json --
{ "name": "greet", "type": "module" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext" } }
-- person.ts --
export function greeting(name: string): string {
  return 'hello ' + name
}
-- main.ts --
import { greeting } from './person.js'

greeting('Ada')
`,
    use: { file_path: 'main.ts', line: 3, col: 1 },
    declared: 'person.ts:1:17  export function greeting(name: string): string {',
  },
  {
    server: 'rust-analyzer',
    fixture: fixture`
-- Cargo.toml --
[package]
name = "greet"
version = "0.1.0"
edition = "2021"
-- src/person.rs --
pub fn greeting(name: &str) -> String {
    format!("hello {name}")
}
-- src/main.rs --
mod person;

fn main() {
    person::greeting("Ada");
}
`,
    use: { file_path: 'src/main.rs', line: 4, col: 13 },
    declared: 'src/person.rs:1:8  pub fn greeting(name: &str) -> String {',
  },
]

describe.each(stories)(
  'R-37 the sandbox tools with $server',
  ({ server: id, fixture: files, use, declared }) => {
    const server = realServer(id)
    whenInstalled(id, server.missing, () => {
      test(`R-37 R-150 R-155 definition, references and a rename as a diff with ${id}`, {
        timeout: 120_000,
      }, async () => {
        await using opened = await openStory({ fixture: files }, { server, trusted: true, preset: 'sandbox' })
        const { bridge } = opened
        const call = async (name: string, input: object) => {
          const tool = (await bridge.tools()).find(offered => offered.name === name)
          return (await tool?.call(input))?.text
        }
        const at = `${use.file_path}:${use.line}:${use.col}`
        // Offline, rust-analyzer complains that it cannot load the standard library, and the last line says so.
        const definition = await call('find_definition', use)
        expect(definition?.split('\n').slice(0, 2).join('\n')).toBe(
          `Found 1 definition(s) for symbol at ${at}:\n  1. ${declared}`,
        )
        const references = await call('find_references', use)
        expect(references).toMatch(new RegExp(`^Found [23] reference\\(s\\) for symbol at ${at}:\n  1\\. `))
        expect(references).toContain(`. ${declared}`)
        const rename = { ...use, new_name: 'salutation' }
        expect(await call('rename_symbol', rename)).toMatch(/^ReadRequired: /)
        bridge.noteRead(use.file_path)
        const text = await call('rename_symbol', rename)
        const [declaring = ''] = declared.split(':')
        expect(text).toMatch(/^Rename \u2192 "salutation" would touch 2 file\(s\):\n {2}- /)
        expect(text).toContain(`--- a/${declaring}\n+++ b/${declaring}\n@@ -`)
        expect(text).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m)
        expect(text).not.toMatch(/^ \S/m)
        expect(await readFile(opened.path(use.file_path), 'utf8')).toContain('greeting')
      })
    })
  },
)
