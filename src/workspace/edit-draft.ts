// The workspace as it would be: changes are made here one after the other, in the order the server gave them, and what
// differs from the disk in the end is the plan. Nothing is written.

import { unreachable } from '../errors.js'
import type { ServerChange } from '../lsp/edit-results.js'
import { applyEdits, type TextEdit } from '../text/edits.js'
import { SourceText } from '../text/lines.js'
import type { PositionEncoding } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import {
  gone,
  inTheWay,
  intoItself,
  isLink,
  isRoot,
  mostFiles,
  mostText,
  notEmpty,
  notTheSame,
  otherContent,
  tooLarge,
} from './draft-errors.js'
import {
  type DraftFilesOptions,
  findPlace,
  listFolder,
  type NamedPlace,
  type Origin,
  readAny,
  readText,
} from './draft-files.js'
import { toTextEdit } from './server-edits.js'

type ChangeOf<K extends ServerChange['kind']> = Extract<ServerChange, { kind: K }>

export interface DraftOptions extends DraftFilesOptions {
  readonly encoding: PositionEncoding
  readonly isExcluded: (file: string) => boolean
  readonly documents: OpenDocuments | undefined
}

/** The documents a server has open, as it was told of them; `Documents` is one. */
export interface OpenDocuments {
  get(uri: string): { readonly version: number; readonly content: string } | undefined
}

/** A file as it would be. */
export interface DraftFile {
  /** What it was made from; undefined for a new file. */
  readonly origin: Origin | undefined
  text: SourceText
  edits: number
  /** Edits of the present text that are not applied yet, and the name by which the server gave them. */
  pending: { readonly name: string; readonly edits: Map<string, TextEdit> } | undefined
}

export class EditDraft {
  /** By name; undefined where a file was and is no more. */
  readonly files = new Map<string, DraftFile | undefined>()
  /** Everything on the disk that was looked at. */
  readonly origins = new Map<string, Origin>()
  readonly folders = new Set<string>()
  readonly excluded = new Set<string>()
  readonly #options: DraftOptions
  #bytes = 0

  constructor(options: DraftOptions) {
    this.#options = options
  }

  make(change: ServerChange): void {
    switch (change.kind) {
      case 'edit':
        this.#edit(change)
        break
      case 'create':
        this.#create(change)
        break
      case 'rename':
        this.#rename(change)
        break
      case 'delete':
        this.#delete(change)
        break
      default:
        unreachable(change)
    }
  }

  /**
   * Edits of one file that follow each other all count from the same text, even when they come in several lists: each
   * list names the version it was made for, and VS Code, for which servers are written, does the same. An operation on
   * files ends such a row.
   */
  settle(): void {
    for (const file of this.files.values()) {
      if (file?.pending === undefined) continue
      const edits = [...file.pending.edits.values()]
      file.text = new SourceText(applyEdits(file.text.text, edits))
      file.edits += edits.length
      file.pending = undefined
    }
  }

  #edit({ uri, version, edits }: ChangeOf<'edit'>): void {
    if (edits.length === 0) return
    const place = this.#place(uri)
    if (this.#leaveOut(place)) return
    const file = this.#textAt(place)
    this.#refuseOtherContent(place, version, file)
    const { encoding } = this.#options
    const made = edits.map(edit => toTextEdit(edit, { text: file.text, encoding, name: place.relative }))
    const pending = file.pending ?? { name: place.relative, edits: new Map() }
    const added = new Map<string, TextEdit>()
    for (const [index, edit] of made.entries()) {
      // Servers that know a file through two projects send a replacement twice; an insertion may be meant twice.
      const isReplacement = edit.end > edit.start
      const key = isReplacement ? JSON.stringify(edit) : `${place.relative}:${pending.edits.size}:${index}`
      added.set(key, edit)
    }
    if (pending.name !== place.relative) {
      refuseUnlessSame(pending, [...added.values()], place)
      return
    }
    for (const [key, edit] of added) pending.edits.set(key, edit)
    file.pending = pending
  }

  #create({ uri, overwrite, ignoreIfExists }: ChangeOf<'create'>): void {
    this.settle()
    const place = this.#place(uri)
    if (this.#leaveOut(place)) return
    if (place.isLink) throw isLink(place.relative)
    if (this.#existing(place) !== undefined) {
      if (!overwrite && ignoreIfExists) return
      if (!overwrite) throw inTheWay(place.file, 'creates')
    }
    this.files.set(place.file, newFile())
  }

  #rename({ from, to, overwrite, ignoreIfExists }: ChangeOf<'rename'>): void {
    this.settle()
    const source = this.#place(from)
    const target = this.#place(to)
    if (source.file === target.file && !source.isLink) return
    const isFolder = source.exists === 'folder' && !this.files.has(source.file)
    const pairs = isFolder ? this.#below(source, target) : [{ from: source.file, to: target.file }]
    if (source.isLink || target.isLink) throw isLink(source.isLink ? source.relative : target.relative)
    for (const pair of pairs) {
      if (this.#leaveOutBoth(pair)) continue
      const moved = this.#at(pair.from)
      if (moved === undefined) throw gone(pair.from)
      const inPlace = this.#at(pair.to)
      const isItself = inPlace !== undefined && isSameFile(inPlace, moved, pair)
      if (inPlace !== undefined && !isItself) {
        if (!overwrite && ignoreIfExists) continue
        if (!overwrite || moved.origin?.isBinary) throw inTheWay(pair.to, 'moves a file to')
      }
      if (isItself) this.origins.delete(pair.to)
      this.files.set(pair.from, undefined)
      this.files.set(pair.to, moved)
    }
  }

  #delete({ uri, recursive, ignoreIfNotExists }: ChangeOf<'delete'>): void {
    this.settle()
    const place = this.#place(uri)
    if (this.#leaveOut(place)) return
    if (place.isLink) throw isLink(place.relative)
    const isFolder = place.exists === 'folder' && !this.files.has(place.file)
    const names = isFolder ? this.#below(place).map(pair => pair.from) : [place.file]
    if (isFolder && names.length > 0 && !recursive) throw notEmpty(place.file)
    for (const name of names) {
      if (this.#isLeftOut(name)) continue
      if (this.#at(name) !== undefined) this.files.set(name, undefined)
      else if (!ignoreIfNotExists) throw gone(name)
    }
  }

  /** Where the change leads: a file may have come to a name, or left it, by an earlier change. */
  #place(uri: string): NamedPlace {
    const place = findPlace(uri, this.#options)
    if (place.file === '.') throw isRoot()
    return place
  }

  /** The file under this name now; what was not changed yet is read from the disk. */
  #at(file: string): DraftFile | undefined {
    if (this.files.has(file)) return this.files.get(file)
    const place = findPlace(pathToUri(`${this.#options.gate.root}/${file}`), this.#options)
    if (place.exists === 'nothing') return undefined
    return this.#take(readAny(file, this.#options))
  }

  #existing(place: NamedPlace): DraftFile | 'folder' | undefined {
    if (this.files.has(place.file)) return this.files.get(place.file)
    if (place.exists === 'folder') throw inTheWay(place.file, 'creates')
    return place.exists === 'nothing' ? undefined : this.#take(readAny(place.file, this.#options))
  }

  #textAt(place: NamedPlace): DraftFile {
    if (this.files.has(place.file)) {
      const known = this.files.get(place.file)
      if (known === undefined) throw gone(place.file)
      if (known.origin?.isBinary) readText(known.origin.file, this.#options)
      return known
    }
    // By the name that was asked for, so that what is missing or not text is named as the server named it.
    const { absolute } = place
    return this.#take({ ...readText(absolute, this.#options), file: place.file })
  }

  #take(origin: Origin): DraftFile {
    this.#bytes += origin.text.text.length
    if (this.origins.size >= mostFiles || this.#bytes > mostText) throw tooLarge()
    const file: DraftFile = { origin, text: origin.text, edits: 0, pending: undefined }
    this.origins.set(origin.file, origin)
    this.files.set(origin.file, file)
    return file
  }

  /** Undefined in `documents` is a file that the server reads from the disk; gopls then says version 0. */
  #refuseOtherContent(place: NamedPlace, version: number | undefined, { origin }: DraftFile): void {
    const document = this.#options.documents?.get(pathToUri(place.absolute))
    // A file that an earlier change brought here was never open under this name.
    if (document === undefined || origin?.file !== place.file) return
    const isOtherVersion = version !== undefined && version !== document.version
    if (!isOtherVersion && document.content === origin.content) return
    throw otherContent(place.relative)
  }

  #below(source: NamedPlace, target?: NamedPlace): { from: string; to: string }[] {
    if (target !== undefined && `${target.file}/`.startsWith(`${source.file}/`)) throw intoItself(source.file)
    const listed = listFolder(source.file, this.#options)
    const prefix = `${source.file}/`
    const drafted = [...this.files.keys()].filter(file => file.startsWith(prefix))
    const names = new Set([...listed.files, ...drafted].filter(file => this.#isThere(file)))
    for (const folder of listed.folders) this.folders.add(folder)
    return [...names].map(from => ({
      from,
      to: `${target?.file ?? source.file}/${from.slice(prefix.length)}`,
    }))
  }

  #isThere(file: string): boolean {
    return !this.files.has(file) || this.files.get(file) !== undefined
  }

  #leaveOut(place: NamedPlace): boolean {
    return this.#isLeftOut(place.relative) || this.#isLeftOut(place.file)
  }

  #isLeftOut(file: string): boolean {
    if (!this.excluded.has(file) && !this.#options.isExcluded(file)) return false
    this.excluded.add(file)
    return true
  }

  /** Half a rename is none: what is said of the new name later belongs to the file that stays where it is. */
  #leaveOutBoth({ from, to }: { readonly from: string; readonly to: string }): boolean {
    if (!this.#isLeftOut(from) && !this.#isLeftOut(to)) return false
    this.excluded.add(from)
    this.excluded.add(to)
    return true
  }
}

function newFile(): DraftFile {
  return { origin: undefined, text: new SourceText(''), edits: 0, pending: undefined }
}

/** On a file system without case, the file in the way of `a.ts` to `A.ts` is the file itself (W18). */
function isSameFile(
  inPlace: DraftFile,
  moved: DraftFile,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  return (
    from.toLowerCase() === to.toLowerCase() &&
    inPlace.origin !== undefined &&
    inPlace.origin.identity === moved.origin?.identity
  )
}

/** A file with two names in the workspace is edited once, if the server says the same of both. */
function refuseUnlessSame(
  pending: { readonly name: string; readonly edits: ReadonlyMap<string, TextEdit> },
  edits: readonly TextEdit[],
  place: NamedPlace,
): void {
  const known = [...pending.edits.values()].map(edit => JSON.stringify(edit))
  if (JSON.stringify(known.sort()) === JSON.stringify(edits.map(edit => JSON.stringify(edit)).sort())) return
  throw notTheSame(pending.name, place.relative)
}
