// Writes a proposal, and says what that broke. The writing depends on no server: where none answers it is done all the
// same, and the verdict says that nobody could be asked.
import * as z from 'zod'
import { type ChangeScope, classOfChange } from '../changes/classes.js'
import { cancelled } from '../clock.js'
import { asBridgeError, type BridgeError } from '../errors.js'
import type { EditPlan, PlannedFile } from '../workspace/edit-plan.js'
import type { Workspace } from '../workspace/workspace.js'
import { examineAfter, examineBefore } from './apply-examined.js'
import { changeFields, changeItems, changeLines, changeSummary } from './change-result.js'
import { type ContextOf, defineOperation } from './operation.js'
import type { Past } from './past.js'
import { plannedFiles } from './planned-files.js'
import { counted } from './render.js'
import { tellGaps, tellReasons } from './tell-gaps.js'

const changes = ['modified', 'created', 'deleted', 'renamed'] as const

export const applyEdit = defineOperation({
  name: 'apply_edit',
  summary:
    'Writes a proposal of rename_symbol, suggest_fixes or a format operation, all of it or nothing, and reports the errors that are new since. Refused when a file changed meanwhile.',
  effect: 'edit',
  on: 'workspace',
  // The writing takes no server.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({ handle: z.string().describe('Of the proposal: "p:...".') }),
  output: z.object({
    ...changeFields,
    applied: z.array(z.object({ file: z.string(), change: z.enum(changes), from: z.string().optional() })),
  }),
  example: 'p:0123456789ab',
  items: changeItems,

  // What is written was worked out by a server: the plan alone knows which files that are.
  touches: ({ handle }, workspace) => touched(workspace.proposal(String(handle)), workspace),

  async run({ handle }, context) {
    const { workspace, signal } = context
    const plan = workspace.proposal(handle)
    await context.authorize(...touched(plan, workspace))
    const past = await lookBefore(plan, context)
    // Whoever called it off by now gets nothing written.
    if (signal.aborted) throw cancelled(signal)
    context.askNoMore()
    await workspace.apply(plan, { signal, milliseconds: context.remaining() })
    context.accomplished('the files are written', 'Do not apply it again: ask check_change for the verdict.')
    const { files, gaps } = await examineAfter(past, context)
    tellReasons(files, context)
    const scope: ChangeScope = tellGaps(gaps, context)
    const name = classOfChange(
      files.map(file => file.class),
      scope,
    )
    return { class: name, scope, files, applied: plan.files.map(appliedTo) }
  },

  render: (result, { total }) => {
    const { applied } = result
    const written = applied.map(
      ({ file, change, from }) => `  ${from === undefined ? '' : `${from} -> `}${file} ${change}`,
    )
    return [
      `applied to ${counted(applied.length, 'file')}; ${changeSummary(result, total)}`,
      ...written,
      ...changeLines(result),
    ]
  },
})

function touched(plan: EditPlan, { routes }: Pick<Workspace, 'routes'>) {
  const files = plan.files
    .map(appliedTo)
    .flatMap(({ file, from }) => [file, ...(from === undefined ? [] : [from])])
  return files.map(file => ({ file, language: routes.languageOf(file) }))
}

type Context = ContextOf['workspace']

// The rest is for the writing and for what follows it.
const shareBefore = 0.4

/** What was wrong before. Never a reason not to write, unless the proposal is stale. */
async function lookBefore(plan: EditPlan, context: Context): Promise<Past> {
  const files = plannedFiles(plan, context.workspace)
  const reserved = context.remaining() * (1 - shareBefore)
  const limited = { ...context, remaining: () => Math.max(context.remaining() - reserved, 0) }
  try {
    return await context.inShare(shareBefore, examineBefore(files, limited))
  } catch (thrown) {
    const error: BridgeError = asBridgeError(thrown)
    return { files, groups: [], reason: error.message }
  }
}

function appliedTo({ file, before, after }: PlannedFile) {
  if (before === undefined) return { file, change: 'created' as const }
  if (after === undefined) return { file, change: 'deleted' as const }
  if (before.file !== file) return { file, change: 'renamed' as const, from: before.file }
  return { file, change: 'modified' as const }
}
