// The exit code an answer stands for. Decided by what the operation declares to answer with, not by its name: a class of
// a change, or diagnostics of files, can be findings; everything else is an answer.
import * as z from 'zod'
import { unreachable } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import type { Operation } from '../../operations/operation.js'
import { exitCodes, failureCode } from './exit-code.js'

/** Empty and partial answers are answers; what was looked for and could not be established is none. */
export function exitCodeOf(operation: Pick<Operation, 'output'>, answer: Answer<unknown>): number {
  if (!answer.ok) return failureCode(answer)
  if (declares(operation, 'class')) {
    const judged = verdict.safeParse(answer.result)
    return judged.success ? classCode(judged.data.class) : exitCodes.notEstablished
  }
  if (declares(operation, 'files')) {
    const report = reported.safeParse(answer.result)
    if (report.success) return diagnosticsCode(report.data.files)
  }
  return exitCodes.answer
}

/** Contract section 6. */
const verdict = z.object({
  class: z.enum(['clean', 'warnings_only', 'new_errors', 'baseline_error', 'lsp_unavailable']),
})
const reported = z.object({
  files: z.array(
    z.object({
      verdict: z.enum(['settled', 'unknown']),
      diagnostics: z.array(z.object({ severity: z.string() })),
    }),
  ),
})

function classCode(found: z.output<typeof verdict>['class']): number {
  switch (found) {
    case 'new_errors':
      return exitCodes.findings
    case 'lsp_unavailable':
      return exitCodes.notEstablished
    case 'clean':
    case 'warnings_only':
    case 'baseline_error':
      return exitCodes.answer
    default:
      return unreachable(found)
  }
}

function diagnosticsCode(files: z.output<typeof reported>['files']): number {
  const hasErrors = files.some(file => file.diagnostics.some(({ severity }) => severity === 'error'))
  if (hasErrors) return exitCodes.findings
  return files.some(file => file.verdict === 'unknown') ? exitCodes.notEstablished : exitCodes.answer
}

function declares({ output }: Pick<Operation, 'output'>, field: string): boolean {
  return output instanceof z.ZodObject && field in output.shape
}
