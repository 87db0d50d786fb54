// Renames over module borders with the embedded TypeScript: wherever a symbol is pointed at, the same change is proposed,
// and what is somebody else's keeps its name.
import { expect, test } from 'vitest'
import { embeddedBridge } from '../../test/embedded-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'

const story = fixture`
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true } }
-- package.json --
{ "type": "module" }
-- inner.ts --
export class Deep {}
class Listed {}
export { Listed }
export { Deep as Shown }
-- barrel.ts --
export { Deep, Listed } from './inner.js'
-- user.ts --
import { Deep, Listed } from './barrel.js'
export const deep = new Deep()
export const listed = new Listed()
-- direct.ts --
import { Deep, Listed, Shown } from './inner.js'
import { join } from 'node:path'
export const deep: Deep = new Shown()
export const listed: Listed = new Listed()
export const joined = join('a', 'b')
`

test('contract 3.1 whatever place of a symbol is pointed at, it is renamed everywhere', async () => {
  await using opened = await embeddedBridge(story)
  const proposals = new Map<string, Set<string | undefined>>()
  for (const [file, text] of story.files) {
    for (const [index, content] of text.split('\n').entries()) {
      for (const { 0: symbol, index: offset } of content.matchAll(/\b(Deep|Listed)\b/g)) {
        const place = { file, line: index + 1, column: offset + 1, symbol }
        const { result, completeness } = succeeded(
          await opened.bridge.renameSymbol({ ...place, new_name: 'Fresh' }),
        )
        expect(completeness).toEqual({ verdict: 'complete' })
        expect(result.warnings).toBeUndefined()
        proposals.set(symbol, (proposals.get(symbol) ?? new Set()).add(result.handle))
        expect(result.diff).not.toMatch(/^\+.*Fresh as (?!Shown)|^\+.* as Fresh/m)
        expect(result.files.map(each => each.file)).toEqual(['barrel.ts', 'direct.ts', 'inner.ts', 'user.ts'])
      }
    }
  }
  expect([...proposals].map(([symbol, handles]) => [symbol, handles.size])).toEqual([
    ['Deep', 1],
    ['Listed', 1],
  ])
})

test("contract 3.1 a library's name is kept behind an alias, and so is one behind another alias; both are told", async () => {
  await using opened = await embeddedBridge(story)
  const library = succeeded(
    await opened.bridge.renameSymbol({ file: 'direct.ts', line: 5, symbol: 'join', new_name: 'glue' }),
  )
  expect(library.result.files).toEqual([{ file: 'direct.ts', edits: 2 }])
  expect(library.result.diff).toContain("+import { join as glue } from 'node:path'")
  expect(library.result.warnings).toEqual([
    'join keeps its name on the other side of an alias at direct.ts:2',
  ])
  // Its definition is the class, which is called otherwise and must not be renamed for it.
  const shown = succeeded(
    await opened.bridge.renameSymbol({ file: 'direct.ts', line: 3, symbol: 'Shown', new_name: 'Fresh' }),
  )
  expect(shown.result.files).toEqual([{ file: 'direct.ts', edits: 2 }])
  expect(shown.result.warnings).toEqual([expect.stringContaining('Shown keeps its name')])
})

test('contract 3.2 what TypeScript would put in unchecked is refused or pointed out', async () => {
  await using opened = await embeddedBridge(story)
  const rename = (new_name: string) =>
    opened.bridge.renameSymbol({ file: 'inner.ts', line: 1, symbol: 'Deep', new_name })
  expect(await rename('1abc')).toMatchObject({ ok: false, kind: 'InvalidArguments' })
  expect(succeeded(await rename('class')).result.warnings).toContainEqual(
    expect.stringContaining('class is a reserved word'),
  )
  expect(succeeded(await rename('Listed')).result.warnings).toEqual([
    expect.stringContaining('Listed already stands at barrel.ts:1'),
  ])
  // The keyword in front of a name is not the name, though the server would take it for that.
  const keyword = { file: 'inner.ts', line: 1, symbol: 'class', new_name: 'Fresh' }
  expect(await opened.bridge.renameSymbol(keyword)).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
    error: expect.stringContaining('would rename Deep at 1:14, not class'),
  })
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
