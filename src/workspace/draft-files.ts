// Finds the files that a planned change names, through the gate: where they really are, what they hold, what lies
// below a folder. Also draws the line around what no edit may touch.
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { BridgeError } from '../errors.js'
import { SourceText } from '../text/lines.js'
import { uriToPath } from '../text/uri.js'
import { hashOfDescriptor } from './file-content.js'
import { quoted } from './path-errors.js'
import type { Located, PathGate } from './path-gate.js'
import type { SourceCache, SourceFile } from './source-file.js'

/** A file as it is on the disk. */
export interface Origin {
  /** With all links resolved, relative to the root: the name under which it is changed. */
  readonly file: string
  readonly content: string
  readonly text: SourceText
  readonly bom: boolean
  /** Not text, or too large for it: it can be moved and deleted, and its text stands empty. */
  readonly isBinary: boolean
  readonly identity: string
}

export interface NamedPlace extends Located {
  /** As `Origin.file`; for what does not exist yet, with the links of its folders resolved. */
  readonly file: string
  readonly exists: 'file' | 'folder' | 'nothing'
  /** The name itself is a link, to a file inside the root. */
  readonly isLink: boolean
}

export interface DraftFilesOptions {
  readonly gate: PathGate
  readonly cache: SourceCache
}

export function findPlace(uri: string, { gate }: DraftFilesOptions): NamedPlace {
  const path = uriToPath(uri)
  if (path === undefined) throw namesNoFile(uri)
  const place = gate.locate(path)
  refuseProtected(place.relative)
  const stats = statsOf(place.absolute)
  if (stats === undefined) return { ...place, file: newName(place, gate), exists: 'nothing', isLink: false }
  if (stats.isDirectory()) {
    const folder = gate.openFolder(place.absolute)
    folder.close()
    refuseProtected(folder.relative)
    return { ...place, file: folder.relative, exists: 'folder', isLink: false }
  }
  const opened = gate.open(place.absolute)
  opened.close()
  const file = gate.display(opened.canonical)
  refuseProtected(file)
  return { ...place, file, exists: 'file', isLink: stats.isSymbolicLink() }
}

/** For editing: what is not text cannot be edited, and says so. */
export function readText(file: string, { cache }: DraftFilesOptions): Origin {
  return originOf(cache.get(file), file)
}

/** For moving and deleting, where the content only has to be known again. */
export function readAny(file: string, options: DraftFilesOptions): Origin {
  try {
    return readText(file, options)
  } catch (thrown) {
    const isReadable =
      thrown instanceof BridgeError && ['InvalidArguments', 'FileTooLarge'].includes(thrown.kind)
    if (!isReadable) throw thrown
    return readBinary(file, options)
  }
}

/** Every file and folder below, the folder itself included. Links are refused: what they lead to must not be guessed. */
export function listFolder(
  folder: string,
  { gate }: DraftFilesOptions,
): { files: string[]; folders: string[] } {
  const files: string[] = []
  const folders: string[] = []
  const pending = [folder]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    refuseProtected(next)
    folders.push(next)
    const opened = gate.openFolder(join(gate.root, next))
    try {
      for (const entry of readdirSync(opened.path, { withFileTypes: true })) {
        const path = `${next}/${entry.name}`
        if (entry.isDirectory()) pending.push(path)
        else if (entry.isFile()) files.push(path)
        else throw notPlain(path)
        if (files.length + folders.length > mostInFolder) throw tooManyInFolder(folder)
      }
    } finally {
      opened.close()
    }
  }
  return { files: files.sort(), folders: folders.sort() }
}

/** What version control keeps is no source, and a hook written there would be run by the next commit. */
export function refuseProtected(relative: string): void {
  if (!relative.split('/').some(name => protectedFolders.has(name.toLowerCase()))) return
  throw new BridgeError({
    kind: 'PathOutsideWorkspace',
    message: `${quoted(relative)} belongs to version control, not to the sources`,
    hint: 'Edits never touch it; nothing was changed.',
  })
}

const protectedFolders = new Set(['.git', '.hg', '.svn', '.jj'])
const mostInFolder = 5000
const largestBinary = 256 * 1024 * 1024

function originOf(source: SourceFile, file: string): Origin {
  const { content, text, bom, signature } = source
  return { file, content, text, bom, isBinary: false, identity: `${signature.dev}:${signature.ino}` }
}

function readBinary(file: string, { gate }: DraftFilesOptions): Origin {
  const opened = gate.open(file)
  try {
    const content = hashOfDescriptor(opened.descriptor, largestBinary)
    if (content === undefined) throw tooLarge(file)
    const { dev, ino } = lstatSync(opened.canonical, { bigint: true })
    return { file, content, text: noText, bom: false, isBinary: true, identity: `${dev}:${ino}` }
  } finally {
    opened.close()
  }
}

const noText = new SourceText('')

/** The nearest folder that exists has to be inside, or the new file would be made elsewhere. */
function newName(place: Located, gate: PathGate): string {
  let existing = dirname(place.absolute)
  while (statsOf(existing) === undefined) existing = dirname(existing)
  const folder = gate.openFolder(existing)
  folder.close()
  refuseProtected(folder.relative)
  return gate.display(join(folder.canonical, place.absolute.slice(existing.length)))
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A folder on the way may not be entered; the gate finds out which and says so.
    return undefined
  }
}

function namesNoFile(uri: string): BridgeError {
  return new BridgeError({
    kind: 'PathOutsideWorkspace',
    message: `the server's edit names ${quoted(uri)}, which is no file of the workspace`,
    hint: 'Nothing was changed. Only files below the workspace root can be edited.',
  })
}

function notPlain(path: string): BridgeError {
  return new BridgeError({
    kind: 'NotAFile',
    message: `${quoted(path)} is a link or no regular file, so its folder is not moved or deleted`,
    hint: 'Nothing was changed. Move the folder by hand (git mv), then ask again for the rest.',
  })
}

function tooManyInFolder(folder: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the edit moves or deletes the folder ${quoted(folder)}, which holds more than ${mostInFolder} files`,
    hint: 'Nothing was changed. Move the folder by hand (git mv), then ask again for the rest.',
  })
}

function tooLarge(file: string): BridgeError {
  return new BridgeError({
    kind: 'FileTooLarge',
    message: `${quoted(file)} is larger than ${largestBinary / 1024 / 1024} MB`,
    hint: 'Nothing was changed. Move or delete it by hand.',
  })
}
