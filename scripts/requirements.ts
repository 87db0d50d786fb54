// `npm run requirements`: what the last full run of the tests says about every requirement. Fails on one without a test
// that passed. `npm test` ends with it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { numbersIn, readRequirements } from './requirements/list.js'

const report = join('node_modules', '.cache', 'alidade-test-report.json')
if (!existsSync(report)) {
  console.error('there is no report of a run yet: run npm test first')
  process.exit(2)
}
const reportSchema = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) }),
  ),
})
const tests = reportSchema
  .parse(JSON.parse(readFileSync(report, 'utf8')))
  .testResults.flatMap(file => file.assertionResults)

let gaps = 0
for (const { number, sentence, notTested } of readRequirements()) {
  const own = tests.filter(({ fullName }) => numbersIn(fullName).includes(number))
  const passed = own.filter(({ status }) => status === 'passed').length
  const failed = own.filter(({ status }) => status === 'failed').length
  const isHeld = notTested !== undefined || (passed > 0 && failed === 0)
  if (!isHeld) gaps += 1
  const outcome = notTested ?? (failed > 0 ? `${failed} FAILED` : passed > 0 ? 'held' : 'NO TEST')
  console.log(`${number.padEnd(6)} ${String(passed).padStart(4)}  ${outcome.padEnd(10)}  ${sentence}`)
}
console.log(gaps === 0 ? 'every requirement is held' : `${gaps} requirements are not held`)
process.exitCode = gaps === 0 ? 0 : 1
