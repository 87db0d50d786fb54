// The closed list of ways in which a server can break the wire, and the one error they all become. A violation
// is final: the stream can no longer be trusted, so every pending request fails and the server is restarted.
import { BridgeError } from '../errors.js'

export type WireViolation =
  | 'header-too-long'
  | 'too-many-header-lines'
  | 'malformed-header'
  | 'bare-line-feed'
  | 'bad-length'
  | 'empty-frame'
  | 'conflicting-length'
  | 'missing-length'
  | 'frame-too-large'
  | 'unsupported-charset'
  | 'too-much-noise'
  | 'header-inside-line'
  | 'truncated-frame'
  | 'stalled-frame'
  | 'too-many-strikes'
  | 'stream-failed'

export class WireViolationError extends BridgeError {
  readonly reason: WireViolation

  constructor(reason: WireViolation, detail: string, cause?: unknown) {
    super({
      kind: 'Wire',
      message: `the server broke the wire protocol: ${detail}`,
      hint: hints[reason],
      cause,
    })
    this.name = 'WireViolationError'
    this.reason = reason
  }
}

const restarts = 'The server is restarted; ask again.'
const frameLimit = 'Ask for less at once, or raise the frame limit for this server in the settings.'
const stdoutNoise =
  'Something in the server prints to its standard output; find its log setting, or wrap the command so that only protocol messages reach standard output.'

const hints: Record<WireViolation, string> = {
  'header-too-long': stdoutNoise,
  'too-many-header-lines': stdoutNoise,
  'malformed-header': stdoutNoise,
  'bare-line-feed': 'The server ends header lines with LF alone; set `allowLineFeedOnly` in its definition.',
  'bad-length': restarts,
  'empty-frame': restarts,
  'conflicting-length': restarts,
  'missing-length': restarts,
  'frame-too-large': frameLimit,
  'unsupported-charset': 'Make the server speak UTF-8; the protocol knows no other encoding.',
  'too-much-noise': stdoutNoise,
  'header-inside-line': stdoutNoise,
  'truncated-frame': restarts,
  'stalled-frame': restarts,
  'too-many-strikes':
    'The server keeps sending messages that cannot be read; update it or report it upstream.',
  'stream-failed': restarts,
}
