// Definition, references, and a rename as a diff that nobody has applied: the preset `sandbox`.
// Run it with: node examples/sandbox-rename.mjs
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBridge } from 'alidade'
import { shapes, workspace } from './workspace.mjs'

const project = workspace(shapes)
const bridge = await createBridge({ root: project.root, env: project.env, preset: 'sandbox' })
try {
  const tools = Object.fromEntries((await bridge.tools()).map(tool => [tool.name, tool]))
  const call = async (name, input) => {
    const { text } = await tools[name].call(input)
    console.log(`${name} ${JSON.stringify(input)}\n${text}\n`)
    return text
  }

  const here = { file_path: 'src/main.ts', line: 4, col: 20 } // the call of `area`
  assert.equal(
    await call('find_definition', here),
    'Found 1 definition(s) for symbol at src/main.ts:4:20:\n  1. src/shapes.ts:4:3  area(): number {',
  )
  assert.match(await call('find_references', here), /^Found 3 reference\(s\)/)

  // A file must have been read before what stands in it is renamed: the host says when its Read tool read it.
  const rename = { ...here, new_name: 'surface' }
  assert.match(await call('rename_symbol', rename), /^ReadRequired: /)
  bridge.noteRead('src/main.ts')
  const diff = await call('rename_symbol', rename)
  assert.match(diff, /^Rename \u2192 "surface" would touch 2 file\(s\):/)
  assert.match(diff, /^\+console\.log\(square\.surface\(\)\)$/m)

  // Nothing was written: the agent reviews the diff and uses its own Edit tool.
  assert.match(readFileSync(join(project.root, 'src/shapes.ts'), 'utf8'), /area\(\)/)
} finally {
  await bridge.close()
  project.remove()
}
