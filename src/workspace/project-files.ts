// One source file of each project below a root, for servers that know a project only while one of its files is open.
import { basename, dirname, extname, join, sep } from 'node:path'
import type { ServerDefinition } from '../servers/definition.js'
import type { FileTable } from './file-table.js'

/** In the order of the projects' folders; a project without a source file of this language is none. */
export function projectFiles(
  table: Pick<FileTable, 'filesWith'>,
  definition: Pick<ServerDefinition, 'projects' | 'extensions'>,
  root: string,
): readonly string[] {
  const marker = definition.projects?.marker ?? []
  const folders = new Set<string>()
  for (const path of table.filesWith(new Set(marker.map(extname)))) {
    if (marker.includes(basename(path)) && isBelow(path, root)) folders.add(dirname(path))
  }
  // With one project there is nothing to open: whatever is asked about is in it.
  if (folders.size < 2) return []
  const chosen = new Map<string, string>()
  for (const path of table.filesWith(new Set(Object.keys(definition.extensions)))) {
    const folder = nearest(dirname(path), folders)
    if (folder !== undefined && !chosen.has(folder)) chosen.set(folder, path)
  }
  return [...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file)
}

function nearest(start: string, folders: ReadonlySet<string>): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (folders.has(folder)) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(join(root, sep))
}
