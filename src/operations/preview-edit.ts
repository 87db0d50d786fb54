// What an edit would break, without writing it.
import * as z from 'zod'
import { type ChangeScope, changeClasses, classOfChange, cleanThrough } from '../changes/classes.js'
import { editedText } from '../changes/steps.js'
import { asBridgeError, BridgeError } from '../errors.js'
import { largestSource, type SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import { changeFields, changeItems, changeLines, changeSummary, judged } from './change-result.js'
import type { ChangedFile } from './changed-files.js'
import { Examiner, unknownFindings } from './examine.js'
import { type ContextOf, defineOperation } from './operation.js'
import { plannedFiles } from './planned-files.js'
import { groupByServer } from './server-groups.js'
import { tellGaps, tellReasons } from './tell-gaps.js'
import { withinTrial } from './trial-bench.js'
import { type TrialOutcome, tryEdits } from './try-edits.js'

const mostEdits = 200
// All of them are open at once, and some servers keep a worker for each.
const mostFiles = 200

const editSchema = z.object({
  file: z.string().describe('Path; need not exist yet.'),
  new_text: z.string().describe('The whole new text, or what replaces the range or find.'),
  line: z.number().int().optional().describe('1-based; with it a range is replaced.'),
  column: z.number().int().optional().describe('1-based UTF-16; default 1.'),
  end_line: z.number().int().optional().describe('Default: insert at the start.'),
  end_column: z.number().int().optional().describe('Exclusive.'),
  find: z.string().optional().describe('Exact text that occurs once, instead of a range.'),
  step: z.number().int().min(1).optional().describe('For a chain of edits; default 1.'),
})

export const previewEdit = defineOperation({
  name: 'preview_edit',
  summary:
    'What an edit would break, before it is made: new and resolved errors in the changed files and in every file that depends on them. Writes nothing. Takes edits, or the handle of a proposal.',
  effect: 'read',
  on: 'workspace',
  // Trial texts need no capability, so nothing gates the call.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    edits: z
      .array(editSchema)
      .max(mostEdits)
      .optional()
      .describe('Edits of one step must not overlap and count places in the text before that step.'),
    handle: z.string().optional().describe('A proposal ("p:...") instead of edits.'),
    dependents: z.boolean().default(true).describe('Check the files that use what is changed, too.'),
  }),
  output: z.object({
    ...changeFields,
    steps: z.array(z.object({ step: z.number().int(), class: z.enum(changeClasses) })).optional(),
    clean_through_step: z.number().int().optional(),
  }),
  example: `--edits '{"file":"src/clock.ts","find":"now(): number","new_text":"now(): string"}'`,
  items: changeItems,

  async run({ edits, handle, dependents }, context) {
    const { files, steps } = trialOf({ edits, handle }, context)
    const { groups, unserved } = await groupByServer(files, context)
    const outcomes = unserved.map(({ file, error }) => failed([file], error, context))
    // One server after another: two calls that held one each and wanted the other's would wait for ever.
    for (const [connection, group] of groups) {
      outcomes.push(await tryOn(connection, group, dependents, context))
    }
    const scope = scopeOf(dependents, outcomes, context)
    const judgedSteps = steps.map((step, index) => {
      const judgedFiles = outcomes.flatMap(outcome => outcome.steps[index] ?? [])
      const name = classOfChange(
        judgedFiles.map(file => file.class),
        scope,
      )
      return { step, class: name, files: judgedFiles }
    })
    const last = judgedSteps.at(-1)
    if (last === undefined) throw nothingToTry()
    tellReasons(last.files, context)
    const result = { class: last.class, scope, files: [...last.files] }
    if (judgedSteps.length === 1) return result
    const told = judgedSteps.map(({ step, class: name }) => ({ step, class: name }))
    return { ...result, steps: told, clean_through_step: cleanThrough(told) }
  },

  render: (result, { total }) => {
    const { steps, clean_through_step: through } = result
    const chain = steps?.map(({ step, class: name }) => `step ${step}: ${name}`) ?? []
    const safe = through === undefined ? [] : [safeThrough(through)]
    return [`preview: ${changeSummary(result, total)}`, ...chain, ...safe, ...changeLines(result)]
  },
})

type Context = ContextOf['workspace']
type WrittenEdit = z.output<typeof editSchema>

interface TrialPlan {
  readonly files: readonly ChangedFile[]
  /** The numbers the steps were given. */
  readonly steps: readonly number[]
}

interface Asked {
  readonly edits: readonly WrittenEdit[] | undefined
  readonly handle: string | undefined
}

function trialOf({ edits, handle }: Asked, context: Context): TrialPlan {
  if (handle !== undefined && edits !== undefined && edits.length > 0) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: 'both edits and handle were given',
      hint: 'Give one of them: a proposal has its own edits.',
    })
  }
  if (handle !== undefined) {
    const plan = context.workspace.proposal(handle)
    return { files: plannedFiles(plan, context.workspace), steps: [1] }
  }
  if (edits === undefined || edits.length === 0) throw nothingToTry()
  const steps = [...new Set(edits.map(({ step = 1 }) => step))].sort((a, b) => a - b)
  const byFile = new Map<string, { readonly absolute: string; readonly edits: WrittenEdit[] }>()
  for (const edit of edits) {
    const { absolute, relative } = context.workspace.locate(edit.file)
    const known = byFile.get(relative)
    if (known === undefined) byFile.set(relative, { absolute, edits: [edit] })
    else known.edits.push(edit)
  }
  const files = [...byFile].map(([file, { absolute, edits: own }]) => {
    const source = readIfThere(absolute, context)
    let text = source?.text.text
    const texts = steps.map(step => {
      const due = own.filter(edit => (edit.step ?? 1) === step)
      if (due.length > 0) text = withinLimit(file, editedText(file, text, due))
      return text
    })
    return { file, absolute, source, texts }
  })
  return { files, steps }
}

function readIfThere(path: string, { workspace }: Context): SourceFile | undefined {
  try {
    return workspace.read(path)
  } catch (thrown) {
    if (asBridgeError(thrown).kind === 'FileNotFound') return undefined
    throw thrown
  }
}

function withinLimit(file: string, text: string): string {
  if (Buffer.byteLength(text) <= largestSource) return text
  throw new BridgeError({
    kind: 'FileTooLarge',
    message: `${file} would be larger than 10 MB`,
    hint: 'Files of up to 10485760 bytes are shown to a server.',
  })
}

/** A server that fails is not known to have found nothing; the others go on. */
async function tryOn(
  connection: Connection,
  files: readonly ChangedFile[],
  dependents: boolean,
  context: Context,
): Promise<TrialOutcome> {
  try {
    if (files.length > mostFiles) throw tooMany(files.length)
    const onDisk = files.flatMap(({ source }) => source ?? [])
    // While it indexes, others may still ask; only the trial itself is nobody else's business.
    await context.during(connection, () => new Examiner(connection, context).prepare(onDisk))
    return await context.during(
      connection,
      () => tryEdits(files, connection, { dependents }, withinTrial(context)),
      'alone',
    )
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (context.signal.aborted || error.kind === 'Bug') throw error
    return failed(files, error, context)
  }
}

function failed(
  files: readonly ChangedFile[],
  { message, hint }: BridgeError,
  context: Context,
): TrialOutcome {
  context.doubt({ verdict: 'unknown', reason: message, hint })
  const steps = (files[0]?.texts ?? []).map((_, step) =>
    files.map(({ file, texts }) => judged(file, undefined, unknownFindings(texts[step] ?? '', message))),
  )
  return { steps, gaps: [message] }
}

function scopeOf(wanted: boolean, outcomes: readonly TrialOutcome[], context: Context): ChangeScope {
  if (wanted)
    return tellGaps(
      outcomes.flatMap(({ gaps }) => gaps),
      context,
    )
  context.doubt({
    verdict: 'partial',
    reason: 'only the changed files were checked, as asked',
    hint: 'Leave dependents out to have the files checked that use what is changed.',
  })
  return 'modified'
}

function tooMany(count: number): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${count} files are too many for one server to be shown at once; ${mostFiles} is the most`,
    hint: 'Preview a part of the edit, or apply it and look at what that breaks.',
  })
}

function safeThrough(step: number): string {
  return step === 0
    ? 'no step is shown to break nothing'
    : `every step up to ${step} is shown to break nothing`
}

function nothingToTry(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: 'neither edits nor a handle was given',
    hint: 'Give edits, each with file and new_text, or the handle of a proposal.',
  })
}
