// Shows one server the texts that an edit would make, step by step, and compares what it says of them with what it says
// of the disk. Nobody else is answered meanwhile, and afterwards the server sees the disk again.
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { JudgedFile } from './change-result.js'
import { added, type ChangedFile, changedSpans, judgeFiles, namesBefore } from './changed-files.js'
import type { DeclaredName } from './dependents.js'
import type { Diagnosed } from './diagnose.js'
import { doubtChangedFiles } from './doubts.js'
import { Examiner, type Findings } from './examine.js'
import type { ContextOf } from './operation.js'
import { type Bench, examineTouched, showStep, unseenInTrial } from './trial-bench.js'

export interface TrialOutcome {
  /** Per step: the changed files, then those that depend on them. */
  readonly steps: readonly (readonly JudgedFile[])[]
  /** Why not every file that depends on the change was looked at. */
  readonly gaps: readonly string[]
}

type Context = ContextOf['workspace']

/** Whoever calls it is alone with the server. */
export async function tryEdits(
  files: readonly ChangedFile[],
  connection: Connection,
  { dependents: wantsDependents }: { readonly dependents: boolean },
  context: Context,
): Promise<TrialOutcome> {
  const examiner = new Examiner(connection, context)
  const onDisk = files.flatMap(({ source }) => source ?? [])
  // It was waited for before, while others could still ask.
  await examiner.prepare(onDisk, 0)
  // The changed files come first everywhere: if time runs out, it is for the others.
  const baseline = new Map(await examiner.diagnoseFiles(onDisk))
  const known = new Set(files.map(({ absolute }) => absolute))
  const before = wantsDependents ? await namesBefore(files, examiner) : []
  const referring = await examiner.dependents(before, known)
  for (const { absolute } of referring) known.add(absolute)
  for (const [file, examined] of await examiner.diagnoseDependents(referring)) baseline.set(file, examined)
  const dependents = referring.filter(({ relative }) => baseline.has(relative))
  // What only refers to a name that the edit adds is found while the server sees it, and its past is asked for later.
  const late: SourceFile[] = []
  const seen = await connection.view.trying(async trial => {
    const languageIdOf = (file: string) => context.workspace.routes.forFile(file).languageId
    const bench: Bench = { files, examiner, connection, trial, languageIdOf, displayed: new Map() }
    const steps: Findings[] = []
    for (const [step] of (files[0]?.texts ?? []).entries()) {
      const shown = await showStep(bench, step)
      const touched = await examineTouched(bench, shown, step)
      if (wantsDependents) {
        const names = await namesShown(shown, examiner)
        for (const source of await examiner.dependents(added(names, before), known)) {
          known.add(source.absolute)
          late.push(source)
        }
      }
      steps.push(new Map([...touched, ...(await examiner.diagnoseFiles([...dependents, ...late]))]))
    }
    return steps
  })
  for (const [file, examined] of await examiner.diagnoseFiles(late)) baseline.set(file, examined)
  // Whatever was tried rests on these.
  doubtChangedFiles([...onDisk, ...dependents, ...late], context)
  const steps = seen.map(findings => judgeFiles(files, findings, baseline))
  doubtNewFiles(files, steps, connection, context)
  return { steps, gaps: [...examiner.gaps, ...shownEmpty(files)] }
}

/** Where a server looks for files on the disk, what imports a file that is not there yet seems wrong. */
function doubtNewFiles(
  files: readonly ChangedFile[],
  steps: readonly (readonly JudgedFile[])[],
  connection: Connection,
  { doubt }: Context,
): void {
  const created = files.filter(({ source }) => source === undefined)
  const unseen = unseenInTrial(created, connection)
  const [first] = unseen?.files ?? []
  if (unseen === undefined || first === undefined) return
  const { title, reason } = unseen
  if (steps.flat().every(file => file.class !== 'new_errors')) return
  doubt({
    verdict: 'partial',
    reason: `${first.file} does not exist yet, and ${title} may not find it. ${reason} Errors about importing it may be false`,
    hint: 'Create the file, then ask again.',
  })
}

function shownEmpty(files: readonly ChangedFile[]): string[] {
  return files
    .filter(({ source, texts }) => source !== undefined && texts.includes(undefined))
    .map(({ file }) => `${file} was shown empty, because a server cannot be shown that a file is gone`)
}

async function namesShown(
  shown: ReadonlyMap<ChangedFile, Diagnosed>,
  examiner: Examiner,
): Promise<readonly DeclaredName[]> {
  const names: DeclaredName[] = []
  for (const [tried, document] of shown)
    names.push(...(await examiner.names(document, changedSpans(tried, document.text.text))))
  return names
}
