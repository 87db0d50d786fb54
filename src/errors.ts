// The one error class of the program. Its kinds are a closed, public list; every error says what happened
// (`message`) and what to do next (`hint`). Thrown anywhere, caught in `operations/run.ts`, mapped once per surface.

export const errorKinds = [
  'ServerUnavailable',
  'LanguageNotEnabled',
  'NoServerForExtension',
  'FileNotFound',
  'NotAFile',
  'FileTooLarge',
  'RequestTimeout',
  'SessionDead',
  'CapabilityMissing',
  'Wire',
  'InvalidArguments',
  'PathOutsideWorkspace',
  'SymbolNotFound',
  'SymbolAmbiguous',
  'ServerRestarting',
  'ServerError',
  'ContentModified',
  'Cancelled',
  'PolicyDenied',
  'ApprovalRequired',
  'NotTrusted',
  'ReadRequired',
  'StaleProposal',
  'Overloaded',
  'EvidenceUnavailable',
  'DaemonUnavailable',
] as const

/** `Bug` is ours alone: an unknown throwable that reached the border. */
export type ErrorKind = (typeof errorKinds)[number] | 'Bug'

/** A target that works verbatim as the next call's input (contract 3.1). */
export interface Candidate {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly symbol: string
  readonly text: string
}

export interface BridgeErrorDetail {
  readonly kind: ErrorKind
  readonly message: string
  readonly hint?: string | undefined
  readonly candidates?: readonly Candidate[] | undefined
  readonly cause?: unknown
}

export class BridgeError extends Error {
  readonly kind: ErrorKind
  readonly hint: string | undefined
  readonly candidates: readonly Candidate[] | undefined

  constructor(detail: BridgeErrorDetail) {
    super(detail.message, { cause: detail.cause })
    this.name = 'BridgeError'
    this.kind = detail.kind
    this.hint = detail.hint
    this.candidates = detail.candidates
  }
}

/** What was thrown, in words. Anything can be thrown, also an object that refuses to become a text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'a value without a text'
  }
}

/** Turns anything thrown into a BridgeError; what is not ours is a bug and keeps its cause. */
export function asBridgeError(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown
  return new BridgeError({
    kind: 'Bug',
    message: `unexpected failure: ${messageOf(thrown)}`,
    hint: 'This is a fault in Alidade itself; please report it with the command that caused it.',
    cause: thrown,
  })
}

/** For the `default` branch of an exhaustive switch: the compiler refuses a missing case. */
export function unreachable(value: never): never {
  throw new BridgeError({ kind: 'Bug', message: `unhandled case ${JSON.stringify(value)}` })
}
