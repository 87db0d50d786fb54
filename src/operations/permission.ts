// What is asked of the policy before a call begins, and who is asked to approve what it finds on its way.
import * as z from 'zod'
import { asBridgeError } from '../errors.js'
import type { Approve } from '../policy/authority.js'
import type { About, ApprovalRequest, CallAuthority } from '../policy/call-authority.js'
import type { Workspace } from '../workspace/workspace.js'
import type { CallState } from './call-state.js'
import type { Operation } from './operation.js'

/** Before anything is touched, so that nobody who is asked for approval has to hurry. */
export async function mayRun(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  authority: CallAuthority,
  workspace: Workspace,
): Promise<void> {
  const { method } = operation.lsp ?? operation.sends ?? {}
  const named = filesIn(input).flatMap(file => factsOf(file, workspace) ?? [])
  const facts = [...named, ...touchedBy(operation, input, workspace)]
  const abouts = facts.length === 0 ? [{}] : facts
  await authority.authorize(...abouts.map(about => ({ method, ...about })))
}

/** Nothing where it cannot be found out: then the call itself fails, and says why. */
function touchedBy(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  workspace: Workspace,
): readonly About[] {
  try {
    return operation.touches?.(input, workspace) ?? []
  } catch {
    return []
  }
}

/** Undefined for what is no file of the workspace, or none that a server is asked about: the answer will say so. */
function factsOf(file: string, workspace: Workspace) {
  try {
    const { relative } = workspace.locate(file)
    return { file: relative, language: workspace.routes.forFile(relative).language }
  } catch {
    return undefined
  }
}

/** Who is asked to approve, for as long as the call lives and without its time running out. */
export function asking(
  approve: Approve | undefined,
  signal: AbortSignal | undefined,
  state: () => CallState | undefined,
): ((request: ApprovalRequest) => Promise<boolean>) | undefined {
  if (approve === undefined) return undefined
  return async request => {
    const resume = state()?.pause()
    try {
      return await approve(request, state()?.signal ?? signal)
    } catch (thrown) {
      // No reply is not a no: over MCP it comes with the next round of the call, which must find nothing done by this one.
      state()?.stop(asBridgeError(thrown))
      throw thrown
    } finally {
      resume?.()
    }
  }
}

const withFiles = z.object({
  file: z.string().optional(),
  files: z.array(z.string()).optional(),
  edits: z.array(z.object({ file: z.string() })).optional(),
})

/** As they were typed. Others that the call leads to are decided on when it comes to them. */
function filesIn(input: unknown): readonly string[] {
  const { file, files = [], edits = [] } = withFiles.safeParse(input).data ?? {}
  return [...(file === undefined ? [] : [file]), ...files, ...edits.map(edit => edit.file)]
}
