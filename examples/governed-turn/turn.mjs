// A turn in which the model never asks a language server: the host assembles the context, the model edits, and what the
// compiler says about the edit stands first in the next context. Preset `governed`: only what reads is sent, nothing is
// injected without a record, and a server runs only because the operator registered it.
//
//   npm run build && node examples/governed-turn/turn.mjs
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createBridge } from 'alidade'

const here = resolve(process.argv[1], '..')
const folder = await realpath(await mkdtemp(join(tmpdir(), 'alidade-example-')))
const project = join(folder, 'project')
await cp(join(here, 'project'), project, { recursive: true })

const bridge = await createBridge({
  root: project,
  preset: 'governed',
  // The operator's word. Without it `governed` starts nothing when nobody is there to be told.
  settings: { servers: { typescript: { language: 'typescript' } } },
  env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
})

const sent = new Set()
bridge.events.subscribe(event => {
  if (event.type === 'request.started') sent.add(event.method)
})

try {
  const task = 'Give `total` a discount in percent; `reduced` in prices.ts does the arithmetic.'

  // Before the turn. The first call starts the server, hence the long deadline; 1.5 seconds are the default.
  const before = await contextFor({ files: ['src/cart.ts'], task, timeout_ms: 60_000 })
  show('Put before the model, unasked', before.text)
  assert.match(before.text, /src\/prices\.ts/, 'what the file uses is defined there')
  assert.match(before.text, /reduced\(price: Price, percent: number\): Price/, 'the task names it')
  assert.match(before.text, /src\/receipt\.ts/, 'who depends on the file')

  // The model edits, and makes a mistake: `reduced` is not imported.
  const cart = join(project, 'src/cart.ts')
  const text = await readFile(cart, 'utf8')
  const edited = text
    .replace('total(lines: readonly Line[])', 'total(lines: readonly Line[], percent = 0)')
    .replace(
      'return sum(lines.map(({ price }) => price))',
      'return reduced(sum(lines.map(({ price }) => price)), percent)',
    )
  await writeFile(cart, edited)

  // The next turn: what is wrong now comes first. The model has the file, so it is not told again.
  const after = await contextFor({ files: ['src/cart.ts'], seen: ['src/cart.ts'], timeout_ms: 60_000 })
  show('Put before the model after its edit', after.text)
  assert.equal(after.pack.items[0].kind, 'diagnostics')
  assert.match(after.pack.items[0].text, /Cannot find name 'reduced'/)

  await writeFile(cart, edited.replace('{ type Price, sum }', '{ type Price, reduced, sum }'))
  const last = await contextFor({ files: ['src/cart.ts'], seen: ['src/cart.ts'], timeout_ms: 60_000 })
  assert.match(last.text, /no errors or warnings/)

  // Every item can be traced, here and later by `alidade evidence tail --id cx:...`: who said it, when, about which content.
  const [item] = before.pack.items
  show('What is on record about the first item', JSON.stringify(item.record, undefined, 2))
  for (const { record } of before.pack.items) {
    assert.equal(record.source_type, 'lsp_semantic')
    assert.ok(record.queried_at <= record.injected_at)
    assert.match(record.content, /^sha256:/)
  }
  assert.match(before.evidence, /^ev:/)
  show('Sent to the server, and nothing else', [...sent].sort().join('\n'))
  const writing = /completion|formatting|codeAction|rename|executeCommand/i
  assert.deepEqual(
    [...sent].filter(method => writing.test(method)),
    [],
  )
} finally {
  await bridge.close()
  await rm(folder, { recursive: true, force: true })
}

async function contextFor(question) {
  const { text, answer } = await bridge.assembleContext({ budget: 800, ...question })
  // Whatever fails, the session goes on without context; here that would be a failed example.
  assert.ok(answer.ok, `${answer.kind}: ${answer.error}`)
  assert.ok(answer.result.tokens <= 800)
  return { text, pack: answer.result, evidence: answer.evidence }
}

function show(title, text) {
  console.log(`\n== ${title} ==\n${text}`)
}
