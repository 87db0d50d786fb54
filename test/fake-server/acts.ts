// Performs one act of a script. Only acts that take time return a promise, so that all others happen at once and
// in order.
import { unreachable } from '../../src/errors.js'
import { builtIn } from './built-in.js'
import { at, type Message, selects, stringAt, uriOf } from './message.js'
import type { Act, Wire } from './script.js'
import { learnOwnRequest, proceed, type Session } from './session.js'
import { fill, fillBytes, fillMembers, fillText, type Lookup } from './template.js'
import { frame, toBuffer } from './wire.js'
import { diagnosticsOf } from './word-language.js'

/** The message that is being handled, and the round of a repeated act. */
interface Turn {
  readonly message: Message
  readonly index: number
}

export type Performer = (act: Act, turn: Turn) => Promise<void> | 'hang' | undefined

type ActOf<Name extends Act['act']> = Extract<Act, { act: Name }>

export function performer(session: Session): Performer {
  const { body, output, state, waiting } = session
  const random = randomFrom(session.script.seed ?? 1)
  let lastId = 0

  const write = (content: Buffer, wire: Wire | undefined) => {
    output.write(frame(content, wire))
    if (wire?.cut !== undefined) output.mute()
  }
  const send = (message: unknown, wire?: Wire) => write(Buffer.from(JSON.stringify(message)), wire)

  const respond = (members: object, act: ActOf<'answer' | 'error' | 'respond' | 'built-in'>, turn: Turn) => {
    const { id } = turn.message
    const claimed = { 'as-string': String(id), unknown: 987_654, zero: 0, null: null }
    send({ jsonrpc: '2.0', id: act.id === undefined ? id : claimed[act.id], ...members }, act.wire)
  }

  const ask = (act: ActOf<'request'>, params: unknown) => {
    if (act.id === undefined) lastId += 1
    const id = act.id ?? lastId
    learnOwnRequest(act.method, params, session)
    session.unanswered.add(id)
    const answered = new Promise<void>(resume => {
      waiting.add({ fits: message => message.method === undefined && message.id === id, proceed: resume })
    })
    send({ jsonrpc: '2.0', id, method: act.method, params })
    return act.waits === true ? answered : undefined
  }

  const react = (act: ActOf<'built-in'>, turn: Turn, lookup: Lookup): void => {
    const reaction = builtIn(turn.message, session)
    if (reaction === undefined) return
    if ('exit' in reaction) body.exit(reaction.exit)
    else if ('publish' in reaction) {
      send(publication(session, { act: 'publish', ...reaction.publish }, lookup))
    } else if ('error' in reaction) respond(reaction, act, turn)
    else respond({ result: part(reaction.result, act.only, uriOf(turn.message)) }, act, turn)
  }

  return (act, turn) => {
    const lookup = lookupFor(turn, session)
    switch (act.act) {
      case 'answer':
        return void respond({ result: fill(act.result, lookup) }, act, turn)
      case 'error': {
        const { code, message, data } = act
        const error = { code, message, ...(data === undefined ? {} : { data: fill(data, lookup) }) }
        return void respond({ error }, act, turn)
      }
      case 'respond':
        return void respond(fillMembers(act.members, lookup), act, turn)
      case 'built-in':
        return void react(act, turn, lookup)
      case 'hang':
        return 'hang'
      case 'delay': {
        const { milliseconds: time } = act
        const { from, to } = typeof time === 'number' ? { from: time, to: time } : time
        return new Promise(resume => body.clock.after(from + random() * (to - from), resume))
      }
      case 'wait':
        if (act.for === '@ready' && state.ready) return undefined
        return new Promise(resume =>
          waiting.add({ fits: message => endsWait(act.for, message, turn.message), proceed: resume }),
        )
      case 'notify':
        return void send({ jsonrpc: '2.0', method: act.method, params: fillIfAny(act, lookup) }, act.wire)
      case 'request':
        return ask(act, fillIfAny(act, lookup))
      case 'publish':
        return void send(publication(session, act, lookup))
      case 'send':
        return void send(fill(act.message, lookup), act.wire)
      case 'frame':
        return void write(toBuffer(fillBytes(act.body, lookup)), act.wire)
      case 'raw':
        return void output.write(toBuffer(fillBytes(act.bytes, lookup)))
      case 'drip':
        return void output.drip(act.bytes, act.milliseconds ?? 0)
      case 'stderr':
        return void body.writeError(toBuffer(fillBytes(act.text, lookup)))
      case 'stop-reading':
        return void body.stopReading()
      case 'ignore-signal':
        return void body.ignoreSignal(act.signal)
      case 'grandchild':
        return void body.startGrandchild(act.holdsPipes ?? false)
      case 'exit':
        return void body.exit(act.signal === undefined ? { code: act.code ?? 0 } : { signal: act.signal })
      case 'become-ready':
        state.ready = true
        return void proceed({ method: '@ready' }, session)
      default:
        return unreachable(act)
    }
  }
}

function publication({ script, world }: Session, act: ActOf<'publish'>, lookup: Lookup): object {
  const uri = fillText(act.uri ?? '{uri}', lookup)
  const document = world.document(uri)
  const content = act.content === 'previous' ? document?.previous : document
  const diagnostics =
    act.diagnostics === undefined
      ? diagnosticsOf(content?.text ?? world.text(uri) ?? '', world.encoding)
      : fill(act.diagnostics, lookup)
  const current = document?.version ?? 0
  const versions = {
    current,
    previous: document?.previous?.version ?? current - 1,
    // Far enough ahead that no edit of the test makes it true on the way.
    future: current + 1000,
    none: undefined,
  }
  const version = versions[act.version ?? (script.diagnostics === 'push-versioned' ? 'current' : 'none')]
  return { jsonrpc: '2.0', method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } }
}

function endsWait(selector: string, message: Message, asked: Message): boolean {
  if (selector !== '@cancel') return selects(selector, message)
  return message.method === '$/cancelRequest' && at(message.params, 'id') === asked.id
}

/** A too small answer that looks whole, as real servers give before they are ready. */
function part(result: unknown, only: number | 'same-file' | undefined, uri: string | undefined): unknown {
  if (only === undefined || !Array.isArray(result)) return only === 0 ? null : result
  if (only !== 'same-file') return result.slice(0, only)
  return result.filter(item => (stringAt(item, 'uri') ?? stringAt(item, 'location', 'uri') ?? uri) === uri)
}

function fillIfAny(act: ActOf<'notify' | 'request'>, lookup: Lookup): unknown {
  return act.params === undefined ? undefined : fill(act.params, lookup)
}

function lookupFor({ message, index }: Turn, { world }: Session): Lookup {
  const uri = uriOf(message)
  return name => {
    const [first, ...path] = name.split('.')
    switch (first) {
      case 'uri':
        return uri
      case 'version':
        return world.document(uri ?? '')?.version
      case 'text':
        return world.text(uri ?? '')
      case 'diagnostics':
        return diagnosticsOf(world.text(uri ?? '') ?? '', world.encoding)
      case 'method':
        return message.method
      case 'id':
        return message.id
      case 'root':
        return world.root
      case 'index':
        return index
      default:
        return at(message.params, ...path)
    }
  }
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
