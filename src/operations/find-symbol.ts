// Where in the workspace a name is declared.
import { WorkspaceSymbolRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { findSymbols } from './search.js'

const defaultLimit = 50

export const findSymbol = defineOperation({
  name: 'find_symbol',
  summary:
    'Finds declarations by name in the whole workspace, over all its languages, best match first. Use when you know a name but not its file.',
  effect: 'read',
  on: 'workspace',
  lsp: WorkspaceSymbolRequest,
  needsWholeWorkspace: true,
  input: z.object({
    query: z.string().describe('Name or part of it; empty means all.'),
    limit: z.number().int().min(1).max(1000).default(defaultLimit).describe('Most symbols to return.'),
  }),
  output: z.object({
    symbols: z.array(
      z.object({ name: z.string(), kind: z.string(), path: z.string(), ...placeSchema.shape }),
    ),
    total: z.number().int(),
  }),
  example: 'BridgeError',
  items: listedIn('symbols'),

  async run({ query, limit }, context) {
    const symbols = await findSymbols(query, context)
    return { symbols: symbols.slice(0, limit), total: symbols.length }
  },

  render: ({ symbols, total: found }, { total }) => [
    `${countedOf(symbols.length, found, 'symbol')}${found > total ? ' (raise limit for more)' : ''}`,
    ...symbols.map(({ file, line, column, kind, path }) => `${file}:${line}:${column}  ${kind} ${path}`),
  ],
})
