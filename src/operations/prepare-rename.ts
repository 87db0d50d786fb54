// Whether a symbol can be renamed at all, and what exactly would be.
import { PrepareRenameRequest, RenameRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import { parsePrepareRename, type ServerPrepareRename } from '../lsp/edit-results.js'
import { cleanLine } from '../text/clean.js'
import { type ContextOf, defineOperation, placeSchema } from './operation.js'
import { pointer } from './render.js'
import { touches } from './selection.js'
import { sourcePlace, textAt } from './source-place.js'
import { symbolTarget } from './target.js'

const longestPlaceholder = 200

export const prepareRename = defineOperation({
  name: 'prepare_rename',
  summary:
    'Whether a symbol can be renamed, and the exact name that would be. rename_symbol asks this by itself.',
  effect: 'propose',
  on: 'symbol',
  lsp: PrepareRenameRequest,
  nearest: { name: 'rename_symbol', lsp: RenameRequest },
  // rust-analyzer finds nothing to rename anywhere until it has loaded the workspace, and says no more than that.
  needsWholeWorkspace: true,
  input: z.object(symbolTarget),
  output: z.object({
    can_rename: z.boolean(),
    reason: z.string().optional(),
    placeholder: z.string().optional(),
    place: placeSchema.optional(),
  }),
  example: 'src/errors.ts --symbol BridgeError',
  items: { count: () => 0, keep: result => result },

  async run(_input, context) {
    const { source, server, target } = context
    const verdict = await askWhetherRenamable(context)
    if (!verdict.renamable) return { can_rename: false, reason: verdict.reason }
    const { prepared } = verdict
    // It leaves it to the client to find the word at the position, which is what the target is.
    if (prepared.kind === 'default') return { can_rename: true, placeholder: target.symbol }
    const place = sourcePlace(source, prepared.range, server.client.encoding)
    const placeholder = prepared.placeholder ?? textAt(source, place, 'first')
    return { can_rename: true, placeholder: cleanLine(placeholder, longestPlaceholder).text, place }
  },

  render: ({ can_rename, reason, placeholder, place }, { target }) => {
    if (!can_rename) return [`${pointer(target)} cannot be renamed: ${reason}`]
    const at =
      place === undefined
        ? ''
        : ` at ${place.line}:${place.column} to ${place.end_line}:${place.end_column}  ${place.text}`
    return [`${pointer(target)} can be renamed`, `name to replace: ${placeholder}${at}`]
  },
})

export type Renamable =
  | { readonly renamable: true; readonly prepared: ServerPrepareRename }
  | { readonly renamable: false; readonly reason: string; readonly error: BridgeError | undefined }

/**
 * Servers say no in three ways: with null, with an error in their own words, and, on a keyword, by naming another symbol
 * close by: both servers for TypeScript take `function` for the function's name. That one was not asked for.
 */
export async function askWhetherRenamable({
  at,
  server,
  source,
  target,
}: Pick<ContextOf['symbol'], 'at' | 'server' | 'source' | 'target'>): Promise<Renamable> {
  const name = server.client.identity.name
  const answer = await server.request(PrepareRenameRequest, at).catch((thrown: unknown) => {
    const error = asBridgeError(thrown)
    if (error.kind !== 'ServerError') throw error
    return error
  })
  if (answer instanceof BridgeError) return { renamable: false, reason: answer.message, error: answer }
  const prepared = parsePrepareRename(answer)
  if (prepared === undefined) {
    return { renamable: false, reason: `${name} finds nothing there that can be renamed`, error: undefined }
  }
  if (prepared.kind === 'range' && !touches(prepared.range, { start: at.position, end: at.position })) {
    const other = sourcePlace(source, prepared.range, server.client.encoding)
    const word = textAt(source, other, 'first')
    const reason = `${name} would rename ${word} at ${other.line}:${other.column}, not ${target.symbol}`
    return { renamable: false, reason, error: undefined }
  }
  return { renamable: true, prepared }
}
