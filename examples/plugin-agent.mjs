// Alidade as a plugin in a small agent loop: tools that follow what the server can do, an edit that reaches the server by
// itself, a signal that directs the agent, and a server that crashes and comes back.
// Run it with: node examples/plugin-agent.mjs
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { pluginBuilder } from 'alidade'
import { workspace } from './workspace.mjs'

const project = workspace({ 'notes.toy': 'hello boom\n' })
// Alidade does not know this server, so the operator has to trust the folder before it is run there.
project.trust()

const plugin = await pluginBuilder({ env: project.env })
  .root(project.root)
  .language('toy')
  .registryOverride('toy', process.execPath, [fileURLToPath(new URL('toy-server.mjs', import.meta.url))], {
    extensions: ['.toy'],
  })
  .build()

// Hooks observe: this is where a host logs.
plugin.onNotification(({ level, message }) => console.log(`  [${level}] ${message}`))
plugin.onStateChange(({ from, to }) => console.log(`  (${from} -> ${to})`))
// Routes direct: whenever diagnostics change, the agent looks at them next.
plugin.route('lsp_diagnostics_changed', ({ payload }) =>
  payload.diagnostics.length === 0 ? undefined : { tool: 'lsp_diagnostics', input: { file: payload.file } },
)

/** What the host's own edit tool does, and the hook that follows every tool. */
async function edit(path, text) {
  project.write(path, text)
  await plugin.postToolUse({ toolName: 'vfs_edit', args: { path } })
}

async function use(name, input) {
  const tool = (await plugin.tools()).find(offered => offered.name === name)
  const answer = await tool.call(input)
  console.log(`agent: ${name} ${JSON.stringify(input)}\n${answer.text.replace(/^/gm, '    ')}`)
  return answer
}

/** Until something happens that nobody asked for. Waiting servers keep no process alive; an agent has other work then. */
const next = kind =>
  new Promise(resolve => {
    const otherWork = setInterval(() => {}, 1000)
    const stop = plugin.onTask(event => {
      if (event.kind !== kind) return
      stop()
      clearInterval(otherWork)
      resolve(event)
    })
  })

try {
  // The first question starts the server; from then on there is a tool for what it declares, and for nothing else.
  const hover = await use('lsp_hover', { file: 'notes.toy', line: 1, symbol: 'hello' })
  assert.match(hover.text, /the word hello/)
  const names = (await plugin.tools()).map(({ name }) => name)
  assert.deepEqual(names, ['lsp_diagnostics', 'lsp_hover'])

  // An edit by the host reaches the server; its complaint comes back as a signal, and the route makes it the next step.
  const complaint = next('lsp_diagnostics_changed')
  await edit('notes.toy', 'hello boom\nthis is wrong\n')
  await complaint
  const [directive] = plugin.takeDirectives()
  const found = await use(directive.tool, directive.input)
  assert.match(found.text, /2:1 error \[toy\]: wrong: this is wrong/)

  // The server crashes; the tool says so and points to text search; a second later the server is back.
  const ready = next('lsp_server_ready')
  const crashed = await use('lsp_hover', { file: 'notes.toy', line: 1, symbol: 'boom' })
  assert.equal(crashed.result.kind, 'ServerRestarting')
  assert.match(crashed.result.hint, /text search/)
  assert.equal(plugin.state, 'Restarting')
  await ready
  assert.equal(plugin.state, 'Ready')
  const again = await use('lsp_hover', { file: 'notes.toy', line: 1, symbol: 'hello' })
  assert.match(again.text, /the word hello/)
} finally {
  await plugin.close()
  project.remove()
}
