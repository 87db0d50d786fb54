// What the language server would do about its own findings, each as a proposal.
import { CodeActionRequest, ExecuteCommandRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError } from '../errors.js'
import type { ServerCommand } from '../lsp/edit-results.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import { cleanLine } from '../text/clean.js'
import { spanTarget } from './line-span.js'
import { type CompletedAction, completed, offeredActions } from './offered-actions.js'
import { defineOperation, type FileContext, listedIn } from './operation.js'
import { extent, linesOf, planned, proposalFields, proposed, whatNext } from './propose.js'
import { counted } from './render.js'
import { selectionIn, touches } from './selection.js'

const defaultLimit = 20
const patienceMilliseconds = 15_000
const longestTitle = 200
const longestReason = 500
const longestDiff = 6000
const longestArguments = 2000

const fixSchema = z.object({
  title: z.string(),
  kind: z.string().optional(),
  preferred: z.boolean().optional(),
  ...proposalFields,
  /** What the server would run: instead of an edit, or after it. */
  command: z.string().optional(),
  /** Of a command without an edit, each as JSON, as execute_command takes them. */
  arguments: z.array(z.string()).optional(),
  /** Why there is nothing to apply. */
  reason: z.string().optional(),
})

type Fix = z.output<typeof fixSchema>

export const suggestFixes = defineOperation({
  name: 'suggest_fixes',
  summary:
    "The language server's own fixes for a file, a line or a range: missing imports, spelling, unimplemented members, organized imports, refactorings. Each comes as a diff and a handle for apply_edit.",
  effect: 'propose',
  on: 'file',
  lsp: CodeActionRequest,
  nearest: { name: 'get_diagnostics', lsp: null },
  needsWholeWorkspace: true,
  input: z.object({
    ...spanTarget,
    column: z
      .number()
      .int()
      .optional()
      .describe('1-based UTF-16 column on line, for a place or a selection.'),
    end_column: z.number().int().optional().describe('Column where the selection ends.'),
    only: z
      .array(z.string())
      .optional()
      .describe('Kinds, e.g. quickfix, source.organizeImports, refactor.extract.'),
    limit: z.number().int().min(1).max(100).default(defaultLimit).describe('Most fixes to return.'),
  }),
  output: z.object({
    fixes: z.array(fixSchema),
    total: z.number().int(),
    file: z.string(),
    span: z.string(),
    /** Findings of the server in the asked part. */
    diagnostics: z.number().int(),
  }),
  example: 'src/clock.ts',
  items: listedIn('fixes'),

  async run({ only, limit, ...place }, context) {
    const { source, server } = context
    const selection = selectionIn(source, place, server.client.encoding)
    const findings = (await settledFindings(context)).filter(found => touches(found.range, selection.range))
    await makeReady(context)
    const offered = await offeredActions({ selection, findings, only }, context)
    const worked = await completed(offered.slice(0, limit), context)
    const all = worked.map(each => fixOf(each, context))
    const fixes = distinct(all)
    return {
      fixes,
      total: offered.length - (all.length - fixes.length),
      file: source.relative,
      span: selection.words,
      diagnostics: findings.length,
    }
  },

  render: ({ fixes, total: offered, file, span, diagnostics }, { total }) => {
    const where = `${file}${span} (${counted(diagnostics, 'diagnostic')} there)`
    if (offered === 0) return [`no fixes offered for ${where}`]
    const more = offered > total ? ', raise limit for more' : ''
    const hasCommands = fixes.some(fix => fix.handle === undefined && fix.command !== undefined)
    return [
      `${fixes.length < offered ? `${fixes.length} of ` : ''}${counted(offered, 'fix', 'fixes')} for ${where}${more}`,
      ...fixes.flatMap(fixLines),
      ...(hasCommands ? ['What is only a command has no diff: execute_command would run it.'] : []),
      ...(fixes.some(fix => fix.handle !== undefined) ? [whatNext] : []),
    ]
  },
})

/** The findings that go with the question: for the present content, or the answer says that they are not known (R-108). */
async function settledFindings(context: FileContext): Promise<readonly ServerDiagnostic[]> {
  const { document, server, signal, remaining, doubt } = context
  const milliseconds = Math.min(patienceMilliseconds, remaining() / 2)
  const report = await server.client.diagnostics.report(document, { milliseconds, signal })
  if (report.reason !== undefined) {
    const { title } = server.connection.session.candidate.definition
    doubt({
      verdict: 'unknown',
      reason: `${title}: ${report.reason}`,
      hint: 'Ask again; do not take this for "no fixes".',
    })
  }
  return report.diagnostics
}

/** Where that fails, the fixes it already knows are still worth having. */
async function makeReady({ document, server, doubt }: FileContext): Promise<void> {
  const { beforeFixes, title } = server.connection.session.candidate.definition
  if (beforeFixes === undefined) return
  try {
    const { command } = beforeFixes
    await server.request(ExecuteCommandRequest, { command, arguments: beforeFixes.arguments(document.uri) })
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (error.kind === 'Cancelled' || error.kind === 'Bug') throw error
    doubt({ verdict: 'partial', reason: `${title} was not ready to offer every fix: ${error.message}` })
  }
}

function fixOf({ action, failure }: CompletedAction, context: FileContext): Fix {
  const { title, kind, isPreferred, disabledReason, edit, command } = action
  const described = {
    title: cleanLine(title, longestTitle).text,
    ...(kind === undefined ? {} : { kind: cleanLine(kind, longestTitle).text }),
    ...(isPreferred ? { preferred: true } : {}),
  }
  const nothing = { files: [], diff: '' }
  const impossible = (why: string): Fix => ({
    ...described,
    ...nothing,
    reason: cleanLine(why, longestReason).text,
  })
  const name = command === undefined ? {} : { command: cleanLine(command.command, longestTitle).text }
  if (disabledReason !== undefined) return impossible(disabledReason)
  if (failure !== undefined) return impossible(failure)
  if (edit === undefined) {
    if (command === undefined) return impossible('the server tells no edit for it')
    return { ...described, ...nothing, ...name, ...argumentsOf(command) }
  }
  try {
    const proposal = proposed(planned(edit, context), context, { maxLength: longestDiff })
    if (proposal.handle === undefined) return impossible('it would change nothing')
    return { ...described, ...proposal, ...name }
  } catch (thrown) {
    return impossible(asBridgeError(thrown).message)
  }
}

/** Left out where they are too long to be given back by a model. */
function argumentsOf(command: ServerCommand): Pick<Fix, 'arguments'> {
  const written = command.arguments.map(asciiJson)
  const length = written.reduce((sum, argument) => sum + argument.length, 0)
  return length === 0 || length > longestArguments ? {} : { arguments: written }
}

/** They go back verbatim, so nothing may be cleaned away; escaped, nothing is hidden either. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[^ -~]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Equal edits are one fix, and one that came to nothing is not told beside the same one that did not. */
function distinct(fixes: readonly Fix[]): Fix[] {
  const named = (fix: Fix) => `${fix.kind ?? ''} ${fix.title}`
  const applicable = new Set(fixes.filter(fix => fix.handle !== undefined).map(named))
  const seen = new Set<string>()
  const kept = fixes.filter(fix => {
    if (fix.handle === undefined && applicable.has(named(fix))) return false
    const key = fix.handle ?? `${named(fix)} ${fix.command}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return [...kept.filter(fix => fix.handle !== undefined), ...kept.filter(fix => fix.handle === undefined)]
}

function fixLines(fix: Fix): string[] {
  const { title, kind, preferred, handle, files, diff, command, reason } = fix
  const marks = [kind, preferred === true ? 'preferred' : undefined].filter(mark => mark !== undefined)
  const name = marks.length === 0 ? title : `${title} (${marks.join(', ')})`
  if (handle !== undefined) {
    const then = command === undefined ? '' : `; the server would then run ${command}`
    return [`${name}: ${extent(files)}, proposal ${handle}${then}`, ...linesOf(diff)]
  }
  if (command === undefined) return [`${name}: not possible: ${reason}`]
  return [`${name}: command ${command}`, ...(fix.arguments ?? []).map(argument => `  argument: ${argument}`)]
}
