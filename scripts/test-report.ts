// The report that the last run of the tests left: what passed and what failed, for the last lines of `npm test` and for
// the table of requirements.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as z from 'zod'

export const reportFile = join('node_modules', '.cache', 'alidade-test-report.json')

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

interface Report {
  readonly tests: readonly { readonly fullName: string; readonly status: string }[]
  readonly passed: number
  /** One text for each failed test: where it stands, its name, and what it said. */
  readonly failures: readonly string[]
}

export function readReport(): Report | undefined {
  if (!existsSync(reportFile)) return undefined
  const files = reportSchema.parse(JSON.parse(readFileSync(reportFile, 'utf8'))).testResults
  const tests = files.flatMap(file => file.assertionResults)
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults
      .filter(test => test.status === 'failed')
      .map(test => `${file}: ${test.fullName}\n${firstLines(test.failureMessages?.join('\n') ?? '')}`)
    // A file that could not even be loaded counts as one failed test.
    return status === 'failed' && failed.length === 0 ? [`${file}\n${firstLines(message)}`] : failed
  })
  return { tests, passed: tests.filter(({ status }) => status === 'passed').length, failures }
}

function firstLines(text: string): string {
  const lines = text.trimEnd().split('\n')
  return lines
    .slice(0, 20)
    .map(line => `     ${line.slice(0, 400)}`)
    .join('\n')
}
