// Exit codes (contract section 2): a shell must be able to tell an answer from findings, wrong usage and "could not be
// established" without reading a word.
import type { ErrorKind } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import type { Operation } from '../../operations/operation.js'

export const exitCodes = { answer: 0, findings: 1, usage: 2, notEstablished: 3 } as const

/** Empty and partial answers are answers; only diagnostics can be findings. */
export function exitCodeOf(operation: Pick<Operation, 'name'>, answer: Answer<unknown>): number {
  if (!answer.ok) return failureCode(answer)
  if (operation.name !== getDiagnostics.name) return exitCodes.answer
  const { files } = getDiagnostics.output.parse(answer.result)
  if (files.some(file => file.diagnostics.some(found => found.severity === 'error'))) return exitCodes.findings
  return files.some(file => file.verdict === 'unknown') ? exitCodes.notEstablished : exitCodes.answer
}

export function failureCode({ kind }: { readonly kind: ErrorKind }): number {
  return kind === 'InvalidArguments' ? exitCodes.usage : exitCodes.notEstablished
}
