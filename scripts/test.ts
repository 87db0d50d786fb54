// `npm test`: everything the project is checked by, from a fresh clone: set-up, types, lint, dead code, build, package,
// unit and fault tests, and the conformance suite over the real servers. Ends with one line: N passed, N failed.
// Before it stands what failed, and how: a log is often read from its end, and cut above. Pass file names to run only
// those tests.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readReport, reportFile } from './test-report.js'

interface Step {
  readonly title: string
  readonly command: readonly string[]
}

const chosen = process.argv.slice(2)

const checks: readonly Step[] = [
  {
    title: 'real language servers',
    command: [process.execPath, 'scripts/run.mjs', 'scripts/install-servers.ts'],
  },
  { title: 'types', command: bin('tsc', '--noEmit') },
  { title: 'lint and format', command: bin('biome', 'check', '.') },
  { title: 'build', command: [process.execPath, 'scripts/build.mjs'] },
  { title: 'dead code', command: bin('knip') },
  { title: 'package', command: bin('publint', '--strict') },
]
const requirements: Step = {
  title: 'requirements',
  command: [process.execPath, 'scripts/run.mjs', 'scripts/requirements.ts', '--gaps'],
}

let passed = 0
const failures: string[] = []

for (const step of chosen.length === 0 ? checks : []) runStep(step)
await runTests()
if (chosen.length === 0) runStep(requirements)

for (const failure of failures) console.log(`\nFAIL ${failure}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1

function runStep({ title, command: [command = '', ...args] }: Step): void {
  const began = performance.now()
  const ok = spawnSync(command, args, { stdio: 'inherit' }).status === 0
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  if (ok) passed += 1
  else failures.push(title)
}

async function runTests(): Promise<void> {
  // A report left by the run before must not speak for a run that broke before it wrote one.
  rmSync(reportFile, { force: true })
  mkdirSync(dirname(reportFile), { recursive: true })
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...chosen]
  const [command = '', ...rest] = bin('vitest', ...args)
  // A server that could not be had must not turn into a test that was not run.
  const env = { ...process.env, ALIDADE_REQUIRE_SERVERS: '1' }
  const child = spawn(command, rest, { stdio: 'inherit', env })
  const code = await new Promise<number | null>(resolve => child.once('exit', resolve))
  const report = readReport()
  passed += report?.passed ?? 0
  failures.push(...(report?.failures ?? []))
  // A run that broke outside a test (an unhandled error, say) is a failure even if every test passed.
  if (code !== 0 && (report?.failures.length ?? 0) === 0)
    failures.push(`vitest ended with ${code} although no test failed`)
}

function bin(name: string, ...args: readonly string[]): string[] {
  return [join('node_modules', '.bin', name), ...args]
}
