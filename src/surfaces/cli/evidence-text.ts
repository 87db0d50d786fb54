// Evidence for people: one line for an event, a few for a verdict.
import { unreachable } from '../../errors.js'
import type { EvidenceFolders } from '../../evidence/layout.js'
import type { EvidenceEvent, EvidenceRecord } from '../../evidence/shapes.js'
import type { LogVerdict } from '../../evidence/verify.js'
import { counted } from '../../operations/render.js'

/** `2030-01-31T12:00:00.000Z lsp_query_batch find_references src/a.ts:12:8 responded, ... ev:...` */
export function describeRecord({ at, kind, id, event }: EvidenceRecord): string {
  const told = event === undefined ? [] : facts(event)
  return [at, kind, ...told.filter(fact => fact !== ''), id].join(' ')
}

/** What one item of a context rests on: who was asked what, when, and for which content. */
export function describeItem(record: EvidenceRecord, id: string): string {
  const { event } = record
  const item = event?.kind === 'context_injected' ? event.items.find(other => other.id === id) : undefined
  if (item === undefined || event?.kind !== 'context_injected') return describeRecord(record)
  const { server, target, query_type: query, queried_at: asked, injected_at: injected } = item
  const told = [
    id,
    describeTarget(target),
    `${query} by ${[server.name ?? server.id, server.version].join(' ').trim()}`,
    `asked ${asked}, injected ${injected}${item.stale === true ? ', stale' : ''}`,
    item.content ?? '',
    event.call === undefined ? '' : `call ${event.call}`,
  ]
  return [record.at, record.kind, ...told.filter(fact => fact !== ''), record.id].join(' ')
}

/** The first line is the verdict. */
export function describeVerdict(verdict: LogVerdict, folders: EvidenceFolders): string[] {
  const { bad, chains, records, bytes } = verdict
  const size = `${counted(records, 'record')} in ${counted(chains.length, 'chain')}, ${kilobytes(bytes)}`
  const lines = chains.flatMap(chain => [
    `chain ${chain.chain}: ${counted(chain.records, 'record')} since ${chain.begun || 'an unknown time'}, the last has the hash ${chain.head.hash}`,
    ...(chain.bad === undefined ? [] : [`  ${describeBad(chain.bad)}`]),
    ...chain.notes.map(note => `  note: ${note}`),
  ])
  if (bad === undefined)
    return [`sound: ${size}; none altered, removed, reordered or torn`, ...lines, `folder ${folders.log}`]
  return [
    `not sound: ${describeBad(bad)}`,
    `what comes before it is proven: ${size}`,
    ...lines,
    `folder ${folders.log}, checkpoints ${folders.checkpoints}`,
    'hint: keep both folders as they are for whoever has to explain it; new records go to a new chain.',
  ]
}

function describeBad({
  fault,
  seq,
  id,
  chain,
  segment,
  line,
  detail,
}: NonNullable<LogVerdict['bad']>): string {
  const name = id === undefined ? '' : ` (${id})`
  const where = line === 0 ? `after the end of segment ${segment}` : `segment ${segment}, line ${line}`
  return `${fault}: record ${seq}${name} of chain ${chain}, ${where}: ${detail}`
}

function facts(event: EvidenceEvent): string[] {
  switch (event.kind) {
    case 'lsp_query_batch': {
      const { operation, targets, outcome, error_kind: kind, queries, response_bytes: bytes } = event
      const [target] = targets
      const asked = queries
        .map(({ method, count }) => (count === 1 ? method : `${method} x${count}`))
        .join(' ')
      const servers = event.servers.map(({ id, name, version }) => [name ?? id, version].join(' ').trim())
      return [
        operation,
        target === undefined ? '' : describeTarget(target),
        kind ?? outcome,
        asked,
        `${kilobytes(bytes)}, ${event.milliseconds} ms`,
        servers.length === 0 ? '' : `by ${servers.join(', ')}`,
      ]
    }
    case 'diagnostic_validation':
      return [
        event.operation,
        event.class,
        `${counted(event.files.length, 'file')}${event.preview ? ', a preview' : ''}, ${event.disposition}`,
      ]
    case 'diagnostic_regression': {
      const [first] = event.diagnostics
      const shown = first === undefined ? '' : `${first.file}:${first.line}:${first.column} ${first.message}`
      return [event.operation, counted(event.diagnostics.length + (event.left_out ?? 0), 'new error'), shown]
    }
    case 'context_injected':
      return [`${counted(event.items.length, 'item')}, ${counted(event.tokens, 'token')}`]
    case 'policy_decision':
      return [
        event.decision,
        event.operation,
        event.caller === undefined ? '' : `for ${event.caller}`,
        event.reason ?? '',
      ]
    case 'edit_applied':
      return [event.operation, event.files.map(({ file, change }) => `${file} ${change}`).join(', ')]
    case 'server_state':
      return [event.server.id, `${event.from} -> ${event.to}`, event.reason ?? '']
    case 'lsp_server_crashed':
      return [event.server.id, event.cause]
    case 'log_opened':
      return [event.name]
    case 'segment_opened':
      return [`segment ${event.segment}`]
    case 'log_recovered':
      return [event.damaged_chain === undefined ? '' : `chain ${event.damaged_chain}:`, event.reason]
    case 'evidence_gap':
      return [
        `${event.cause} since ${event.since}: ${event.lost} lost, ${event.refused} refused, ${event.delayed} delayed`,
      ]
    case 'clock_step':
      return [`from ${event.from} to ${event.to}`]
    default:
      return unreachable(event)
  }
}

function describeTarget({
  file,
  line,
  column,
  symbol,
  query,
  handle,
}: {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly symbol?: string | undefined
  readonly query?: string | undefined
  readonly handle?: string | undefined
}): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, symbol ?? query ?? handle ?? ''].filter(part => part !== '').join(' ')
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`
}
