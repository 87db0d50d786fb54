// What an answer says about a change becomes events of its own: the validation, the regression, the edit.
// An answer is recognised by the shape that the contract gives every verdict on a change.
import * as z from 'zod'
import type { CallRecord } from './evidence.js'
import { type EventOfKind, type EvidenceEvent, type ValidationClass, validationClasses } from './shapes.js'

const mostFiles = 64
const mostDiagnostics = 50

/** Verdicts on what an edit would do: nothing was changed, so nothing got worse. */
const previews: readonly string[] = ['preview_edit']

/** Whoever asks for one has attempted a validation, also where nothing came of it (INV-LSP-006). */
const validations: readonly string[] = ['check_change']

/** Empty for every answer that is no verdict on a change. */
export function changeEvents(record: CallRecord, call: string): EvidenceEvent[] {
  if (!record.ok) return failedAttempt(record, call)
  const result = record.answer?.result
  if (typeof result !== 'object' || result === null || !('class' in result)) return []
  const change = changeSchema.safeParse(result).data
  if (change === undefined) return []
  const preview = previews.includes(record.operation)
  return [
    ...editApplied(record, call, change),
    validation(record, call, change, preview),
    ...(preview ? [] : regression(record, call, change)),
  ]
}

/** What follows from a class, by default. */
const dispositionOf: Readonly<Record<ValidationClass, EventOfKind<'diagnostic_validation'>['disposition']>> =
  {
    clean: 'continue',
    warnings_only: 'surface_to_model',
    new_errors: 'self_correct',
    baseline_error: 'not_attributed',
    lsp_unavailable: 'absence_recorded',
  }

/** A question that makes no sense is no attempt. */
function failedAttempt(record: CallRecord, call: string): EvidenceEvent[] {
  const { operation, errorKind = 'unknown' } = record
  if (!validations.includes(operation) || errorKind === 'InvalidArguments') return []
  return [
    {
      kind: 'diagnostic_validation',
      call,
      operation,
      class: 'lsp_unavailable',
      disposition: dispositionOf.lsp_unavailable,
      preview: false,
      servers: serversOf(record),
      files: [],
      reason: errorKind,
      ...roundOf(record),
    },
  ]
}

/** After the last round the model is not asked again. */
function dispositionIn(name: ValidationClass, { round }: CallRecord) {
  const isOver = round !== undefined && (round.isLast || round.round >= round.rounds)
  return name === 'new_errors' && isOver ? 'surface_to_operator' : dispositionOf[name]
}

function roundOf({ round }: CallRecord): { round?: number; rounds?: number } {
  return round === undefined ? {} : { round: round.round, rounds: round.rounds }
}

const finding = z.object({
  severity: z.string(),
  message: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  source: z.string().optional(),
  line: z.number().int().nonnegative(),
  column: z.number().int().nonnegative(),
})

const changeSchema = z.object({
  class: z.enum(validationClasses),
  scope: z.string().optional(),
  files: z.array(
    z.object({
      file: z.string(),
      class: z.enum(validationClasses),
      verdict: z.string().optional(),
      content: z.string().optional(),
      reason: z.string().optional(),
      new: z.array(finding),
      resolved: z.array(z.unknown()),
      shared_with: z.array(z.string()).optional(),
    }),
  ),
  baseline: z.string().optional(),
  applied: z
    .array(z.object({ file: z.string(), change: z.string(), from: z.string().optional() }))
    .optional(),
})

type Change = z.output<typeof changeSchema>

function validation(record: CallRecord, call: string, change: Change, preview: boolean): EvidenceEvent {
  const { class: name, scope, files, baseline } = change
  return {
    kind: 'diagnostic_validation',
    call,
    operation: record.operation,
    class: name,
    disposition: dispositionIn(name, record),
    ...(scope === undefined ? {} : { scope }),
    preview,
    servers: serversOf(record),
    files: files.slice(0, mostFiles).map(({ new: found, resolved, ...file }) => ({
      ...file,
      new_errors: found.filter(({ severity }) => severity === 'error').length,
      new_warnings: found.filter(({ severity }) => severity === 'warning').length,
      resolved: resolved.length,
    })),
    ...(baseline === undefined ? {} : { baseline }),
    ...roundOf(record),
    ...leftOut(files.length - mostFiles),
  }
}

function regression(record: CallRecord, call: string, { class: name, files }: Change): EvidenceEvent[] {
  if (name !== 'new_errors') return []
  const found = files.flatMap(({ file, new: fresh }) =>
    fresh
      .filter(({ severity }) => severity === 'error')
      .map(({ code, source, severity, message, line, column }) => ({
        file,
        line,
        column,
        severity,
        message,
        ...(code === undefined ? {} : { code: String(code) }),
        ...(source === undefined ? {} : { source }),
      })),
  )
  return [
    {
      kind: 'diagnostic_regression',
      call,
      operation: record.operation,
      servers: serversOf(record),
      diagnostics: found.slice(0, mostDiagnostics),
      ...leftOut(found.length - mostDiagnostics),
    },
  ]
}

function editApplied(record: CallRecord, call: string, { class: name, applied }: Change): EvidenceEvent[] {
  if (applied === undefined) return []
  const handle = typeof record.input === 'object' && record.input !== null ? handleOf(record.input) : {}
  return [
    {
      kind: 'edit_applied',
      call,
      operation: record.operation,
      ...handle,
      class: name,
      files: applied.slice(0, mostFiles),
      ...leftOut(applied.length - mostFiles),
    },
  ]
}

function handleOf(input: object): { handle?: string } {
  return 'handle' in input && typeof input.handle === 'string' ? { handle: input.handle } : {}
}

function serversOf({ servers }: CallRecord) {
  return servers.map(({ id, name, version }) => ({ id, name, version }))
}

function leftOut(count: number): { left_out?: number } {
  return count > 0 ? { left_out: count } : {}
}
