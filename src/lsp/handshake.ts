// What a server says of itself in its answer to `initialize`, parsed once. A server that gives no capabilities, or
// insists on a position encoding we did not offer, is refused rather than guessed at (faults H03, H05).
import type { ServerCapabilities } from 'vscode-languageserver-protocol'
import { BridgeError } from '../errors.js'
import { property } from '../json.js'
import { cleanLine } from '../text/clean.js'
import type { PositionEncoding } from '../text/position.js'

export interface ServerIdentity {
  readonly name: string
  readonly version: string | undefined
}

export interface Handshake {
  readonly capabilities: ServerCapabilities
  readonly encoding: PositionEncoding
  readonly identity: ServerIdentity | undefined
}

export function parseInitializeResult(result: unknown, offered: readonly PositionEncoding[]): Handshake {
  const capabilities: unknown = property(result, 'capabilities')
  if (!isServerCapabilities(capabilities)) {
    throw new BridgeError({
      kind: 'ServerUnavailable',
      message: 'the server answered initialize without capabilities',
      hint: 'It does not speak LSP, or speaks it wrongly: check the command and its arguments.',
    })
  }
  const encoding = parseEncoding(capabilities.positionEncoding, offered)
  return { capabilities, encoding, identity: parseIdentity(property(result, 'serverInfo')) }
}

function parseIdentity(info: unknown): ServerIdentity | undefined {
  const name = property(info, 'name')
  const version = property(info, 'version')
  if (typeof name !== 'string') return undefined
  return {
    name: cleanLine(name, 80).text,
    version: typeof version === 'string' ? shortVersion(version) : undefined,
  }
}

/** gopls puts a whole JSON document into its version, clangd a sentence with vendor and platform. */
function shortVersion(version: string): string {
  const found = /"Version"\s*:\s*"([^"]+)"|\bversion (\d\S*)/i.exec(version)
  return cleanLine(found?.[1] ?? found?.[2] ?? version, 60).text
}

function parseEncoding(encoding: unknown, offered: readonly PositionEncoding[]): PositionEncoding {
  if (encoding === undefined || encoding === null) {
    // A server without a word counts UTF-16, unless its definition knows better and offers one encoding alone.
    const [only, ...more] = offered
    return only === undefined || more.length > 0 ? 'utf-16' : only
  }
  const chosen = offered.find(known => known === encoding)
  if (chosen !== undefined) return chosen
  throw new BridgeError({
    kind: 'ServerUnavailable',
    message: `the server insists on the position encoding ${JSON.stringify(encoding)}, which was not offered`,
    hint: 'Use another version of this language server.',
  })
}

function isServerCapabilities(value: unknown): value is ServerCapabilities {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
