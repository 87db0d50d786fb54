// Where the command line writes: data to stdout, everything else to stderr, colour only for a person who did not refuse
// it. A reader that goes away (`| head`) is no fault.
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
  /** Whether stdout could not take what it was given, for another reason than a reader that left. */
  broken(): boolean
}

export function createConsole({
  stdin,
  stdout,
  stderr,
  env,
  cwd,
}: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd'>): Console {
  const outColors = picocolors.createColors(wantsColor(stdout, env))
  const errorColors = picocolors.createColors(wantsColor(stderr, env))
  let broken = false
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
  const say = (text: string) => void stderr.write(`${text}\n`)
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
    raw: text => void stderr.write(text),
    broken: () => broken,
  }
}

function wantsColor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const refused = env.NO_COLOR !== undefined && env.NO_COLOR !== ''
  return stream.isTTY === true && !refused && env.TERM !== 'dumb'
}
