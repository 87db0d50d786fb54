// Every kind of evidence, one closed union: the shapes by which records are made and read back. What is not named here
// cannot get into the log, source text above all.
import * as z from 'zod'

/** What became of a request, as the language server's user sees it. */
export const queryOutcomes = ['responded', 'timed_out', 'error'] as const
export type QueryOutcome = (typeof queryOutcomes)[number]

/** The five classes of a change. */
export const validationClasses = [
  'new_errors',
  'lsp_unavailable',
  'warnings_only',
  'baseline_error',
  'clean',
] as const
export type ValidationClass = (typeof validationClasses)[number]

/** What follows from a class. */
const dispositions = [
  'continue',
  'surface_to_model',
  'self_correct',
  'surface_to_operator',
  'not_attributed',
  'absence_recorded',
] as const

const count = z.number().int().nonnegative()
const server = z.object({ id: z.string(), name: z.string().optional(), version: z.string().optional() })

const target = z.object({
  /** Relative to the root. */
  file: z.string().optional(),
  line: count.optional(),
  column: count.optional(),
  symbol: z.string().optional(),
  query: z.string().optional(),
  handle: z.string().optional(),
  /** `sha256:...` of the file the answer is true for. */
  content: z.string().optional(),
})

/** Requests of one kind, with one outcome, to one server. */
const query = z.object({
  server: z.string(),
  method: z.string(),
  outcome: z.enum(queryOutcomes),
  count,
  /** Of the responses; absent where none came. */
  bytes: count.optional(),
  milliseconds: z.number(),
  /** How many of them ended because nobody wanted the answer any more, or because the server died. */
  cancelled: count.optional(),
})

const diagnostic = z.object({
  file: z.string(),
  line: count,
  column: count,
  severity: z.string(),
  message: z.string(),
  code: z.string().optional(),
  source: z.string().optional(),
})

/** Of one item of a context (INV-LSP-001). */
export const contextRecord = z.object({
  id: z.string(),
  source_type: z.literal('lsp_semantic'),
  query_type: z.string(),
  server,
  target,
  priority: z.literal('supporting'),
  purity: z.literal('impure'),
  queried_at: z.string(),
  injected_at: z.string(),
  content: z.string().optional(),
  mtime_at_query: z.string().optional(),
  mtime_at_injection: z.string().optional(),
  stale: z.boolean().optional(),
})

/** Where the segment before this one ended, as its writer knew it. */
const previousSegment = z.object({
  segment: count,
  seq: count,
  bytes: count,
  hash: z.string(),
  ended: z.enum(['full', 'old', 'torn', 'interrupted', 'write_failed', 'sync_failed', 'moved', 'foreign']),
  /** At most so many bytes after that end belong to nobody: they were never acknowledged. */
  discarded_bytes: count,
})

const segmentHeader = {
  format: z.literal(1),
  workspace: z.string(),
  name: z.string(),
  chain: z.string(),
  segment: count,
}

const eventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('lsp_query_batch'),
    operation: z.string(),
    caller: z.enum(['model', 'host']),
    ok: z.boolean(),
    error_kind: z.string().optional(),
    /** The worst that happened to one of the queries. */
    outcome: z.enum(queryOutcomes),
    milliseconds: z.number(),
    servers: z.array(server),
    queries: z.array(query),
    response_bytes: count,
    targets: z.array(target),
    freshness: z
      .object({ verdict: z.string(), content: z.string().optional(), queried_at: z.string() })
      .optional(),
    completeness: z.object({ verdict: z.string(), reason: z.string().optional() }).optional(),
    /** What the bounds of a record cut off. */
    left_out: z.object({ queries: count, targets: count }).optional(),
  }),
  z.object({
    kind: z.literal('diagnostic_validation'),
    call: z.string().optional(),
    operation: z.string(),
    class: z.enum(validationClasses),
    disposition: z.enum(dispositions),
    scope: z.string().optional(),
    /** True where nothing was written: what an edit would have done. */
    preview: z.boolean(),
    servers: z.array(server),
    files: z.array(
      z.object({
        file: z.string(),
        class: z.enum(validationClasses),
        verdict: z.string().optional(),
        content: z.string().optional(),
        new_errors: count,
        new_warnings: count,
        resolved: count,
        reason: z.string().optional(),
        /** Other change-sets that changed the file too. */
        shared_with: z.array(z.string()).optional(),
      }),
    ),
    /** What was compared with. */
    baseline: z.string().optional(),
    /** Why the attempt came to nothing. */
    reason: z.string().optional(),
    /** Which round of self-correction this was, and how many are allowed. */
    round: count.optional(),
    rounds: count.optional(),
    left_out: count.optional(),
  }),
  z.object({
    kind: z.literal('diagnostic_regression'),
    call: z.string().optional(),
    operation: z.string(),
    servers: z.array(server),
    diagnostics: z.array(diagnostic),
    left_out: count.optional(),
  }),
  z.object({
    kind: z.literal('context_injected'),
    call: z.string().optional(),
    tokens: count,
    budget: count.optional(),
    items: z.array(contextRecord),
    left_out: count,
  }),
  z.object({
    kind: z.literal('policy_decision'),
    call: z.string().optional(),
    operation: z.string(),
    /** The capability class: read, propose, edit or execute. */
    effect: z.string().optional(),
    caller: z.string().optional(),
    method: z.string().optional(),
    file: z.string().optional(),
    language: z.string().optional(),
    decision: z.enum(['allow', 'deny', 'ask']),
    reason: z.string().optional(),
  }),
  z.object({
    kind: z.literal('edit_applied'),
    call: z.string().optional(),
    operation: z.string(),
    handle: z.string().optional(),
    class: z.enum(validationClasses).optional(),
    files: z.array(
      z.object({
        file: z.string(),
        change: z.string(),
        from: z.string().optional(),
        before: z.string().optional(),
        after: z.string().optional(),
      }),
    ),
    left_out: count.optional(),
  }),
  z.object({
    kind: z.literal('server_state'),
    server,
    /** Relative to the root of the workspace. */
    root: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.string().optional(),
  }),
  z.object({ kind: z.literal('lsp_server_crashed'), server, root: z.string(), cause: z.string() }),

  // What the log tells of itself.
  z.object({ kind: z.literal('log_opened'), ...segmentHeader }),
  z.object({ kind: z.literal('segment_opened'), ...segmentHeader, previous: previousSegment }),
  /** A writer ended without closing; at the head of a segment it also says what the one before it lost. */
  z.object({
    kind: z.literal('log_recovered'),
    ...segmentHeader,
    previous: previousSegment.optional(),
    /** Another chain, found damaged and continued by nobody. */
    damaged_chain: z.string().optional(),
    reason: z.string(),
  }),
  z.object({
    kind: z.literal('evidence_gap'),
    since: z.string(),
    until: z.string(),
    cause: z.string(),
    /** Events that were not kept. */
    lost: count,
    /** Calls that were refused because their record could not be kept. */
    refused: count,
    /** Events that were written late. */
    delayed: count,
  }),
  z.object({ kind: z.literal('clock_step'), from: z.string(), to: z.string() }),
])

export type EvidenceEvent = z.output<typeof eventSchema>
export type EvidenceKind = EvidenceEvent['kind']
export type EventOfKind<Kind extends EvidenceKind> = Extract<EvidenceEvent, { kind: Kind }>

export const evidenceKinds: readonly EvidenceKind[] = eventSchema.options.map(({ shape }) => shape.kind.value)

/** What every record has besides what its kind says. */
const envelope = z.object({
  prev: z.string(),
  seq: count,
  id: z.string().startsWith('ev:'),
  at: z.iso.datetime(),
  kind: z.string(),
  hash: z.string(),
})

export interface EvidenceRecord extends z.output<typeof envelope> {
  /** Undefined when the kind is not known here, or its fields are not as expected. */
  readonly event: EvidenceEvent | undefined
}

/** Undefined when the line is no record at all. */
export function readRecord(line: string): EvidenceRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  const found = envelope.safeParse(value)
  return found.success ? { ...found.data, event: eventSchema.safeParse(value).data } : undefined
}
