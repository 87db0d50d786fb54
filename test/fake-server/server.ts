// The fake server, the same in both bodies: picks the rules that fit each message and performs their acts, or does
// what a plain honest server would do.
import { type Performer, performer } from './acts.js'
import { type Message, selects, uriOf } from './message.js'
import type { Act, Rule, Script, Span } from './script.js'
import { type Body, createSession, learn, proceed, type Session } from './session.js'
import { createDecoder } from './wire.js'

export interface Server {
  start(): void
  receive(chunk: Buffer): void
  /** The input is at its end. */
  end(): void
  /** Acts out of turn, with no message to answer. */
  perform(acts: readonly Act[]): Promise<void>
  /** Nothing more is said or done. */
  die(): void
}

export function createServer(script: Script, body: Body): Server {
  const session = createSession(script, body)
  const { state } = session
  const perform = performer(session)
  const rules = (script.rules ?? []).map(rule => ({ rule, seen: 0 }))

  const handle = (message: Message) => {
    const fitting = rules.filter(entry => {
      if (!concerns(entry.rule, message)) return false
      entry.seen += 1
      return isIn(entry.seen, entry.rule.nth) && isIn(body.run, entry.rule.run)
    })
    // A fault of the fake itself must end the test loudly, not look like a server that never answers.
    act([...fitting.map(({ rule }) => rule), plain], message, session, perform).catch(throwLater)
  }

  const receive = (message: Message) => {
    if (state.dead) return
    body.received(message)
    learn(message, session)
    proceed(message, session)
    handle(message)
  }
  const decoder = createDecoder(receive, fault => body.complain(fault))

  return {
    start: () => handle({ method: '@start' }),
    receive: chunk => decoder.push(chunk),
    end: () => handle({ method: '@end' }),
    perform: acts => act([{ on: '@start', do: acts }], { method: '@start' }, session, perform),
    die: () => {
      state.dead = true
      session.output.mute()
    },
  }
}

const plain: Rule = { on: '@any', do: [{ act: 'built-in' }] }

/**
 * Runs up to the first act that takes time in one go, so that messages which need no time are handled whole and in
 * order. A rule's `when` is looked at when its turn comes, because an act before it may have changed the state.
 */
async function act(
  rules: readonly Rule[],
  message: Message,
  session: Session,
  perform: Performer,
): Promise<void> {
  for (const rule of rules) {
    if (!isTime(rule, session)) continue
    for (const act of rule.do) {
      for (let index = 0; index < (act.times ?? 1); index++) {
        if (session.state.dead) return
        const outcome = perform(act, { message, index })
        if (outcome === 'hang') return
        if (outcome !== undefined) await outcome
      }
    }
    if (rule.also !== true) return
  }
}

function concerns(rule: Rule, message: Message): boolean {
  if (!selects(rule.on, message)) return false
  return rule.file === undefined || (uriOf(message)?.endsWith(rule.file) ?? false)
}

function isTime(rule: Rule, { state }: Session): boolean {
  switch (rule.when) {
    case 'before-initialized':
      return !state.initialized
    case 'after-initialized':
      return state.initialized
    case 'before-ready':
      return !state.ready
    case 'after-ready':
      return state.ready
    default:
      return true
  }
}

function isIn(number: number, wanted: number | Span = {}): boolean {
  if (typeof wanted === 'number') return number === wanted
  return (wanted.from ?? 1) <= number && number <= (wanted.to ?? Number.POSITIVE_INFINITY)
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
