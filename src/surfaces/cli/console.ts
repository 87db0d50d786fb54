// Where the command line writes: data to stdout, everything else to stderr, colour only for a person who did not refuse
// it. A reader that goes away (`| head`) is no fault.
import { createInterface } from 'node:readline'
import picocolors from 'picocolors'

export interface Console {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Whether somebody sees what is said on stderr. */
  readonly attended: boolean
  /** Whether somebody can be asked a question there. */
  readonly canAsk: boolean
  /** The width of a line on stderr. */
  columns(): number
  /** The text of an answer; its first line is the summary. */
  text(text: string): Promise<void>
  json(value: unknown): Promise<void>
  /** The text of a failure; its first line says what happened. */
  error(text: string): void
  warn(message: string): void
  note(message: string): void
  /** Unadorned, for a line that is rewritten in place. */
  raw(text: string): void
  /** Asks a person, one question at a time; only a yes that was typed is one. What is said meanwhile waits, what is drawn is dropped. */
  confirm(question: string, signal?: AbortSignal): Promise<boolean>
  /** Whether stdout could not take what it was given, for another reason than a reader that left. */
  broken(): boolean
}

/** What of a process the command line reads and writes. */
interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Screen
  readonly stderr: Screen
  readonly env: NodeJS.ProcessEnv
  cwd(): string
}

type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

export function createConsole({ stdin, stdout, stderr, env, cwd }: Streams): Console {
  const outColors = picocolors.createColors(wantsColor(stdout, env))
  const errorColors = picocolors.createColors(wantsColor(stderr, env))
  let broken = false
  let held: string[] | undefined
  let asking: Promise<boolean> | undefined
  stdout.on('error', error => {
    if ('code' in error && error.code === 'EPIPE') return
    broken = true
    stderr.write(`error: the answer could not be written: ${error.message}\n`)
  })
  stderr.on('error', () => undefined)
  const print = (text: string) =>
    new Promise<void>(resolve => {
      stdout.write(`${text}\n`, () => resolve())
    })
  const say = (text: string) => {
    if (held === undefined) stderr.write(`${text}\n`)
    else held.push(text)
  }
  const confirmNow = async (question: string, signal: AbortSignal | undefined) => {
    const waiting: string[] = []
    held = waiting
    try {
      // A line of progress may stand where the question begins.
      stderr.write('\r\x1b[2K')
      return await typedYes({ input: stdin, output: stderr, question, signal })
    } finally {
      held = undefined
      for (const text of waiting) say(text)
    }
  }
  return {
    cwd: cwd(),
    env,
    attended: stderr.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    // A terminal that does not know its width says 0.
    columns: () => stderr.columns || 80,
    text(text) {
      const [summary = '', ...lines] = text.split('\n')
      return print([outColors.bold(summary), ...lines].join('\n'))
    },
    json: value => print(JSON.stringify(value, null, 2)),
    error(text) {
      const [first = '', ...lines] = text.split('\n')
      say([errorColors.red(first), ...lines].join('\n'))
    },
    warn: message => say(`${errorColors.yellow('warning:')} ${message}`),
    note: message => say(errorColors.dim(message)),
    raw(text) {
      if (held === undefined) stderr.write(text)
    },
    confirm(question, signal) {
      const ask = () => confirmNow(question, signal)
      // One after the other: two at once would both take the one reply that is typed.
      const reply = asking === undefined ? ask() : asking.then(ask, ask)
      asking = reply
      const done = () => {
        if (asking === reply) asking = undefined
      }
      reply.then(done, done)
      return reply
    },
    broken: () => broken,
  }
}

interface Asking {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly question: string
  readonly signal: AbortSignal | undefined
}

function typedYes({ input, output, question, signal }: Asking): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false)
  return new Promise(resolve => {
    const lines = createInterface({ input, output, terminal: true })
    const close = () => lines.close()
    signal?.addEventListener('abort', close, { once: true })
    // Ctrl-C, Ctrl-D, a terminal that went away: nobody said yes. After a typed reply this changes nothing.
    lines.once('close', () => {
      signal?.removeEventListener('abort', close)
      resolve(false)
    })
    lines.once('SIGINT', () => {
      output.write('\n')
      close()
    })
    lines.question(`${question} [y/N] `, reply => {
      resolve(/^y(es)?$/i.test(reply.trim()))
      close()
    })
  })
}

function wantsColor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const refused = env.NO_COLOR !== undefined && env.NO_COLOR !== ''
  return stream.isTTY === true && !refused && env.TERM !== 'dumb'
}
