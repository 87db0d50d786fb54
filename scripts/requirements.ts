// `npm run requirements`: what the last full run of the tests says about every requirement. Fails on one without a test
// that passed. `npm test` ends with it, and shows the gaps alone (`--gaps`).
import { numbersIn, readRequirements } from './requirements/list.js'
import { readReport } from './test-report.js'

const onlyGaps = process.argv.includes('--gaps')
const report = readReport()
if (report === undefined) {
  console.error('there is no report of a run yet: run npm test first')
  process.exit(2)
}

let gaps = 0
for (const { number, sentence, notTested } of readRequirements()) {
  const own = report.tests.filter(({ fullName }) => numbersIn(fullName).includes(number))
  const passed = own.filter(({ status }) => status === 'passed').length
  const failed = own.filter(({ status }) => status === 'failed').length
  const isHeld = notTested !== undefined || (passed > 0 && failed === 0)
  if (!isHeld) gaps += 1
  const outcome = notTested ?? (failed > 0 ? `${failed} FAILED` : passed > 0 ? 'held' : 'NO TEST')
  if (onlyGaps && isHeld) continue
  console.log(`${number.padEnd(6)} ${String(passed).padStart(4)}  ${outcome.padEnd(10)}  ${sentence}`)
}
console.log(gaps === 0 ? 'every requirement is held' : `${gaps} requirements are not held`)
process.exitCode = gaps === 0 ? 0 : 1
