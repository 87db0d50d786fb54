// The verdict on a change that was made: what it broke in the changed files and in every file that depends on them.
import * as z from 'zod'
import { type ChangeClass, type ChangeScope, classOfChange } from '../changes/classes.js'
import type { SourceFile } from '../workspace/source-file.js'
import { type ChangeQuestion, measureChange } from './change-baseline.js'
import { changeFields, changeItems, changeLines, changeSummary, type JudgedFile } from './change-result.js'
import type { ChangedText } from './changed-files.js'
import { isHarmless } from './harmless-files.js'
import { judgeChange } from './judge-change.js'
import type { MeasuredChange } from './measured-change.js'
import { type ContextOf, defineOperation } from './operation.js'
import { tellGaps, tellReasons } from './tell-gaps.js'
import { byLanguage, projectFileGaps, tellUnchecked } from './unchecked-files.js'

const mostFiles = 200
const mostListed = 20

const unchecked = z.object({ file: z.string(), reason: z.string() })

export const checkChange = defineOperation({
  name: 'check_change',
  summary:
    'After editing files: which errors the change introduced, in the changed files and in those that depend on them; moved and old errors are not blamed. "clean" is proven, never silence.',
  effect: 'read',
  on: 'workspace',
  // Without a server the answer is that nobody could be asked.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    change: z.string().optional().describe('Handle from begin_change ("c:...").'),
    files: z.array(z.string()).max(mostFiles).optional().describe('Only these; default: all that changed.'),
    since: z
      .string()
      .optional()
      .describe("Git revision to compare with; default: what servers saw before, else git's HEAD."),
  }),
  output: z.object({
    ...changeFields,
    baseline: z.string(),
    /** Changed files that no language server speaks for. */
    not_checked: z.array(unchecked),
  }),
  example: '--since HEAD',
  items: changeItems,

  async run(question, context) {
    const first = await judgedQuietly(question, context)
    // A file was edited meanwhile: the first verdict, and every doubt of it, is on a text that is gone (fault W08).
    const { verdict, tell } = first.verdict.unchanged ? first : await judgedQuietly(question, context)
    tell()
    if (verdict.unchanged) return settled(question.change, verdict, context)
    const reason = 'files kept changing while they were judged'
    context.fresh({ verdict: 'stale', reason })
    context.doubt({ verdict: 'unknown', reason, hint: 'Ask again when the editing is done.' })
    return settled(question.change, { ...verdict, class: withoutProof(verdict.class) }, context)
  },

  render: (result, { total }) => {
    const { baseline, not_checked: others } = result
    const listed = others.slice(0, mostListed).map(({ file, reason }) => `not checked: ${file}: ${reason}`)
    const more = others.length > mostListed ? [`not checked: ${others.length - mostListed} more`] : []
    const shared = result.files.flatMap(({ file, shared_with: sharers = [] }) =>
      sharers.length === 0 ? [] : [`shared: ${file} was changed by ${sharers.join(', ')} too`],
    )
    return [
      `check: ${changeSummary(result, total)}, baseline ${baseline}`,
      ...changeLines(result),
      ...shared,
      ...listed,
      ...more,
    ]
  },
})

type Context = ContextOf['workspace']

interface Verdict {
  readonly class: ChangeClass
  readonly scope: ChangeScope
  readonly files: readonly JudgedFile[]
  readonly measured: MeasuredChange
  readonly notChecked: readonly z.output<typeof unchecked>[]
  /** By the name of the file. */
  readonly sources: ReadonlyMap<string, SourceFile>
  /** Whether every judged file still had the judged content at the end. */
  readonly unchanged: boolean
}

interface QuietVerdict {
  readonly verdict: Verdict
  /** Says of the answer what was doubtful about this verdict. */
  tell(): void
}

async function judgedQuietly(question: ChangeQuestion, context: Context): Promise<QuietVerdict> {
  const doubtful: (() => void)[] = []
  const verdict = await judgedOnce(question, {
    ...context,
    doubt: doubt => void doubtful.push(() => context.doubt(doubt)),
    fresh: freshness => void doubtful.push(() => context.fresh(freshness)),
  })
  return {
    verdict,
    tell: () => {
      for (const say of doubtful) say()
    },
  }
}

async function judgedOnce(question: ChangeQuestion, context: Context): Promise<Verdict> {
  const measured = await measureChange(question, context)
  const { known, unknown } = byLanguage(measured, context)
  const before = sourcesOf(known, context)
  const judged = known.length === 0 ? { files: [], gaps: [] } : await judgeChange(known, context)
  const sources = new Map([...sourcesOf(judged.files, context), ...before])
  const projectGaps = await projectFileGaps([...known, ...unknown], context)
  const gaps = [...judged.gaps, ...projectGaps, ...measured.gaps]
  const scope = tellGaps(gaps, context)
  tellReasons(judged.files, context)
  tellUnchecked(unknown, context)
  if (measured.baseline === 'none')
    context.doubt({
      verdict: 'partial',
      reason: 'there is no baseline to compare with',
      hint: 'Call begin_change before the next change; get_diagnostics says what is wrong now.',
    })
  const isNothing = judged.files.length === 0
  const classes = judged.files.map(file => file.class)
  return {
    // That nothing a server could speak of has changed is known, if it is known what changed.
    class: isNothing ? classOfNothing(unknown, scope) : classOfChange(classes, scope),
    scope,
    files: judged.files,
    measured,
    notChecked: unknown,
    sources,
    unchanged: [...sources.values()].every(source => context.workspace.stillHas(source)),
  }
}

/** What a verdict leaves behind: what was judged is the next baseline, unless something is still to be mended. */
function settled(change: string | undefined, verdict: Verdict, { workspace }: Context) {
  const { measured, sources } = verdict
  const isAccepted = verdict.class !== 'new_errors' && verdict.class !== 'lsp_unavailable'
  const own = new Map(measured.files.map(file => [file.file, file]))
  const files = verdict.files.map(judged => {
    const source = sources.get(judged.file)
    const changed = own.get(judged.file)
    const content = source === undefined ? {} : { content: source.content }
    if (changed === undefined) return { ...judged, ...content }
    if (change === undefined && isAccepted && source !== undefined) workspace.given.accept(source)
    const shared = change === undefined ? [] : sharersOf(change, changed, source, workspace)
    return { ...judged, ...content, ...(shared.length === 0 ? {} : { shared_with: shared }) }
  })
  const { class: name, scope, notChecked } = verdict
  return { class: name, scope, files, baseline: measured.baseline, not_checked: [...notChecked] }
}

/** Whose work it is, by content: another change-set that was judged with this file since this one began. */
function sharersOf(
  change: string,
  { file, source, texts }: ChangedText,
  present: SourceFile | undefined,
  { changes }: Context['workspace'],
): string[] {
  const text = texts.at(-1)
  if (source?.text.text === text) return []
  const sharers = changes.sharers(change, file, source?.text.text)
  changes.claim(change, file, present?.text.text)
  return sharers
}

function sourcesOf(
  files: readonly { readonly file: string }[],
  { workspace }: Context,
): Map<string, SourceFile> {
  const sources = new Map<string, SourceFile>()
  for (const { file } of files) {
    try {
      sources.set(file, workspace.read(file))
    } catch {
      // Gone: nothing can have changed about it but that it comes back, and then it is another change.
    }
  }
  return sources
}

function classOfNothing(unknown: Verdict['notChecked'], scope: ChangeScope): ChangeClass {
  return scope === 'dependents' && unknown.every(({ file }) => isHarmless(file)) ? 'clean' : 'lsp_unavailable'
}

/** Of a text that is gone nothing is proven. */
function withoutProof(name: ChangeClass): ChangeClass {
  return name === 'new_errors' ? name : 'lsp_unavailable'
}
