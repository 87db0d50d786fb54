// What the three operations on workspace folders show: the folders, and which server knows which.
import { sep } from 'node:path'
import * as z from 'zod'
import type { Workspace } from '../workspace/workspace.js'

export const folderField = z
  .string()
  .describe('Folder, relative to the workspace root or absolute inside it.')

export const foldersSchema = z.object({
  folders: z.array(
    z.object({
      folder: z.string(),
      /** False for the root given at the start. */
      added: z.boolean(),
      servers: z.array(
        z.object({
          server: z.string(),
          root: z.string(),
          /** `root` of the server, `told` of it, or merely `covered` by its root. */
          as: z.enum(['root', 'told', 'covered']),
        }),
      ),
    }),
  ),
})

export type ListedFolder = z.output<typeof foldersSchema>['folders'][number]

export function listFolders(workspace: Workspace): ListedFolder[] {
  const folders = [workspace.root, ...workspace.addedFolders()]
  return folders.map(path => ({
    folder: workspace.locate(path).relative,
    added: path !== workspace.root,
    servers: workspace.connections().flatMap(({ session }) => {
      const { root, client, candidate } = session
      if (root !== path && !path.startsWith(root.endsWith(sep) ? root : root + sep)) return []
      const as = root === path ? 'root' : client.folders.has(path) ? 'told' : 'covered'
      return [{ server: candidate.definition.title, root: workspace.locate(root).relative, as } as const]
    }),
  }))
}

export function folderLines(folders: readonly ListedFolder[]): string[] {
  return folders.flatMap(({ folder, added, servers }) => [
    `${folder} (${added ? 'added' : 'root'})`,
    ...servers.map(({ server, root, as }) => `  ${server}: ${words[as]}${as === 'root' ? '' : ` (${root})`}`),
  ])
}

const words = {
  root: 'runs here',
  told: 'runs above it and takes it for a workspace',
  covered: 'runs above it and finds what lies below its root by itself',
} as const
