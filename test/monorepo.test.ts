// A TypeScript server searches only projects that have an open file; an answer about a symbol that other packages use
// must know them all the same, from the first question on.
import { expect, test } from 'vitest'
import { embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'

const packages = fixture`
Three packages that import each other by path, each with a configuration of its own and none that refers to another.
-- packages/a/tsconfig.json --
{ "compilerOptions": { "module": "nodenext" }, "include": ["*.ts"] }
-- packages/a/alpha.ts --
export function alpha() { return 1 }
-- packages/b/tsconfig.json --
{ "compilerOptions": { "module": "nodenext" }, "include": ["*.ts"] }
-- packages/b/beta.ts --
import { alpha } from '../a/alpha.js'
export const beta = alpha()
-- packages/c/tsconfig.json --
{ "compilerOptions": { "module": "nodenext" }, "include": ["*.ts"] }
-- packages/c/gamma.ts --
import { alpha } from '../a/alpha.js'
export const gamma = alpha() + alpha()
`

test('R-89 the first references know every project below the root', async () => {
  await using opened = await embeddedBridge(packages)
  const answer = await opened.bridge.findReferences({ file: 'packages/a/alpha.ts', symbol: 'alpha' })
  if (!answer.ok) throw new Error(answer.error)
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.references.map(({ file, line }) => `${file}:${line}`)).toEqual([
    'packages/a/alpha.ts:1',
    'packages/b/beta.ts:1',
    'packages/b/beta.ts:2',
    'packages/c/gamma.ts:1',
    'packages/c/gamma.ts:2',
    'packages/c/gamma.ts:2',
  ])
})

test('R-142 the first search for a symbol knows every project below the root', async () => {
  await using opened = await embeddedBridge(packages)
  const answer = await opened.bridge.findSymbol({ query: 'gamma' })
  if (!answer.ok) throw new Error(answer.error)
  expect(answer.result.symbols.map(({ path }) => path)).toEqual(['gamma'])
})
