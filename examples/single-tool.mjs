// One tool, five questions: the preset `single-tool`. Run it with: node examples/single-tool.mjs
import assert from 'node:assert/strict'
import { createBridge } from 'alidade'
import { shapes, workspace } from './workspace.mjs'

const project = workspace(shapes)
const bridge = await createBridge({ root: project.root, env: project.env, preset: 'single-tool' })
try {
  // What a model would be offered: a name, a description, a JSON schema, and a function.
  const [lsp] = await bridge.tools()
  console.log(`${lsp.name}: ${lsp.description}\n`)

  const ask = async input => {
    const { result } = await lsp.call(input)
    console.log(JSON.stringify(input))
    console.log(`${result.ok ? result.formatted : `${result.kind}: ${result.error}`}\n`)
    return result
  }

  const here = { file: 'src/main.ts', line: 4, character: 20 } // the call of `area`
  const definition = await ask({ kind: 'go_to_def', ...here })
  assert.equal(definition.formatted, 'Definition: src/shapes.ts:4:3 (method area)')

  const hover = await ask({ kind: 'hover', ...here })
  assert.match(hover.formatted, /Square\.area\(\): number/)

  const references = await ask({ kind: 'references', ...here })
  assert.equal(references.formatted.split('\n').length, 3)

  const symbols = await ask({ kind: 'workspace_symbol', query: 'Square' })
  assert.match(symbols.formatted, /src\/shapes\.ts:2:14 \(class Square\)/)

  const diagnostics = await ask({ kind: 'diagnostics', file: 'src/main.ts' })
  assert.match(diagnostics.formatted, /^src\/main\.ts:5:14 error .*not assignable to type 'string'/)

  // A failure has a stable kind, and nothing is thrown.
  const failed = await ask({ kind: 'hover', file: 'src/none.ts', line: 1, character: 1 })
  assert.deepEqual([failed.ok, failed.kind], [false, 'FileNotFound'])
} finally {
  await bridge.close()
  project.remove()
}
