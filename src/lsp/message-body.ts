// Turns the bytes of one frame into a JSON-RPC message, or says why they are none. Nothing is guessed: bytes that
// are not UTF-8 are refused rather than replaced, and depth is measured before anything recursive sees the text.
import { ErrorCodes, type Message, type ResponseMessage } from 'vscode-jsonrpc/node'

export type StrikeReason =
  | 'invalid-utf8'
  | 'too-deep'
  | 'invalid-json'
  | 'batch'
  | 'not-an-object'
  | 'receiver-failed'

export type DecodedBody =
  | { readonly type: 'message'; readonly message: Message }
  /** `answer` stands in for a lost response, so that its request fails at once instead of waiting for its deadline. */
  | { readonly type: 'strike'; readonly reason: StrikeReason; readonly answer: ResponseMessage | undefined }

export function decodeBody(body: Uint8Array, maxDepth: number): DecodedBody {
  if (isDeeperThan(body, maxDepth)) return strike('too-deep', body)
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return strike('invalid-utf8', body)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return strike('invalid-json', body)
  }
  if (Array.isArray(value)) return { type: 'strike', reason: 'batch', answer: undefined }
  if (typeof value !== 'object' || value === null)
    return { type: 'strike', reason: 'not-an-object', answer: undefined }
  return { type: 'message', message: isMessage(value) ? value : { ...value, jsonrpc: '2.0' } }
}

export function startsWithByteOrderMark(body: Uint8Array): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
}

// Without `ignoreBOM` the decoder swallows one leading byte order mark, which some .NET servers send (F16). A
// second one stays in the text and makes it invalid JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true })

const descriptions: Record<StrikeReason, string> = {
  'invalid-utf8': 'is not valid UTF-8',
  'too-deep': 'is nested too deeply',
  'invalid-json': 'is not valid JSON',
  batch: 'is a batch',
  'not-an-object': 'is not a JSON object',
  'receiver-failed': 'could not be handled',
}

function strike(reason: StrikeReason, body: Uint8Array): DecodedBody {
  const id = lostResponseId(body)
  if (id === undefined) return { type: 'strike', reason, answer: undefined }
  const error = {
    code: ErrorCodes.ParseError,
    message: `the server's response ${descriptions[reason]}`,
    data: { wire: reason },
  }
  return { type: 'strike', reason, answer: { jsonrpc: '2.0', id, error } }
}

const headBytes = 1024

/**
 * The id of a response that cannot be read. Only an id at the very beginning is certain to be the message's own
 * and not one inside its result; an id that may belong to a request of the server answers nothing.
 */
function lostResponseId(body: Uint8Array): number | undefined {
  const start = startsWithByteOrderMark(body) ? 3 : 0
  const head = Buffer.from(body.buffer, body.byteOffset + start, Math.min(headBytes, body.length - start))
  const text = head.toString('latin1')
  const found = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*([0-9]{1,15})\s*[,}]\s*/.exec(text)
  if (found === null) return undefined
  const rest = text.slice(found[0].length)
  const isResponse = /^"(?:result|error)"/.test(rest)
  const mayBeRequest = text.includes('"method"') || '"method"'.startsWith(rest)
  return isResponse || !mayBeRequest ? Number(found[1]) : undefined
}

/** One pass over the bytes; brackets inside strings do not count. */
function isDeeperThan(body: Uint8Array, maxDepth: number): boolean {
  // Every level costs an opening and a closing byte, so that most messages need no look at all.
  if (body.length <= 2 * maxDepth) return false
  let depth = 0
  let insideString = false
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (insideString) {
      if (byte === 0x5c) index++
      else if (byte === 0x22) insideString = false
    } else if (byte === 0x22) insideString = true
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
  }
  return false
}

/** A missing `jsonrpc` is filled in by the caller: no server is refused for it, as no client does. */
function isMessage(value: object): value is Message {
  return 'jsonrpc' in value && typeof value.jsonrpc === 'string'
}
