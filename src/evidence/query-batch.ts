// The requests of one call, added up while they end, and the one record they become.
import type { EventOf } from '../events.js'
import { property } from '../json.js'
import type { CallRecord } from './evidence.js'
import type { EventOfKind, QueryOutcome } from './shapes.js'

type Batch = EventOfKind<'lsp_query_batch'>
type Query = Batch['queries'][number]
type Target = Batch['targets'][number]

const mostQueries = 64
const mostTargets = 32

/** A call may put thousands of questions, so only their sums are held. */
export class QuerySums {
  readonly #sums = new Map<string, Query>()

  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  add({ server, method, outcome: ended, milliseconds, bytes }: EventOf<'request.finished'>): void {
    const outcome = ended === 'cancelled' ? 'error' : ended
    const key = `${server} ${method} ${outcome}`
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      sum = { server, method, outcome, count: 0, milliseconds: 0 }
      this.#sums.set(key, sum)
    }
    sum.count += 1
    sum.milliseconds += milliseconds
    if (bytes !== undefined) sum.bytes = (sum.bytes ?? 0) + bytes
    if (ended === 'cancelled') sum.cancelled = (sum.cancelled ?? 0) + 1
  }

  list(): Query[] {
    return [...this.#sums.values()].map(sum => ({ ...sum, milliseconds: rounded(sum.milliseconds) }))
  }
}

export function queryBatch(record: CallRecord, sums: QuerySums): Batch {
  const { operation, caller, ok, errorKind, milliseconds, servers, answer } = record
  const queries = sums.list()
  const targets = targetsOf(record)
  const leftOut = {
    queries: Math.max(queries.length - mostQueries, 0),
    targets: Math.max(targets.length - mostTargets, 0),
  }
  return {
    kind: 'lsp_query_batch',
    operation,
    caller,
    ok,
    ...(errorKind === undefined ? {} : { error_kind: errorKind }),
    outcome: outcomeOf(record, queries),
    milliseconds: rounded(milliseconds),
    servers: servers.map(({ id, name, version }) => ({ id, name, version })),
    queries: queries.slice(0, mostQueries),
    response_bytes: queries.reduce((sum, query) => sum + (query.bytes ?? 0), 0),
    targets: targets.slice(0, mostTargets),
    ...(answer === undefined ? {} : judged(answer)),
    ...(leftOut.queries + leftOut.targets === 0 ? {} : { left_out: leftOut }),
  }
}

function judged({ freshness, completeness }: NonNullable<CallRecord['answer']>) {
  const { verdict, content, queried_at } = freshness
  const { verdict: complete, reason } = completeness
  return {
    freshness: { verdict, ...(content === undefined ? {} : { content }), queried_at },
    completeness: { verdict: complete, ...(reason === undefined ? {} : { reason }) },
  }
}

function outcomeOf({ ok, errorKind }: CallRecord, queries: readonly Query[]): QueryOutcome {
  if (errorKind === 'RequestTimeout' || queries.some(({ outcome }) => outcome === 'timed_out'))
    return 'timed_out'
  return ok && queries.every(({ outcome }) => outcome === 'responded') ? 'responded' : 'error'
}

/** What was asked about: as it was found, or else as it was named. Texts to search for may be source, and are left out. */
function targetsOf({ input, answer }: CallRecord): Target[] {
  const content = answer?.freshness.content
  const known = content === undefined ? {} : { content }
  if (answer?.target !== undefined) {
    const { file, line, column, symbol } = answer.target
    return [{ file, line, column, symbol, ...known }]
  }
  const named: Target = {
    ...text(input, 'file'),
    ...count(input, 'line'),
    ...count(input, 'column'),
    ...text(input, 'symbol'),
    ...text(input, 'query'),
    ...text(input, 'handle'),
    ...known,
  }
  const files: unknown = property(input, 'files')
  const others = Array.isArray(files) ? files.filter(file => typeof file === 'string') : []
  return [...(Object.keys(named).length === 0 ? [] : [named]), ...others.map(file => ({ file }))]
}

function text<Key extends string>(input: unknown, key: Key): { [K in Key]?: string } {
  const value = property(input, key)
  const found: { [K in Key]?: string } = {}
  return typeof value === 'string' ? Object.assign(found, { [key]: value }) : found
}

function count<Key extends string>(input: unknown, key: Key): { [K in Key]?: number } {
  const value = property(input, key)
  const found: { [K in Key]?: number } = {}
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Object.assign(found, { [key]: value }) : found
}

/** To a hundredth of a millisecond: more digits say nothing and fill the log. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
