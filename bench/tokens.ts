// What Alidade costs a model, in tokens of o200k_base: the list of tools, which is part of every prompt, and the text of
// answers to real questions on this repository against the same result as pretty JSON.
// Usage: npm run tokens [-- --write]   (--write keeps the tables in bench/tokens.md)
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BridgeCore, openBridge } from '../src/bridge.js'
import { systemClock } from '../src/clock.js'
import { type PresetName, presets } from '../src/config/presets.js'
import { Events } from '../src/events.js'
import { operations } from '../src/operations/index.js'
import { renderAnswer } from '../src/operations/render.js'
import { instructions } from '../src/surfaces/mcp/instructions.js'
import { createToolbox } from '../src/surfaces/mcp/toolbox.js'
import { countTokens } from './count-tokens.mjs'

interface ToolList {
  readonly preset: PresetName
  readonly tools: number
  readonly tokens: number
  readonly limit: number
}

interface Question {
  readonly what: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly root: string
}

interface Cost {
  readonly what: string
  readonly text: number
  /** Of the result alone. */
  readonly result: number
  /** Of the whole answer: with target, verdicts, servers and handle, which the text says too. */
  readonly answer: number
}

const project = resolve('.')
const limits = { default: 2800, full: 9000 } as const
const mostOfJson = 0.5
/** Of a result of one place, most of the text is about the answer and not in the result at all. */
const smallResult = 100

const lists = [await toolList('default'), await toolList('full')]
const costs = await answerCosts()
report()

async function toolList(preset: keyof typeof limits): Promise<ToolList> {
  const bridge = {
    preset: presets[preset],
    events: new Events(),
    render: renderAnswer,
    offering: async () => () => undefined,
    missingServer: () => undefined,
    proposedDiffs: () => [],
    run: () => Promise.reject(new Error('a list asks nobody')),
  }
  const toolbox = createToolbox({
    openBridge: async () => bridge,
    preset,
    structured: false,
    clock: systemClock,
  })
  const tools = await toolbox.list()
  console.log(`\n${preset}`)
  for (const tool of tools) console.log(`  ${tokensOf(JSON.stringify(tool))}  ${tool.name}`)
  return { preset, tools: tools.length, tokens: tokensOf(JSON.stringify({ tools })), limit: limits[preset] }
}

async function answerCosts(): Promise<Cost[]> {
  const broken = mkdtempSync(join(tmpdir(), 'alidade-tokens-'))
  const bridges = new Map<string, BridgeCore>()
  try {
    const found: Cost[] = []
    for (const question of questions(brokenProject(broken))) {
      const bridge = bridges.get(question.root) ?? (await openBridge({ root: question.root }))
      bridges.set(question.root, bridge)
      const cost = await costOf(question, bridge)
      if (cost !== undefined) found.push(cost)
    }
    return found
  } finally {
    for (const bridge of bridges.values()) await bridge.close()
    rmSync(broken, { recursive: true, force: true })
  }
}

async function costOf(
  { what, operation: name, input }: Question,
  bridge: BridgeCore,
): Promise<Cost | undefined> {
  const operation = operations.find(known => known.name === name)
  if (operation === undefined) return undefined
  const answer = await bridge.run(operation, input, { caller: 'model' })
  if (!answer.ok) throw new Error(`${what}: ${answer.kind}: ${answer.error}`)
  const text = tokensOf(bridge.render(operation, answer))
  const [result, whole] = [answer.result, answer].map(value => tokensOf(JSON.stringify(value, null, 2)))
  return { what, text, result: result ?? 0, answer: whole ?? 0 }
}

function questions(broken: string): Question[] {
  const here = (what: string, operation: string, input: Question['input']): Question => ({
    what,
    operation,
    input,
    root: project,
  })
  const deadline = { file: 'src/clock.ts', symbol: 'withDeadline' }
  return [
    here('references to BridgeError', 'find_references', { file: 'src/errors.ts', symbol: 'BridgeError' }),
    here('outline of src/bridge.ts', 'list_symbols', { file: 'src/bridge.ts' }),
    here('definition of Workspace', 'go_to_definition', { file: 'src/bridge.ts', symbol: 'Workspace' }),
    here('symbols named like Bridge', 'find_symbol', { query: 'Bridge' }),
    here('everything about withDeadline', 'explore_symbol', deadline),
    here('callers of withDeadline', 'find_callers', deadline),
    {
      what: 'diagnostics of a file with errors',
      operation: 'get_diagnostics',
      input: { file: 'src/workspace/places.ts' },
      root: broken,
    },
  ]
}

/** A file of this project without its neighbours: nothing that it imports is there. */
function brokenProject(folder: string): string {
  mkdirSync(join(folder, 'src/workspace'), { recursive: true })
  for (const file of ['tsconfig.json', 'src/workspace/places.ts'])
    copyFileSync(join(project, file), join(folder, file))
  return folder
}

function tokensOf(text: string): number {
  return countTokens(text)
}

function report(): void {
  for (const { preset, tools, tokens, limit } of lists)
    console.log(
      `${verdict(tokens <= limit)} tool list ${preset}: ${tools} tools, ${tokens} of ${limit} tokens`,
    )
  for (const cost of costs)
    console.log(
      `${verdict(isHalf(cost))} ${cost.what}: text ${cost.text}, JSON of the result ${cost.result} (${ratio(cost, 'result')}), of the answer ${cost.answer} (${ratio(cost, 'answer')})`,
    )
  if (process.argv.includes('--write')) writeFileSync('bench/tokens.md', page())
  const isMet = lists.every(list => list.tokens <= list.limit) && costs.every(isHalf)
  process.exitCode = isMet ? 0 : 1
}

function page(): string {
  return [
    '# Tokens',
    '',
    `Written by \`npm run tokens -- --write\` on ${new Date().toISOString().slice(0, 10)}; counted with o200k_base.`,
    '',
    'The list of tools as `tools/list` answers it, without `--structured`. A client adds the instructions of the server',
    `once, which are ${tokensOf(instructions)} tokens.`,
    '',
    '| Preset | Tools | Tokens | At most | Met |',
    '| --- | --- | --- | --- | --- |',
    ...lists.map(
      ({ preset, tools, tokens, limit }) =>
        `| \`${preset}\` | ${tools} | ${tokens} | ${limit} | ${tokens <= limit ? 'yes' : 'no'} |`,
    ),
    '',
    'Answers to questions on this repository: the text that a model gets, against JSON with two spaces of indentation, of',
    'the `result` alone and of the whole answer. The text says what the whole answer says: verdict, servers and handle',
    `too. It is to be at most ${mostOfJson} of the result, or of the answer where the result is below ${smallResult} tokens.`,
    '',
    '| Question | Text | Result | Ratio | Answer | Ratio | Met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...costs.map(
      cost =>
        `| ${cost.what} | ${cost.text} | ${cost.result} | ${ratio(cost, 'result')} | ${cost.answer} | ${ratio(cost, 'answer')} | ${isHalf(cost) ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n')
}

function isHalf({ text, result, answer }: Cost): boolean {
  return text <= mostOfJson * (result < smallResult ? answer : result)
}

function ratio(cost: Cost, to: 'result' | 'answer'): string {
  return (cost.text / cost[to]).toFixed(2)
}

function verdict(isMet: boolean): string {
  return isMet ? 'ok  ' : 'MISS'
}
