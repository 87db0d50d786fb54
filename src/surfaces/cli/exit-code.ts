// Exit codes (contract section 2): a shell must be able to tell an answer from findings, wrong usage and "could not be
// established" without reading a word.
import type { ErrorKind } from '../../errors.js'

export const exitCodes = { answer: 0, findings: 1, usage: 2, notEstablished: 3 } as const

export function failureCode({ kind }: { readonly kind: ErrorKind }): number {
  return kind === 'InvalidArguments' ? exitCodes.usage : exitCodes.notEstablished
}
