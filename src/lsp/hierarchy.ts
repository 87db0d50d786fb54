// Parses the answers about callers and types. An item is handed back to its server as it came, for it recognises its own
// by fields nobody else reads; what we need of it is checked here, once.
import type { CallHierarchyItem } from 'vscode-languageserver-protocol'
import { list, malformed, parseRange, record, type ServerRange } from './parse.js'

/** The protocol has two kinds, of calls and of types, with the same fields. */
export type HierarchyItem = CallHierarchyItem

export interface ServerCall {
  /** The caller, or for outgoing calls what is called. */
  readonly item: HierarchyItem
  /** Incoming: in the caller's file. Outgoing: in the file of the item that was asked about. */
  readonly ranges: readonly ServerRange[]
}

export function parseHierarchyItems(result: unknown): HierarchyItem[] {
  if (result === null || result === undefined) return []
  return list(result, 'hierarchy items').map(parseItem)
}

export function parseIncomingCalls(result: unknown): ServerCall[] {
  return parseCalls(result, 'from')
}

export function parseOutgoingCalls(result: unknown): ServerCall[] {
  return parseCalls(result, 'to')
}

function parseCalls(result: unknown, end: 'from' | 'to'): ServerCall[] {
  if (result === null || result === undefined) return []
  return list(result, 'calls').map(value => {
    const call = record(value, 'a call')
    return { item: parseItem(call[end]), ranges: list(call.fromRanges, "a call's ranges").map(parseRange) }
  })
}

function parseItem(value: unknown): HierarchyItem {
  if (isItem(value)) return value
  throw malformed('a hierarchy item', value)
}

function isItem(value: unknown): value is HierarchyItem {
  const { name, kind, uri, range, selectionRange } = record(value, 'a hierarchy item')
  parseRange(range)
  parseRange(selectionRange)
  return typeof name === 'string' && typeof kind === 'number' && typeof uri === 'string'
}
