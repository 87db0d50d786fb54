// Installing a package is an edit too: the very next question must know it, though nobody keeps node_modules in view.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'

const project = fixture`
-- package.json --
{ "type": "module" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true } }
-- main.ts --
import { area } from 'shapes'
export const total = area(2)
`

test('R-125 a package that is installed or removed is seen by the next question', async () => {
  await using opened = await embeddedBridge(project)
  const diagnose = async () => {
    const answer = await opened.bridge.getDiagnostics({ file: 'main.ts', severity: 'error' })
    if (!answer.ok) throw new Error(answer.error)
    const [file] = answer.result.files
    expect(file?.verdict).toBe('settled')
    return file?.diagnostics.map(({ code }) => code)
  }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(opened.workspace.path(path)), { recursive: true })
    writeFileSync(opened.workspace.path(path), text)
  }
  expect(await diagnose()).toEqual(['2307'])
  write('node_modules/shapes/package.json', '{ "name": "shapes", "types": "index.d.ts" }')
  write('node_modules/shapes/index.d.ts', 'export declare function area(side: number): number\n')
  expect(await diagnose()).toEqual([])
  rmSync(opened.workspace.path('node_modules/shapes'), { recursive: true })
  expect(await diagnose()).toEqual(['2307'])
})
