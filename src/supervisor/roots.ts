// Which root a file belongs to for a given server. Too many roots cost memory (one server per module is a common
// complaint), so most definitions take the workspace root and let the server find its projects below it.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unreachable } from '../errors.js'
import type { RootRule } from '../servers/definition.js'

export type Exists = (path: string) => boolean

/** `file` and `workspaceRoot` are canonical; the result is the workspace root or a folder inside it. */
export function rootFor(
  file: string,
  workspaceRoot: string,
  rule: RootRule,
  exists: Exists = existsSync,
): string {
  switch (rule.kind) {
    case 'workspace':
      return workspaceRoot
    case 'nearest':
      return (
        foldersUpwards(file, workspaceRoot).find(folder => holds(folder, rule.markers, exists)) ??
        workspaceRoot
      )
    case 'outermost':
      return (
        foldersUpwards(file, workspaceRoot).findLast(folder => holds(folder, rule.markers, exists)) ??
        workspaceRoot
      )
    default:
      return unreachable(rule)
  }
}

export function foldersUpwards(file: string, workspaceRoot: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === workspaceRoot) return folders
    // A file that is not below the workspace belongs to no folder of it.
    if (folder === dirname(folder)) return []
  }
}

function holds(folder: string, markers: readonly string[], exists: Exists): boolean {
  return markers.some(marker => exists(join(folder, marker)))
}
