// What a server says about ranges of one file: highlights, inlay hints and code lenses.
import { joinedParts } from './markup.js'
import {
  isRecord,
  list,
  optionalText,
  parsePosition,
  parseRange,
  record,
  type ServerPosition,
  type ServerRange,
} from './parse.js'

export interface ServerHighlight {
  readonly range: ServerRange
  readonly kind: 'text' | 'read' | 'write'
}

export interface ServerInlayHint {
  readonly position: ServerPosition
  readonly label: string
  readonly kind: 'type' | 'parameter' | undefined
}

export interface ServerCodeLens {
  readonly range: ServerRange
  /** Undefined until the server is asked to resolve it. */
  readonly command: { readonly title: string; readonly name: string | undefined } | undefined
  /** As sent: what the server wants back for that. */
  readonly raw: Readonly<Record<string, unknown>>
}

export function parseHighlights(result: unknown): ServerHighlight[] {
  return listOrNull(result, 'highlights').map(value => {
    const highlight = record(value, 'a highlight')
    // A server that does not say how a name is used means the text alone.
    const kind = highlight.kind === 2 ? 'read' : highlight.kind === 3 ? 'write' : 'text'
    return { range: parseRange(highlight.range), kind }
  })
}

export function parseInlayHints(result: unknown): ServerInlayHint[] {
  return listOrNull(result, 'inlay hints').map(value => {
    const hint = record(value, 'an inlay hint')
    const kind = hint.kind === 1 ? 'type' : hint.kind === 2 ? 'parameter' : undefined
    return { position: parsePosition(hint.position), label: joinedParts(hint.label) ?? '', kind }
  })
}

export function parseCodeLenses(result: unknown): ServerCodeLens[] {
  return listOrNull(result, 'code lenses').map(parseCodeLens)
}

export function parseCodeLens(value: unknown): ServerCodeLens {
  const raw = record(value, 'a code lens')
  const { command } = raw
  const title = isRecord(command) ? optionalText(command.title) : undefined
  return {
    range: parseRange(raw.range),
    command:
      isRecord(command) && title !== undefined ? { title, name: optionalText(command.command) } : undefined,
    raw,
  }
}

function listOrNull(result: unknown, what: string): unknown[] {
  return result === null || result === undefined ? [] : list(result, what)
}
