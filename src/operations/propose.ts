// What the operations that propose a change have in common: a server's edit becomes a plan behind a handle and a diff to
// decide by. Nothing is written here, and the edit itself never travels through a model.
import * as z from 'zod'
import type { ServerWorkspaceEdit } from '../lsp/edit-results.js'
import { countEdits, type DiffOptions, diffOf, type EditPlan } from '../workspace/edit-plan.js'
import type { FileContext } from './operation.js'
import { counted } from './render.js'

/** The fields every proposal has; without a handle nothing would change. */
export const proposalFields = {
  handle: z.string().optional(),
  files: z.array(z.object({ file: z.string(), edits: z.number().int() })),
  diff: z.string(),
}

const proposalSchema = z.object(proposalFields)

export type Proposal = Readonly<z.output<typeof proposalSchema>>

export type ProposingContext = Pick<FileContext, 'workspace' | 'server' | 'doubt'>

/** Works out what the edit makes of the files as they are on disk, leaving out what the caller excludes. */
export function planned(
  edit: ServerWorkspaceEdit,
  { workspace, server, doubt }: ProposingContext,
  exclude: readonly string[] = [],
): EditPlan {
  const { client } = server
  const plan = workspace.plan(edit, client.encoding, { exclude, documents: client.documents })
  if (plan.excluded.length > 0) {
    const left = `${counted(plan.excluded.length, 'file')} left out as asked: ${listed(plan.excluded)}`
    doubt({ verdict: 'partial', reason: left })
  }
  return plan
}

export function proposed(
  plan: EditPlan,
  { workspace }: Pick<ProposingContext, 'workspace'>,
  options?: DiffOptions,
): Proposal {
  if (plan.files.length === 0) return { files: [], diff: '' }
  const files = plan.files.map(({ file, edits }) => ({ file, edits }))
  const diff = diffOf(plan, { context: contextLines(countEdits(plan)), ...options })
  return { handle: workspace.propose(plan), files, diff }
}

/** Long diffs are cut after a line; the handle stands for all of it, and so does the list of files. */
export const diffItems = {
  count: ({ diff }: Proposal) => linesOf(diff).length,
  keep: <R extends Proposal>(result: R, count: number): R => ({
    ...result,
    diff: linesOf(result.diff)
      .slice(0, count)
      .map(line => `${line}\n`)
      .join(''),
  }),
}

/** Everything below the summary. `total`: how many lines the diff has, those included that were cut off. */
export function proposalLines({ handle, files, diff }: Proposal, total: number): string[] {
  if (handle === undefined) return []
  const lines = linesOf(diff)
  // A single file is named by its diff, and the summary has counted its edits.
  const isNamed = files.length === 1 && lines.length > 0
  const cut = `the diff is cut after ${lines.length} of ${counted(total, 'line')}; the proposal holds all of it`
  return [
    ...(isNamed ? [] : fileLines(files)),
    ...lines,
    ...(lines.length < total ? [cut] : []),
    `proposal: ${handle}`,
    whatNext,
  ]
}

export const whatNext =
  'Nothing is written yet: apply_edit with the proposal as handle writes it, preview_edit shows first what it would break.'

export function linesOf(diff: string): string[] {
  return diff === '' ? [] : diff.replace(/\n$/, '').split('\n')
}

/** `3 edits in 2 files`. */
export function extent(files: Proposal['files']): string {
  const edits = files.reduce((sum, file) => sum + file.edits, 0)
  return `${counted(edits, 'edit')} in ${counted(files.length, 'file')}`
}

/** Of a change in very many places the places say more than what stands around them. */
function contextLines(edits: number): number {
  if (edits > 200) return 0
  return edits > 30 ? 1 : 3
}

const mostFiles = 200
const mostNames = 10

function fileLines(files: Proposal['files']): string[] {
  const lines = files.slice(0, mostFiles).map(({ file, edits }) => `  ${file}: ${counted(edits, 'edit')}`)
  const more = files.length - mostFiles
  return more > 0 ? [...lines, `  and ${more} more`] : lines
}

function listed(names: readonly string[]): string {
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ')}${more}`
}
