// `npm test`: everything the project is checked by, from a fresh clone: set-up, types, lint, dead code, build, package,
// unit and fault tests, and the conformance suite over the real servers. Ends with one line: N passed, N failed.
// Pass file names to run only those tests.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Step {
  readonly title: string
  readonly command: readonly string[]
}

const report = join('node_modules', '.cache', 'alidade-test-report.json')
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

let passed = 0
let failed = 0

for (const { title, command } of chosen.length === 0 ? checks : []) {
  const began = performance.now()
  const ok = run(command)
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  if (ok) passed += 1
  else failed += 1
}

mkdirSync(join('node_modules', '.cache'), { recursive: true })
const tests = await runTests()
passed += tests.passed
failed += tests.failed
if (chosen.length === 0) {
  if (run([process.execPath, 'scripts/run.mjs', 'scripts/requirements.ts'])) passed += 1
  else failed += 1
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function run([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0
}

async function runTests(): Promise<{ passed: number; failed: number }> {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...chosen]
  const [command = '', ...rest] = bin('vitest', ...args)
  // A server that could not be had must not turn into a test that was not run.
  const env = { ...process.env, ALIDADE_REQUIRE_SERVERS: '1' }
  const child = spawn(command, rest, { stdio: 'inherit', env })
  const code = await new Promise<number | null>(resolve => child.once('exit', resolve))
  const counts = existsSync(report) ? readCounts(JSON.parse(readFileSync(report, 'utf8'))) : undefined
  if (counts === undefined) return { passed: 0, failed: 1 }
  // A run that broke outside a test (an unhandled error, say) is a failure even if every test passed.
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

function readCounts(value: unknown): { passed: number; failed: number } | undefined {
  const number = (name: string): number => {
    const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
    return typeof found === 'number' ? found : 0
  }
  // A file that could not even be loaded counts as one failed test.
  return {
    passed: number('numPassedTests'),
    failed: Math.max(number('numFailedTests'), number('numFailedTestSuites') > 0 ? 1 : 0),
  }
}

function bin(name: string, ...args: readonly string[]): string[] {
  return [join('node_modules', '.bin', name), ...args]
}
