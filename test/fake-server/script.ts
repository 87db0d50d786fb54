// The language in which a test tells the fake server how to behave. A script is plain JSON data, because the
// same script must run inside the test's process and in a child process that only gets a string.
import { BridgeError } from '../../src/errors.js'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * JSON in which strings may hold placeholders, filled from the message that is being answered: `{uri}`, `{version}`,
 * `{text}`, `{diagnostics}`, `{method}`, `{id}`, `{params}`, `{params.any.path}`, `{root}` (the root's URI), `{index}`
 * (the round of a repeated act). A string that is nothing but a placeholder becomes the value itself.
 */
export type Template = Json

export interface Script {
  /** What is wrong with this server, with the id of the fault. */
  readonly description?: string
  /** Laid over the built-in capabilities; `null` withdraws one, and the server then refuses its methods. */
  readonly capabilities?: { readonly [name: string]: Json }
  /** `null` leaves it out (H10). */
  readonly serverInfo?: { readonly name: string; readonly version?: string } | null
  /** Announced as written, even one that was not offered (H05); without it the field is absent: utf-16. */
  readonly positionEncoding?: string
  readonly diagnostics?: 'push' | 'push-versioned' | 'pull' | 'none'
  /** The first rule that fits a message is performed; without one the built-in behaviour is. */
  readonly rules?: readonly Rule[]
  /** Fixes every random delay, so that an order of answers can be replayed. */
  readonly seed?: number
}

/**
 * A rule changes what the server does, never what it knows: documents, versions and states are kept up to date
 * whatever the rules say.
 */
export interface Rule {
  readonly on: Selector
  /** Which of the messages that `on` and `file` select; the first is 1. */
  readonly nth?: number | Span
  /** Which start of the process; the first is 1. */
  readonly run?: number | Span
  readonly when?: 'before-initialized' | 'after-initialized' | 'before-ready' | 'after-ready'
  /** Only messages about a document whose URI ends like this. */
  readonly file?: string
  /** These acts come on top: the next rule that fits, or the built-in behaviour, still follows. */
  readonly also?: boolean
  readonly do: readonly Act[]
}

export interface Span {
  readonly from?: number
  readonly to?: number
}

/**
 * A method, or one of: `@any` message, `@request`, `@query` (a request that is neither initialize nor shutdown),
 * `@response` (the client's answer to one of our requests), `@start` of the process, `@end` of its input.
 */
export type Selector = string

export type Act = { readonly times?: number } & (
  | ({ readonly act: 'answer'; readonly result: Template } & Answering)
  | ({
      readonly act: 'error'
      readonly code: number
      readonly message: string
      readonly data?: Template
    } & Answering)
  /** An answer with exactly these members: both `result` and `error`, or neither (P05). */
  | ({ readonly act: 'respond'; readonly members: { readonly [name: string]: Template } } & Answering)
  /** What the server does without rules. `only` keeps a part of a list: its first items, or those of the asked file. */
  | ({ readonly act: 'built-in'; readonly only?: number | 'same-file' } & Answering)
  /** Ends the handling of this message: no further act, no further rule, no answer. */
  | { readonly act: 'hang' }
  | { readonly act: 'delay'; readonly milliseconds: number | { readonly from: number; readonly to: number } }
  /** Goes on after the next such message; `@cancel` is the cancellation of this very request, `@ready` being ready. */
  | { readonly act: 'wait'; readonly for: Selector }
  | { readonly act: 'notify'; readonly method: string; readonly params?: Template; readonly wire?: Wire }
  /** Without an id the server counts from 1, as the client may too. `waits` blocks the acts after it (H09). */
  | {
      readonly act: 'request'
      readonly method: string
      readonly params?: Template
      readonly id?: number | string
      readonly waits?: boolean
    }
  | {
      readonly act: 'publish'
      readonly uri?: string
      /** Without it, as the script's `diagnostics` says. */
      readonly version?: 'current' | 'previous' | 'future' | 'none'
      /** The content whose ERROR lines are told. */
      readonly content?: 'current' | 'previous'
      /** Told instead of the truth. */
      readonly diagnostics?: Template
    }
  /** Any JSON in a frame, such as a batch. */
  | { readonly act: 'send'; readonly message: Template; readonly wire?: Wire }
  /** Any bytes in a frame. */
  | { readonly act: 'frame'; readonly body: Bytes; readonly wire?: Wire }
  /** Any bytes without a frame. */
  | { readonly act: 'raw'; readonly bytes: Bytes }
  /** From now on output leaves in pieces of so many bytes. */
  | { readonly act: 'drip'; readonly bytes: number; readonly milliseconds?: number }
  | { readonly act: 'stderr'; readonly text: Bytes }
  | { readonly act: 'stop-reading' }
  | { readonly act: 'ignore-signal'; readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' }
  /** A process in a session of its own that outlives this one, if asked for with our pipes in hand. */
  | { readonly act: 'grandchild'; readonly holdsPipes?: boolean }
  | { readonly act: 'exit'; readonly code?: number; readonly signal?: 'SIGKILL' | 'SIGSEGV' | 'SIGTERM' }
  /** Lets the rules for `after-ready` hold. Tells the client nothing. */
  | { readonly act: 'become-ready' }
)

interface Answering {
  /** How the answer's id lies. */
  readonly id?: 'as-string' | 'unknown' | 'zero' | 'null'
  readonly wire?: Wire
}

/** How a frame lies. */
export interface Wire {
  readonly length?:
    | { readonly says: string }
    | { readonly off: number }
    | { readonly counts: 'characters' }
    | 'absent'
  /** Further header lines, after Content-Length. */
  readonly headers?: readonly string[]
  readonly lineEnd?: '\n'
  readonly bom?: boolean
  /** Puts bytes into the body that are no UTF-8, inside an otherwise valid message. */
  readonly invalidUtf8?: boolean
  /** Between the header and the body, not counted in its length. */
  readonly between?: string
  /** Only so many bytes are written, and never another: a server that stopped in the middle of a write. */
  readonly cut?: number
}

/** Text is UTF-8 and may hold placeholders. */
export type Bytes =
  | string
  | { readonly base64: string }
  | { readonly repeat: Bytes; readonly times: number }
  | readonly Bytes[]

export type Exit = { readonly code: number } | { readonly signal: string }

/** One script out of several parts: the earlier part's rules come first, the later part's settings win. */
export function combine(...parts: readonly Script[]): Script {
  return {
    ...Object.assign({}, ...parts),
    description: parts.flatMap(part => part.description ?? []).join(' '),
    capabilities: Object.assign({}, ...parts.map(part => part.capabilities)),
    rules: parts.flatMap(part => part.rules ?? []),
  }
}

/** Reads a script that crossed a process border. A misspelt act is refused: a fault that never happens tests nothing. */
export function parseScript(text: string): Script {
  const value: unknown = JSON.parse(text)
  if (isScript(value)) return value
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `not a script of the fake server: ${text.slice(0, 200)}`,
    hint: `A script has rules of {on, do}, and each act in \`do\` is one of ${[...actNames].join(', ')}.`,
  })
}

const actNames: ReadonlySet<unknown> = new Set<Act['act']>([
  'answer',
  'error',
  'respond',
  'built-in',
  'hang',
  'delay',
  'wait',
  'notify',
  'request',
  'publish',
  'send',
  'frame',
  'raw',
  'drip',
  'stderr',
  'stop-reading',
  'ignore-signal',
  'grandchild',
  'exit',
  'become-ready',
])

const scriptKeys = [
  'description',
  'capabilities',
  'serverInfo',
  'positionEncoding',
  'diagnostics',
  'rules',
  'seed',
]

function isScript(value: unknown): value is Script {
  if (typeof value !== 'object' || value === null) return false
  if (!Object.keys(value).every(key => scriptKeys.includes(key))) return false
  return !('rules' in value) || (Array.isArray(value.rules) && value.rules.every(isRule))
}

function isRule(value: unknown): value is Rule {
  if (typeof value !== 'object' || value === null || !('on' in value) || !('do' in value)) return false
  return typeof value.on === 'string' && Array.isArray(value.do) && value.do.every(isAct)
}

function isAct(value: unknown): value is Act {
  return typeof value === 'object' && value !== null && 'act' in value && actNames.has(value.act)
}
