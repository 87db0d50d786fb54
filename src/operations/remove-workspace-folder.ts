// Takes back what add_workspace_folder did; the folder need not exist any more.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { defineOperation, listedIn } from './operation.js'
import { folderField, folderLines, foldersSchema, listFolders } from './workspace-folders.js'

export const removeWorkspaceFolder = defineOperation({
  name: 'remove_workspace_folder',
  summary: 'Takes back add_workspace_folder: the folder is part of the workspace above it again.',
  effect: 'execute',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({ folder: folderField }),
  output: foldersSchema.extend({ folder: z.string(), changed: z.boolean() }),
  example: 'test/fixture',
  items: listedIn('folders'),

  async run({ folder }, { workspace, during }) {
    const { absolute, relative } = workspace.locate(folder)
    if (absolute === workspace.root) {
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: 'the root of the workspace cannot be removed',
        hint: 'list_workspace_folders shows what was added.',
      })
    }
    const changed = await workspace.removeFolder(absolute)
    for (const connection of workspace.connections()) {
      // Alone, because documents in it are closed.
      await during(connection, async () => workspace.withdrawFolder(connection, absolute), 'alone')
    }
    return { folder: relative, changed, folders: listFolders(workspace) }
  },

  render: ({ folder, changed, folders }) => [
    `${folder} ${changed ? 'is no workspace folder any more' : 'was no workspace folder'}`,
    ...folderLines(folders),
  ],
})
