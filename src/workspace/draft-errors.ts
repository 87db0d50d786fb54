// Why a server's edit cannot be planned; one function for each reason. Every one of them means that nothing was changed.
import { BridgeError } from '../errors.js'
import { quoted } from './path-errors.js'

// A change that touches more is no longer reviewed by anybody, and all of it is kept in memory.
export const mostFiles = 10_000
export const mostText = 256 * 1024 * 1024

export function otherContent(relative: string): BridgeError {
  return new BridgeError({
    kind: 'ContentModified',
    message: `the edit was made for another content of ${quoted(relative)} than it has now`,
    hint: 'Nothing was changed. Ask again: the server is shown the present content first.',
  })
}

export function notTheSame(name: string, other: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `${quoted(name)} and ${quoted(other)} are the same file, and the server edits them differently`,
    hint: 'Nothing was changed. Edit the file by hand.',
  })
}

export function notUnicode(file: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `after the server's edit ${quoted(file)} would no longer be valid Unicode`,
    hint: 'Nothing was changed. The server cuts a character in two: edit the file by hand.',
  })
}

export function isLink(relative: string): BridgeError {
  return new BridgeError({
    kind: 'NotAFile',
    message: `${quoted(relative)} is a link, which is not renamed, deleted or replaced`,
    hint: 'Nothing was changed. Move or remove the link by hand, then ask again.',
  })
}

export function isRoot(): BridgeError {
  return new BridgeError({
    kind: 'PathOutsideWorkspace',
    message: 'the edit names the workspace root itself',
    hint: 'Nothing was changed. The root is never renamed or deleted.',
  })
}

export function inTheWay(file: string, verb: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's edit ${verb} ${quoted(file)}, which exists already`,
    hint: 'Nothing was changed. Choose another name, or move the existing file first.',
  })
}

export function gone(file: string): BridgeError {
  return new BridgeError({
    kind: 'FileNotFound',
    message: `the server's edit changes ${quoted(file)}, which is not there (any more)`,
    hint: 'Nothing was changed. Ask again: the server is told of the present files first.',
  })
}

export function notEmpty(file: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's edit deletes the folder ${quoted(file)}, which is not empty`,
    hint: 'Nothing was changed. Delete what is in it first.',
  })
}

export function intoItself(file: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's edit moves the folder ${quoted(file)} into itself`,
    hint: 'Nothing was changed. Choose another name.',
  })
}

export function tooLarge(): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's edit touches more than ${mostFiles} files, or ${mostText / 1024 / 1024} MB of text`,
    hint: 'Nothing was changed. Exclude some of the files, or make the change in parts.',
  })
}
