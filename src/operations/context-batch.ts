// One batch of questions for a context: collects the pieces as they arrive and, for whatever did not, why. A question that
// the preset or the server does not know is not put and not mourned; nothing is made up for it.
import type { ContextKind, LeftOut, Piece, SourceStamp } from '../context/piece.js'
import { worthOf } from '../context/rank.js'
import { asBridgeError } from '../errors.js'
import type { RequestConstant } from '../lsp/capabilities.js'
import { cleanLine } from '../text/clean.js'
import type { SourceFile } from '../workspace/source-file.js'
import { answeringServer } from './doubts.js'
import type { ContextOf, ServerPort } from './operation.js'

export interface About {
  readonly kind: ContextKind
  /** What the answer would be about, in words. */
  readonly target: string
}

const longestDetail = 120

export class ContextBatch {
  readonly #context: ContextOf['workspace']
  readonly #pieces: Piece[] = []
  readonly #missed = new Map<string, LeftOut>()
  readonly #open = new Set<About>()
  #isClosed = false

  constructor(context: ContextOf['workspace']) {
    this.#context = context
  }

  get pieces(): readonly Piece[] {
    return this.#pieces
  }

  /** After the deadline; what is still open then did not arrive in time. */
  close(): readonly LeftOut[] {
    this.#isClosed = true
    for (const about of this.#open) this.miss({ ...about, reason: 'time' })
    return [...this.#missed.values()]
  }

  /** `place` counts from 0 within the kind, most worth telling first. */
  add(piece: Omit<Piece, 'value'>, place: number): void {
    if (!this.#isClosed) this.#pieces.push({ ...piece, value: worthOf(piece.kind, place) })
  }

  /** Undefined when it could not be had. `reached` is called by a question whose parts speak for themselves from then on. */
  async ask<T>(about: About, run: (reached: () => void) => Promise<T>): Promise<T | undefined> {
    this.#open.add(about)
    try {
      return await run(() => this.#open.delete(about))
    } catch (thrown) {
      const { kind, message } = asBridgeError(thrown)
      if (kind === 'Bug') throw thrown
      if (kind === 'RequestTimeout' || this.#context.signal.aborted) this.miss({ ...about, reason: 'time' })
      else this.miss({ ...about, reason: 'error', detail: message })
      return undefined
    } finally {
      this.#open.delete(about)
    }
  }

  /** Whether a request may be sent and is offered; a young server is given a moment to register it. */
  async knows(request: RequestConstant, { client }: ServerPort): Promise<boolean> {
    const { maySend, signal } = this.#context
    return maySend(request.method) && client.offers(request, signal)
  }

  /** The same for what is not worth that moment. */
  knowsAlready(request: RequestConstant, { client }: ServerPort): boolean {
    return this.#context.maySend(request.method) && client.supports(request)
  }

  miss(left: LeftOut): void {
    if (this.#isClosed && left.reason !== 'time') return
    const key = `${left.kind} ${left.target} ${left.reason}`
    const detail = left.detail === undefined ? {} : { detail: cleanLine(left.detail, longestDetail).text }
    if (!this.#missed.has(key)) this.#missed.set(key, { ...left, ...detail })
  }
}

export function stampOf({ relative, content, signature }: SourceFile): SourceStamp {
  return { file: relative, content, mtime: timeOf(signature.mtimeNs) }
}

export function timeOf(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString()
}

export function askedServer({ connection }: ServerPort) {
  return answeringServer(connection)
}
