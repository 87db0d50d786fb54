// A host that runs a model passively: the model only edits files and never sees a tool of ours. The host opens a turn,
// lets the model edit, asks for the verdict, and puts what went wrong into the model's next context. After two
// corrections the model is not asked again, and the operator reads why.
//
//   node scripts/run.mjs examples/passive-turn/passive-turn.ts
//
// In a project of your own, import from 'alidade' instead.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createBridge, type TurnReport } from '../../src/index.js'

const price = `export function total(net: number, rate: number): number {
  return net * (1 + rate)
}
`
const invoice = `import { total } from './price.js'

export const due = total(100, 0.2).toFixed(2)
`

/** What the model writes, turn by turn. It changes a signature, and never finds the file that calls the function. */
const attempts = [
  // The first edit: an object in place of two numbers.
  `export function total(order: { net: number; rate: number }): number {
  return order.net * (1 + order.rate)
}
`,
  // The first correction: two parameters again, but the rate is now a text.
  `export function total(net: number, rate: string): number {
  return net * (1 + Number(rate))
}
`,
  // The second correction: the types are right, the result is not what callers expect.
  `export function total(net: number, rate: number): string {
  return (net * (1 + rate)).toFixed(2)
}
`,
]

export interface Story {
  /** What the model was told after each of its edits. */
  readonly contexts: readonly string[]
  readonly report: TurnReport
}

export async function passiveTurn(print: (text: string) => void): Promise<Story> {
  const root = await mkdtemp(join(tmpdir(), 'passive-turn-'))
  const state = await mkdtemp(join(tmpdir(), 'passive-turn-state-'))
  await writeFile(join(root, 'price.ts'), price)
  await writeFile(join(root, 'invoice.ts'), invoice)
  await writeFile(
    join(root, 'tsconfig.json'),
    '{ "compilerOptions": { "strict": true, "module": "nodenext" } }',
  )
  const bridge = await createBridge({
    root,
    // Nothing but reading is ever asked of a server, and everything is on record.
    preset: 'governed',
    // Where nobody is there to be told, the operator names the servers.
    settings: { servers: { typescript: { language: 'typescript' } } },
    // Records lie in the user's state folder; these go with the example.
    env: { ...process.env, XDG_STATE_HOME: state },
  })
  try {
    const turn = await bridge.turn({ files: ['price.ts'] })
    const contexts: string[] = []
    for (const [edit, text] of attempts.entries()) {
      print(`\n=== The model's edit ${edit + 1} of price.ts\n${text}`)
      await writeFile(join(root, 'price.ts'), text)
      turn.edited('price.ts')
      const { next } = await turn.check()
      print(`=== What follows: ${next.action}`)
      if (next.action !== 'correct') break
      contexts.push(next.text)
      print(next.text)
    }
    const report = await turn.close()
    print(`\n=== The operator reads\n${report.next.text}`)
    return { contexts, report }
  } finally {
    await bridge.close()
    for (const folder of [root, state]) await rm(folder, { recursive: true, force: true })
  }
}

/** The example is only worth reading while it is true. */
export function assertStory({ contexts, report }: Story): void {
  assert.equal(contexts.length, 2)
  for (const [index, text] of contexts.entries()) {
    assert.match(text, new RegExp(`^Your change introduced 1 error \\(correction ${index + 1} of 2\\)`))
    // The error is not in the file that was edited: it is in the one that depends on it.
    assert.match(text, /invoice\.ts: new_errors\n {2}3:\d+ error \[ts \d+\]/)
    assert.match(text, /export const due = total\(100, 0\.2\)\.toFixed\(2\)/)
  }
  assert.equal(report.class, 'new_errors')
  assert.deepEqual(
    report.attempts.map(({ round, class: name, errors }) => [round, name, errors]),
    [
      [0, 'new_errors', 1],
      [1, 'new_errors', 1],
      [2, 'new_errors', 1],
    ],
  )
  // Every attempt is on record under its id.
  for (const { evidence } of report.attempts) assert.match(evidence ?? '', /^ev:/)
  assert.equal(report.next.action, 'operator')
  assert.match(report.next.text, /^Unresolved: the model has used up its corrections/)
}

if (
  process.argv[1] !== undefined &&
  resolve(process.argv[1]) === resolve('examples/passive-turn/passive-turn.ts')
) {
  assertStory(await passiveTurn(console.log))
  console.log('\nas expected')
}
