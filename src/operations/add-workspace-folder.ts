// Makes a folder below the root a workspace of its own.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { defineOperation, listedIn } from './operation.js'
import { folderField, folderLines, foldersSchema, listFolders } from './workspace-folders.js'

export const addWorkspaceFolder = defineOperation({
  name: 'add_workspace_folder',
  summary:
    'Makes a folder below the root a workspace of its own, such as a nested package with its own configuration that its server overlooks.',
  effect: 'execute',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({ folder: folderField }),
  output: foldersSchema.extend({ folder: z.string(), changed: z.boolean() }),
  example: 'test/fixture',
  items: listedIn('folders'),

  async run({ folder }, { workspace, during, signal, remaining }) {
    const { absolute, relative } = workspace.locateFolder(folder)
    if (absolute === workspace.root) {
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: 'the root of the workspace is one of its folders already',
        hint: 'Name a folder below it.',
      })
    }
    const changed = workspace.addFolder(absolute)
    for (const connection of workspace.connections()) {
      const wait = { signal, milliseconds: remaining() }
      await during(connection, () => workspace.announceFolders(connection, wait))
    }
    return { folder: relative, changed, folders: listFolders(workspace) }
  },

  render: ({ folder, changed, folders }) => [
    `${folder} ${changed ? 'is a workspace folder now' : 'was a workspace folder already'}`,
    ...folderLines(folders),
  ],
})
