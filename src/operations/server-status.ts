// Which servers run, in what state, and why one does not.
import * as z from 'zod'
import { defineOperation, listedIn } from './operation.js'
import { counted, countedOf } from './render.js'

export const serverStatus = defineOperation({
  name: 'server_status',
  summary:
    'The language servers of this workspace: state, version, indexing progress, memory, restarts, last error.',
  effect: 'read',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({}),
  output: z.object({
    languages: z.array(z.object({ language: z.string(), files: z.number().int() })),
    servers: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        version: z.string(),
        language: z.string(),
        root: z.string(),
        how: z.string(),
        state: z.string(),
        indexing: z.string().optional(),
        memory_mb: z.number(),
        restarts: z.number().int(),
        last_error: z.string().optional(),
      }),
    ),
  }),
  example: '',
  items: listedIn('servers'),

  async run(_input, { workspace }) {
    return { languages: await workspace.census(), servers: workspace.report() }
  },

  render: ({ languages, servers }, { total }) => [
    total === 0 ? 'no server has been started yet' : countedOf(servers.length, total, 'server'),
    `languages here: ${languages.map(({ language, files }) => `${language} (${counted(files, 'file')})`).join(', ') || 'none known'}`,
    ...servers.flatMap(server => [
      `${server.language}: ${server.name} ${server.version} (${server.how}) ${server.state}, ${server.memory_mb} MB, ${counted(server.restarts, 'restart')}, root ${server.root}`,
      ...(server.indexing === undefined ? [] : [`  indexing: ${server.indexing}`]),
      ...(server.last_error === undefined ? [] : [`  last error: ${server.last_error}`]),
    ]),
  ],
})
