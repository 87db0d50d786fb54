// The root, the folders that were added below it, and which server knows which.
import * as z from 'zod'
import { defineOperation, listedIn } from './operation.js'
import { countedOf } from './render.js'
import { folderLines, foldersSchema, listFolders } from './workspace-folders.js'

export const listWorkspaceFolders = defineOperation({
  name: 'list_workspace_folders',
  summary: 'The workspace root, the folders added below it, and which running server knows which.',
  effect: 'read',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({}),
  output: foldersSchema,
  example: '',
  items: listedIn('folders'),

  async run(_input, { workspace }) {
    return { folders: listFolders(workspace) }
  },

  render: ({ folders }, { total }) => [
    countedOf(folders.length, total, 'workspace folder'),
    ...folderLines(folders),
  ],
})
