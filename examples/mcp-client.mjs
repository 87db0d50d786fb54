// The whole of LSP over MCP: the preset `full`, asked by an MCP client. Run it with: node examples/mcp-client.mjs
// It needs the client of MCP: npm install @modelcontextprotocol/client
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { executable, shapes, workspace } from './workspace.mjs'

const project = workspace(shapes)
const client = new Client({ name: 'example', version: '1.0.0' })
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [executable, 'mcp', '--preset', 'full', '--root', project.root],
      env: project.env,
      stderr: 'ignore',
    }),
  )
  const { tools } = await client.listTools()
  console.log(`${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}\n`)

  const call = async (name, input) => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    const [{ text }] = content
    console.log(`${name} ${JSON.stringify(input)}\n${text}\n`)
    return { text, isError }
  }

  const outline = await call('list_symbols', { file: 'src/shapes.ts' })
  assert.match(outline.text, /class Square/)

  // Every first line ends in a verdict: complete, partial or unknown.
  const references = await call('find_references', { file: 'src/shapes.ts', symbol: 'Square.area' })
  assert.match(references.text, /^2 references to area .*\[complete; /)

  const diagnostics = await call('get_diagnostics', { file: 'src/main.ts' })
  assert.match(diagnostics.text, /^src\/main\.ts: 1 error, settled for sha256:/)

  // A change is proposed first and written by its handle, all of it or nothing.
  const rename = await call('rename_symbol', {
    file: 'src/shapes.ts',
    symbol: 'Square.area',
    new_name: 'surface',
  })
  const [, handle] = /proposal: (p:\S+)/.exec(rename.text)
  const applied = await call('apply_edit', { handle })
  assert.equal(applied.isError, undefined)
  const after = await call('find_references', { file: 'src/shapes.ts', symbol: 'Square.surface' })
  assert.match(after.text, /^2 references to surface /)
} finally {
  await client.close()
  project.remove()
}
