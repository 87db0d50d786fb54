// A symbol's new name, everywhere it is used: as a proposal, never written here.
import { PrepareRenameRequest, ReferencesRequest, RenameRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import { parseWorkspaceEdit } from '../lsp/edit-results.js'
import { beginCrossCheck } from './cross-check.js'
import { checkNewName, occurrencesOfNewName } from './new-name.js'
import { type ContextOf, defineOperation } from './operation.js'
import { askWhetherRenamable } from './prepare-rename.js'
import { diffItems, extent, planned, proposalFields, proposalLines, proposed } from './propose.js'
import { renameEverywhere, type WholeRename } from './rename-everywhere.js'
import { pointer } from './render.js'
import { symbolTarget } from './target.js'

export const renameSymbol = defineOperation({
  name: 'rename_symbol',
  summary:
    'Renames a symbol in the whole workspace by meaning, not by text. Returns a diff and a handle and writes nothing: apply_edit writes it. Use instead of search and replace.',
  effect: 'propose',
  on: 'symbol',
  lsp: RenameRequest,
  nearest: { name: 'find_references', lsp: ReferencesRequest },
  needsWholeWorkspace: true,
  needsRead: true,
  input: z.object({
    ...symbolTarget,
    new_name: z.string().describe('The new name.'),
    exclude: z
      .array(z.string())
      .optional()
      .describe('Files to leave alone, as in .gitignore, e.g. "vendor/**".'),
  }),
  output: z.object({
    ...proposalFields,
    new_name: z.string(),
    warnings: z.array(z.string()).optional(),
  }),
  example: 'src/errors.ts --symbol BridgeError --new-name EngineError',
  items: diffItems,

  async run({ new_name, exclude }, context) {
    const { at, server, target } = context
    const crossCheck = beginCrossCheck(context)
    const doubtful = checkNewName(new_name, target.symbol, server.connection.session.candidate.definition)
    await refuseUnlessRenamable(context)
    const answer = await server.request(RenameRequest, { ...at, newName: new_name })
    // pylsp answers with an empty list where the protocol knows null.
    const edit = parseWorkspaceEdit(Array.isArray(answer) && answer.length === 0 ? null : answer)
    const renaming = { symbol: target.symbol, newName: new_name }
    const whole = await renameEverywhere(edit ?? { changes: [] }, renaming, context)
    const plan = planned(whole.edit, context, exclude)
    const touched = [...plan.files, ...plan.excluded.map(file => ({ file }))]
    if (plan.files.length > 0) await crossCheck.missedBy(touched, 'they keep the old name')
    const warnings = [doubtful, occurrencesOfNewName(new_name, plan), keptNames(whole, context)].filter(
      said => said !== undefined,
    )
    const proposal = { ...proposed(plan, context), new_name }
    return warnings.length === 0 ? proposal : { ...proposal, warnings }
  },

  render: (proposal, { target, total, completeness }) => {
    const { handle, files, new_name, warnings = [] } = proposal
    const what = `renaming ${pointer(target)} to ${new_name}`
    if (handle === undefined) return [`nothing would change by ${what}: the server proposes no edit`]
    return [
      `${what}: ${extent(files)}`,
      ...(completeness.verdict === 'complete' ? [] : [incomplete]),
      ...warnings.map(warning => `warning: ${warning}`),
      ...proposalLines(proposal, total),
    ]
  },
})

const incomplete =
  'warning: this rename may not reach every use (the reason stands below); applied like this it breaks what it does not reach'

/** Where an alias remains, the other side of it has kept the old name. */
function keptNames(
  { kept }: WholeRename,
  { server, target, workspace }: ContextOf['symbol'],
): string | undefined {
  if (kept.length === 0) return undefined
  const places = kept.slice(0, mostKept).map(({ uri, position }) => {
    const { file, line } = workspace.place(uri, { start: position, end: position }, server.client.encoding)
    return `${file}:${line}`
  })
  const more = kept.length > mostKept ? ' and elsewhere' : ''
  return `${target.symbol} keeps its name on the other side of an alias at ${places.join(', ')}${more}`
}

const mostKept = 5

/** A symbol is never guessed: where the server means another one, or none, the rename ends here. */
async function refuseUnlessRenamable(context: ContextOf['symbol']): Promise<void> {
  const { server, target } = context
  if (!server.client.supports(PrepareRenameRequest)) return
  const verdict = await askWhetherRenamable(context).catch((thrown: unknown) => {
    const error = asBridgeError(thrown)
    // Announced and then refused: the rename itself will tell.
    if (error.kind === 'CapabilityMissing') return undefined
    throw error
  })
  if (verdict === undefined || verdict.renamable) return
  if (verdict.error !== undefined) throw verdict.error
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `${target.symbol} at ${target.file}:${target.line}:${target.column} cannot be renamed: ${verdict.reason}`,
    hint: 'Point at a name that the workspace itself declares, at its declaration or at a use.',
  })
}
