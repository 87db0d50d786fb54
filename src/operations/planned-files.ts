// A proposal as files to try or to look at: what each is now and what it would be, if the disk still has what the proposal
// was made for.
import { asBridgeError, BridgeError } from '../errors.js'
import type { EditPlan } from '../workspace/edit-plan.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Workspace } from '../workspace/workspace.js'
import type { ChangedFile } from './changed-files.js'

/** A renamed file is two: the old one that goes, and the new one that comes out of it. */
export function plannedFiles(plan: EditPlan, workspace: Workspace): ChangedFile[] {
  return plan.files.flatMap(({ file, before, after }): ChangedFile[] => {
    // No server is asked about what is not text.
    if (before?.isBinary) return []
    const { absolute } = workspace.locate(file)
    if (before === undefined) return [{ file, absolute, source: absent(file, workspace), texts: [after] }]
    const source = unchanged(before, workspace)
    if (before.file === file) return [{ file, absolute, source, texts: [after] }]
    const old = { file: before.file, absolute: source.absolute, source, texts: [undefined] }
    return [old, { file, absolute, source: absent(file, workspace), texts: [after], movedFrom: before.file }]
  })
}

function unchanged(
  { file, content }: { readonly file: string; readonly content: string },
  workspace: Workspace,
): SourceFile {
  const source = readIfThere(file, workspace)
  if (source?.content !== content) throw stale(`${file} has changed since the proposal was made`)
  return source
}

function absent(file: string, workspace: Workspace): undefined {
  if (readIfThere(file, workspace) !== undefined)
    throw stale(`${file} has come into being since the proposal was made`)
}

function readIfThere(file: string, workspace: Workspace): SourceFile | undefined {
  try {
    return workspace.read(file)
  } catch (thrown) {
    if (asBridgeError(thrown).kind === 'FileNotFound') return undefined
    throw thrown
  }
}

function stale(message: string): BridgeError {
  return new BridgeError({
    kind: 'StaleProposal',
    message,
    hint: 'Ask for the proposal again; nothing was written.',
  })
}
