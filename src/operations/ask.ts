// Puts one question about a file or a symbol in it to the server that answers for it: brings the server's view up to
// date, waits until it can answer, resolves the target, runs the operation, and checks that the file is still the same.
import { toServerPosition } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import type { Connection } from '../workspace/workspace.js'
import type { AnswerTarget, Freshness } from './answer.js'
import type { CallState } from './call-state.js'
import { answeringServer } from './doubts.js'
import type { Operation } from './operation.js'
import { keptChanging, prepareFile } from './prepare.js'
import { type LocatedFile, locateFile, resolveTarget } from './resolve-target.js'
import { waits } from './waits.js'

export interface Question {
  readonly operation: Operation
  readonly input: Readonly<Record<string, unknown>>
  readonly now: () => string
}

export interface Reply {
  readonly result: unknown
  readonly target: AnswerTarget | undefined
  readonly freshness: Freshness
}

export async function askAboutFile(question: Question, call: CallState): Promise<Reply> {
  const first = await askOnce(question, call)
  if (first?.unchanged) return first.reply
  // The file was edited while its server was asked: the first answer is for a text that is gone (fault W08).
  call.forget()
  const second = await askOnce(question, call)
  if (second === undefined) throw keptChanging()
  if (second.unchanged) return second.reply
  const reason = 'the file kept changing while it was asked about'
  return { ...second.reply, freshness: { ...second.reply.freshness, verdict: 'stale', reason } }
}

interface OneReply {
  readonly reply: Reply
  /** Whether the file still had the content the reply is for when it arrived, and the server had it all the time. */
  readonly unchanged: boolean
}

/** Undefined where the file was edited before the server could be asked. */
async function askOnce(question: Question, call: CallState): Promise<OneReply | undefined> {
  const located = await locateFile(question.input, call)
  call.checkRead(question.operation, located.source)
  call.waitingFor = waits.start
  const connection = await call.workspace.connect(located.source, call.wait())
  call.credit(answeringServer(connection))
  return call.during(connection, async () => {
    // Whatever else has to be opened, the file the question is about is not closed for want of room.
    const letGo = connection.session.client.documents.hold(pathToUri(located.source.absolute))
    try {
      return await ask(question, located, connection, call)
    } finally {
      letGo()
    }
  })
}

async function ask(
  { operation, input, now }: Question,
  located: LocatedFile,
  connection: Connection,
  call: CallState,
): Promise<OneReply | undefined> {
  const { workspace } = call
  const { source } = located
  const { client } = connection.session
  const { document, currency, standing } = await prepareFile(source, connection, operation, call)
  const queriedAt = now()
  const server = call.port(connection)
  // A position in the text that was read means nothing in the one the server has.
  if (document.content !== source.content) return undefined
  const context = { ...call.context(), source, document, server, standing }
  let target: AnswerTarget | undefined
  let result: unknown
  if (operation.on === 'symbol') {
    target = await resolveTarget(located, input, server, call.context())
    const position = toServerPosition(source.text.line(target.line) ?? '', target, client.encoding)
    result = await operation.run(input, {
      ...context,
      target,
      at: { textDocument: { uri: document.uri }, position },
    })
  } else result = await operation.run(input, context)
  call.fresh({ verdict: 'current', content: source.content })
  if (!currency.current) call.fresh({ verdict: 'unknown', reason: currency.reason })
  const freshness: Freshness = { ...call.freshness, queried_at: queriedAt }
  const unchanged = connection.view.isShown(document) && workspace.stillHas(source)
  return { reply: { result, target, freshness }, unchanged }
}
