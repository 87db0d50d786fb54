// What is said of a path that the gate refuses, and how a name is shown in any message.
import type { Stats } from 'node:fs'
import { BridgeError } from '../errors.js'
import { cleanLine } from '../text/clean.js'

interface Named {
  /** As answers show it. */
  readonly relative: string
}

export const longestShown = 200

/** A name for a message: names come from strangers' repositories and end up on terminals. */
export function quoted(name: string): string {
  return JSON.stringify(cleanLine(name, longestShown).text)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

export function invalid(message: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message,
    hint: 'Give a path relative to the workspace root, or an absolute one inside it.',
  })
}

/** The same words whether or not something is there; of an absolute path only the last name is repeated (O7). */
export function outside(name: string): BridgeError {
  return new BridgeError({
    kind: 'PathOutsideWorkspace',
    message: `${quoted(name)} is outside the workspace`,
    hint: 'Only files below the workspace root can be named, and links must stay below it; start with another --root to work elsewhere.',
  })
}

export function notAFile(place: Named, stats: Stats): BridgeError {
  const what = stats.isDirectory() ? 'a folder' : 'not a regular file'
  return new BridgeError({
    kind: 'NotAFile',
    message: `${quoted(place.relative)} is ${what}`,
    hint: stats.isDirectory() ? 'Name a file inside it.' : 'Pipes, devices and sockets are never read.',
  })
}

export function notAFolder(place: Named): BridgeError {
  return new BridgeError({
    kind: 'NotAFile',
    message: `${quoted(place.relative)} is not a folder`,
    hint: 'Name a folder of the workspace.',
  })
}

export function unreadable(place: Named, cause: unknown): BridgeError {
  const name = quoted(place.relative)
  const code = codeOf(cause)
  if (code === 'EMFILE' || code === 'ENFILE') {
    const hint = 'Try again in a moment, or raise the limit of open files.'
    return new BridgeError({ kind: 'Overloaded', message: 'too many files are open', hint, cause })
  }
  if (code === 'ENAMETOOLONG') return invalid(`${name} is too long for a path`)
  if (code === 'ENXIO' || code === 'ENODEV') {
    const hint = 'Pipes, devices and sockets are never read.'
    return new BridgeError({ kind: 'NotAFile', message: `${name} is not a regular file`, hint, cause })
  }
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ELOOP: 'its symbolic links form a loop',
  }
  return new BridgeError({
    kind: 'FileNotFound',
    message: `${name} cannot be read: ${reasons[code] ?? code}`,
    hint: 'Check the path and its permissions, or name another file.',
    cause,
  })
}
