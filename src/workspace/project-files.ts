// Source files of each project below a root, for servers that know a project only while one of its files is open.
import { basename, dirname, extname, join, sep } from 'node:path'
import type { ServerDefinition } from '../servers/definition.js'
import type { FileTable } from './file-table.js'

/** Of each project, where the first cannot be read. */
const mostFiles = 3

/**
 * For each project the files that may stand for it, the likeliest first; in the order of the projects' folders. A project
 * without a source file of this language is none.
 */
export function projectFiles(
  table: Pick<FileTable, 'filesWith'>,
  definition: Pick<ServerDefinition, 'projects' | 'extensions'>,
  root: string,
): readonly (readonly string[])[] {
  const marker = definition.projects?.marker ?? []
  const folders = new Set<string>()
  for (const path of table.filesWith(new Set(marker.map(extname)))) {
    if (marker.includes(basename(path)) && isBelow(path, root)) folders.add(dirname(path))
  }
  // With one project there is nothing to open: whatever is asked about is in it.
  if (folders.size < 2) return []
  const chosen = new Map<string, Ranked[]>()
  for (const path of table.filesWith(new Set(Object.keys(definition.extensions)))) {
    const folder = nearest(dirname(path), folders)
    if (folder === undefined) continue
    const files = chosen.get(folder) ?? []
    chosen.set(folder, files)
    const rank = rankOf(path, folder)
    // In a large project nearly every file is told by its rank alone that there are better ones.
    if (files.length === mostFiles && rank >= (files.at(-1)?.rank ?? rank)) continue
    files.push({ path, rank })
    files.sort((a, b) => a.rank - b.rank)
    files.length = Math.min(files.length, mostFiles)
  }
  return [...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, files]) => files.map(({ path }) => path))
}

interface Ranked {
  readonly path: string
  readonly rank: number
}

/** A configuration names its sources by folder, and what lies beside it is often another tool's. */
function rankOf(path: string, folder: string): number {
  const [first, ...rest] = path.slice(join(folder, sep).length).split(sep)
  if (rest.length === 0) return 2
  return first === 'src' ? 0 : 1
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
