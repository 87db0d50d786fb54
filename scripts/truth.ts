// `npm run truth`: does Alidade ever call an answer complete that is not, on real servers and real code?
// `npm run truth -- edits`: does it ever call a broken file clean, or a mended one broken?
// Options: --server ID (again for more), --starts N (per server; goes on with what earlier runs of the seed found),
// --edits N (in all), --seed TEXT, --write (keeps the results for docs/truth.md).
import { parseArgs } from 'node:util'
import { describeEdits, describeStarts, shortfallsOfEdits, shortfallsOfStarts } from './truth/report.js'
import { runEdits } from './truth/run-edits.js'
import { runStarts } from './truth/run-starts.js'
import { type Subject, subjectsOf } from './truth/subjects.js'
import { editsResultOf, keepResults, startsResultOf } from './truth/summaries.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string', multiple: true, default: [] },
    starts: { type: 'string', default: '5' },
    edits: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    write: { type: 'boolean', default: false },
  },
})

const { seed, write } = values
const [mode = 'starts'] = positionals
if (mode !== 'starts' && mode !== 'edits') throw new TypeError(`there is no ${mode}: starts or edits`)
const { found, missing } = subjectsOf(values.server)
for (const { id, reason } of missing) console.log(`${id}: left out, ${reason}`)
const say = (line: string) => console.log(line)
say(`seed ${seed}`)
const failures: string[] = []
const summary: string[] = []
for (const subject of found) {
  if (mode === 'starts') await starts(subject, countOf('starts', values.starts))
  else await edits(subject, Math.ceil(countOf('edits', values.edits) / found.length))
}
say(['', ...summary].join('\n'))
if (failures.length > 0) {
  console.error(['', ...failures].join('\n'))
  process.exitCode = 1
}

async function starts(subject: Subject, count: number): Promise<void> {
  const outcome = await runStarts(subject, {
    starts: count,
    seed,
    say,
    resume: true,
    // On a busy machine clangd has been seen to hold a wrong answer for more than 10 s.
    steadyMilliseconds: subject.server.definition.readiness.kind === 'blocks' ? 10_000 : 30_000,
  })
  const result = startsResultOf(subject, seed, outcome)
  summary.push(describeStarts(subject.id, result))
  failures.push(...outcome.lies, ...shortfallsOfStarts(subject.id, result))
  if (write) keepResults({ starts: { [subject.id]: result } })
}

async function edits(subject: Subject, count: number): Promise<void> {
  const outcome = await runEdits(subject, { edits: count, seed, say })
  const result = editsResultOf(subject, seed, outcome)
  const line = describeEdits(subject.id, result)
  say(line)
  for (const [reason, times] of Object.entries(outcome.reasons)) say(`  unknown ${times} times: ${reason}`)
  summary.push(line)
  failures.push(...outcome.violations, ...shortfallsOfEdits(subject.server.definition, result))
  if (write) keepResults({ edits: { [subject.id]: result } })
}

function countOf(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new TypeError(`--${name} takes a whole number, not ${text}`)
  return count
}
