// The exit code an answer stands for. Apart from the list of codes, because it knows an operation.
import type { Answer } from '../../operations/answer.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import type { Operation } from '../../operations/operation.js'
import { exitCodes, failureCode } from './exit-code.js'

/** Empty and partial answers are answers; only diagnostics can be findings. */
export function exitCodeOf(operation: Pick<Operation, 'name'>, answer: Answer<unknown>): number {
  if (!answer.ok) return failureCode(answer)
  if (operation.name !== getDiagnostics.name) return exitCodes.answer
  const { files } = getDiagnostics.output.parse(answer.result)
  if (files.some(file => file.diagnostics.some(found => found.severity === 'error')))
    return exitCodes.findings
  return files.some(file => file.verdict === 'unknown') ? exitCodes.notEstablished : exitCodes.answer
}
