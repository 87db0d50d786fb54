// Which of a host's tools change files, and in which of their arguments the path stands. Hosts name their tools as they
// like, so everything here can be replaced.
import { property } from '../json.js'

export interface SyncRules {
  /** Tools after which the file is sent to its server as it is now. */
  readonly changing: readonly string[]
  /** Tools after which the file is gone. */
  readonly removing: readonly string[]
  /** Tools after which the file counts as read (C34). */
  readonly reading: readonly string[]
  /** Arguments that hold a path or a list of paths; the first that is there counts. */
  readonly pathArguments: readonly string[]
}

export const defaultSyncRules: SyncRules = {
  changing: [
    'vfs_write',
    'vfs_edit',
    'vfs_append',
    'write',
    'edit',
    'append',
    'Write',
    'Edit',
    'MultiEdit',
    'write_file',
    'edit_file',
    'append_file',
    'create_file',
    'str_replace',
    'apply_patch',
  ],
  removing: ['vfs_rm', 'rm', 'remove', 'remove_file', 'delete_file'],
  reading: ['vfs_read', 'read', 'Read', 'read_file'],
  pathArguments: ['path', 'file_path', 'filePath', 'file', 'filename', 'paths', 'files'],
}

export type ToolKind = 'changing' | 'removing' | 'reading'

/** Undefined for a tool that has nothing to do with files. */
export function kindOfTool(name: string, rules: SyncRules): ToolKind | undefined {
  if (rules.changing.includes(name)) return 'changing'
  if (rules.removing.includes(name)) return 'removing'
  return rules.reading.includes(name) ? 'reading' : undefined
}

export function pathsIn(args: unknown, { pathArguments }: SyncRules): string[] {
  for (const name of pathArguments) {
    const value = property(args, name)
    if (typeof value === 'string' && value !== '') return [value]
    if (Array.isArray(value) && value.length > 0) return value.filter(path => typeof path === 'string')
  }
  return []
}
