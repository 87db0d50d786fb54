// The documents one server has open: opened before any question, versions strictly growing (also over a close and
// reopen), whole text by default. The least recently used one is closed beyond a bound, because some servers keep a
// worker per open file (fault C20).
import { TextDocumentSyncKind, type TextDocumentSyncOptions } from 'vscode-languageserver-protocol'
import { SourceText } from '../text/lines.js'
import { type PositionEncoding, type ServerPosition, toServerPosition } from '../text/position.js'

export interface OpenDocument {
  readonly uri: string
  readonly languageId: string
  readonly version: number
  readonly text: string
  /** The hash of the file's bytes, as every answer names it. */
  readonly content: string
}

export interface DocumentInput {
  readonly uri: string
  readonly languageId: string
  readonly text: string
  readonly content: string
}

export interface DocumentsOptions {
  readonly notify: (method: string, params: object) => void
  /** Known only after the handshake. */
  readonly sync: () => TextDocumentSyncOptions | TextDocumentSyncKind | undefined
  /** What this server wants in every change besides the text. */
  readonly changeExtras: Readonly<Record<string, unknown>>
  /** Whether a change names the range of the old text, which is all of it; in what the server counts columns. */
  readonly changedRange: () => PositionEncoding | undefined
  readonly maxOpen: number
  readonly onOpened: (document: OpenDocument) => void
  readonly onChanged: (document: OpenDocument) => void
  readonly onClosed: (uri: string) => void
}

export class Documents {
  readonly #open = new Map<string, OpenDocument>()
  readonly #options: DocumentsOptions
  /** How many hold each document. */
  readonly #held = new Map<string, number>()
  #lastVersion = 0

  constructor(options: DocumentsOptions) {
    this.#options = options
  }

  get(uri: string): OpenDocument | undefined {
    return this.#open.get(uri)
  }

  all(): readonly OpenDocument[] {
    return [...this.#open.values()]
  }

  /** Opens the document or brings it to this text; does nothing when the server has this content already. */
  sync(input: DocumentInput): OpenDocument {
    const current = this.#open.get(input.uri)
    if (current === undefined) return this.#openNew(input)
    // Re-inserting keeps the map in order of use.
    this.#open.delete(input.uri)
    if (current.content === input.content && current.text === input.text) {
      this.#open.set(input.uri, current)
      return current
    }
    this.#open.set(input.uri, current)
    return this.#change(current, input)
  }

  /** The same text under a new version, for servers that must be made to look again. */
  touch(uri: string): void {
    const current = this.#open.get(uri)
    if (current !== undefined) this.#change(current, current)
  }

  /** Until the returned function is called, it is not closed for want of room: its text is on no disk, or it is kept. */
  hold(uri: string): () => void {
    this.#held.set(uri, (this.#held.get(uri) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const others = (this.#held.get(uri) ?? 1) - 1
      if (others > 0) this.#held.set(uri, others)
      else {
        this.#held.delete(uri)
        this.#evict()
      }
    }
  }

  close(uri: string): void {
    if (!this.#open.delete(uri)) return
    this.#options.notify('textDocument/didClose', { textDocument: { uri } })
    this.#options.onClosed(uri)
  }

  #openNew(input: DocumentInput): OpenDocument {
    const document: OpenDocument = { ...input, version: this.#nextVersion() }
    this.#open.set(input.uri, document)
    const { uri, languageId, version, text } = document
    this.#options.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
    this.#options.onOpened(document)
    this.#evict()
    return document
  }

  #change(before: OpenDocument, input: DocumentInput): OpenDocument {
    const document: OpenDocument = { ...input, version: this.#nextVersion() }
    if (changeKind(this.#options.sync()) === TextDocumentSyncKind.None) {
      // Such a server takes a new text only by opening it anew.
      this.close(input.uri)
      return this.#openNew(input)
    }
    this.#open.set(input.uri, document)
    const { uri, version, text } = document
    // A whole-text change is legal under incremental sync too, and cannot drift from the file.
    this.#options.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ ...this.#rangeOf(before), text }],
      ...this.#options.changeExtras,
    })
    this.#options.onChanged(document)
    return document
  }

  #rangeOf({ text }: OpenDocument): { range?: { start: ServerPosition; end: ServerPosition } } {
    const encoding = this.#options.changedRange()
    if (encoding === undefined) return {}
    const lines = new SourceText(text)
    const end = lines.positionAt(text.length)
    const start = toServerPosition('', { line: 1, column: 1 }, encoding)
    return { range: { start, end: toServerPosition(lines.line(end.line) ?? '', end, encoding) } }
  }

  #nextVersion(): number {
    this.#lastVersion += 1
    return this.#lastVersion
  }

  #evict(): void {
    for (const uri of this.#open.keys()) {
      if (this.#open.size <= this.#options.maxOpen) return
      if (!this.#held.has(uri)) this.close(uri)
    }
  }
}

function changeKind(sync: TextDocumentSyncOptions | TextDocumentSyncKind | undefined): TextDocumentSyncKind {
  if (sync === undefined) return TextDocumentSyncKind.Full
  if (typeof sync === 'number') return sync
  return sync.change ?? TextDocumentSyncKind.Full
}
