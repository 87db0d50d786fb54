// Shows one server the texts of a trial, step by step, and asks what it makes of them. Shared by whoever tries a text
// that does not exist yet and whoever looks back at one that is gone.
import { dirname } from 'node:path'
import { pathToUri } from '../text/uri.js'
import { statSignature } from '../workspace/source-file.js'
import type { Trial, TrialText } from '../workspace/trial.js'
import type { Connection } from '../workspace/workspace.js'
import type { ChangedFile } from './changed-files.js'
import type { Diagnosed } from './diagnose.js'
import { diagnosed, type Examined, type Examiner, type Findings, nothingFound } from './examine.js'
import type { ContextOf } from './operation.js'

type Context = ContextOf['workspace']

const trialMilliseconds = 30_000

/** Whoever waits for the server must have some time left when it is his turn. */
export function withinTrial(context: Context): Context {
  const ends = Math.max(context.remaining() - trialMilliseconds, 0)
  return { ...context, remaining: () => Math.max(context.remaining() - ends, 0) }
}

export interface Bench {
  readonly files: readonly ChangedFile[]
  readonly examiner: Examiner
  readonly connection: Connection
  readonly trial: Trial
  readonly languageIdOf: (file: string) => string
  /** What was shown of each file so far. */
  readonly displayed: Map<ChangedFile, string>
}

/** Shows what this step changes, and returns every file that the server now sees otherwise than it is on the disk. */
export async function showStep(bench: Bench, step: number): Promise<ReadonlyMap<ChangedFile, Diagnosed>> {
  const { files, displayed, trial, examiner, connection } = bench
  const due: TrialText[] = []
  for (const tried of files) {
    const text = tried.texts[step]
    const now = displayed.get(tried) ?? tried.source?.text.text
    if (text === now) continue
    due.push({ path: tried.absolute, languageId: bench.languageIdOf(tried.file), text })
    displayed.set(tried, text ?? '')
  }
  await trial.show(due, examiner.wait(0.5))
  const { documents } = connection.session.client
  const shown = new Map<ChangedFile, Diagnosed>()
  for (const [tried, text] of displayed) {
    const document = documents.get(pathToUri(tried.absolute))
    // What is to be gone is shown empty, and nothing is asked about it.
    if (document !== undefined && tried.texts[step] !== undefined)
      shown.set(tried, diagnosed(tried.file, text, document))
  }
  return shown
}

export async function examineTouched(
  { files, examiner }: Bench,
  shown: ReadonlyMap<ChangedFile, Diagnosed>,
  step: number,
): Promise<Findings> {
  const found = new Map<string, Examined>()
  const present: ChangedFile[] = []
  for (const tried of files) {
    if (tried.texts[step] !== undefined) present.push(tried)
    else if (tried.source !== undefined) found.set(tried.file, nothingFound())
  }
  // Some servers take a new file in only when they are asked about it, and others may depend on that.
  const isNew = ({ source }: ChangedFile) => source === undefined
  const inTrial = (some: readonly ChangedFile[]) => some.flatMap(tried => shown.get(tried) ?? [])
  const asked = [
    await examiner.diagnose(inTrial(present.filter(isNew))),
    await examiner.diagnose(inTrial(present.filter(tried => !isNew(tried)))),
    await examiner.diagnoseFiles(
      present.filter(tried => !shown.has(tried)).flatMap(({ source }) => source ?? []),
    ),
  ]
  for (const findings of asked) for (const [file, examined] of findings) found.set(file, examined)
  return found
}

/** Files of a trial that are not on the disk, where this server looks for them; undefined where it finds all of them. */
export function unseenInTrial<F extends { readonly absolute: string }>(
  absent: readonly F[],
  { session }: Connection,
): { readonly files: readonly F[]; readonly title: string; readonly reason: string } | undefined {
  const { quirks, title } = session.candidate.definition
  const { newFilesFoundOnDiskOnly: anywhere, newFoldersFoundOnDiskOnly: inNewFolders } = quirks
  if (anywhere !== undefined) return { files: absent, title, reason: anywhere }
  if (inNewFolders === undefined) return undefined
  const files = absent.filter(({ absolute }) => statSignature(dirname(absolute)) === undefined)
  return { files, title, reason: inNewFolders }
}
