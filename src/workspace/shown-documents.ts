// What one server was shown of the files: which text of each it holds and since when, which of its reports still count, and
// whether it has taken in what it was sent.
import type { Wait } from '../clock.js'
import type { DocumentInput, OpenDocument } from '../lsp/documents.js'
import type { Session } from '../supervisor/session.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import type { Currency } from './file-table.js'
import type { GivenTexts } from './given-texts.js'
import type { PathGate } from './path-gate.js'
import { readSource, type SourceFile, signatureUnchanged, statSignature } from './source-file.js'
import { UnparsedDocuments } from './unparsed-documents.js'

export interface ShownDocumentsOptions {
  readonly session: Session
  readonly gate: PathGate
  /** Hears of every text of the disk that the server is shown. */
  readonly given?: GivenTexts
}

/** In the place of a content, of a document that stands for a file that is gone. */
export const deleted = 'deleted'

export class ShownDocuments {
  readonly #options: ShownDocumentsOptions
  /** The file behind each open document, as it was when it was last read. */
  readonly #sources = new Map<string, SourceFile>()
  /** The version with which each document got the text it has. */
  readonly #shownSince = new Map<string, number>()
  /** Open documents whose pushed diagnostics may rest on another file that changed since. */
  readonly #outdated = new Set<string>()
  readonly #unparsed: UnparsedDocuments

  constructor(options: ShownDocumentsOptions) {
    this.#options = options
    this.#unparsed = new UnparsedDocuments(options.session.client.documents, (document, wait) =>
      this.isTakenIn(document, wait),
    )
  }

  /**
   * Opens the file at exactly this content, or changes the open document to it. Where the file was edited since it was
   * read, the server is shown what is there now, for somebody else may be asking about that already; the document then
   * has another content than was given.
   */
  async open(given: SourceFile, languageId: string, wait: Wait): Promise<OpenDocument> {
    const { client } = this.#options.session
    const uri = pathToUri(given.absolute)
    const known = client.documents.get(uri)
    if (known !== undefined && known.content !== given.content)
      await client.diagnostics.readyForChange(uri, wait)
    const source = client.documents.get(uri)?.content === given.content ? given : this.#newest(given)
    this.#remember(uri, source)
    const outdated = this.#outdated.delete(uri)
    const document = this.#show({ uri, languageId, text: source.text.text, content: source.content })
    // Its own text is the same, but something it may depend on changed: its pushed diagnostics are no longer proof.
    if (outdated && document === known) this.sendAgain(uri)
    const shown = client.documents.get(uri) ?? document
    await this.#unparsed.lookAt(shown, wait)
    return shown
  }

  /** False of a text that the server may answer about from nothing. */
  hasParsed({ uri }: Pick<OpenDocument, 'uri'>): boolean {
    return !this.#unparsed.has(uri)
  }

  /** Whether the server has held this text ever since; it may have been sent again. */
  isShown({ uri, version }: OpenDocument): boolean {
    const since = this.#shownSince.get(uri)
    return this.#options.session.client.documents.get(uri) !== undefined && (since ?? version) <= version
  }

  /** Every text the server was sent is waited for, where it answers before it has parsed. */
  parsed(wait: Wait): Promise<Currency> {
    return this.#unparsed.lookAtAll(wait)
  }

  /** Brings every open document to what is on the disk, but for those that are left out. */
  followDisk(isLeftOut: (path: string) => boolean): void {
    const { client } = this.#options.session
    for (const document of client.documents.all()) {
      const known = this.#sources.get(document.uri)
      const path = uriToPath(document.uri)
      if (path === undefined || isLeftOut(path)) continue
      if (known !== undefined && signatureUnchanged(known.signature, statSignature(path))) continue
      this.refresh(document, path)
    }
  }

  refresh(document: OpenDocument, path: string): void {
    const { client } = this.#options.session
    try {
      const source = readSource(this.#options.gate, path)
      this.#remember(document.uri, source)
      const synced = this.#show({ ...document, text: source.text.text, content: source.content })
      if (synced !== document) this.#outdated.delete(document.uri)
    } catch {
      // It is gone, or no longer a file we may read: the server then has to rely on the disk like everybody else.
      this.#sources.delete(document.uri)
      client.documents.close(document.uri)
    }
  }

  /** Opens the file as it is on the disk; throws where it cannot be read. */
  showDisk(path: string, languageId: string): OpenDocument {
    const uri = pathToUri(path)
    const source = readSource(this.#options.gate, path)
    this.#remember(uri, source)
    this.#outdated.delete(uri)
    return this.#show({ uri, languageId, text: source.text.text, content: source.content })
  }

  /** What is in no file any more is taken back by showing the file empty. */
  showDeleted(path: string, languageId: string): OpenDocument {
    const uri = pathToUri(path)
    this.#sources.delete(uri)
    return this.#show({ uri, languageId, text: '', content: deleted })
  }

  /** The same text, so that the server looks at it again. */
  sendAgain(uri: string): void {
    this.#options.session.client.documents.touch(uri)
    this.#noteSent(uri)
  }

  /** What was pushed on all others may rest on what was before. */
  outdate(except: ReadonlySet<string>): void {
    const { documents, diagnostics } = this.#options.session.client
    for (const document of documents.all()) {
      if (!except.has(document.uri) && !diagnostics.pulls(document)) this.#outdated.add(document.uri)
    }
  }

  async isTakenIn(document: OpenDocument, wait: Wait): Promise<boolean> {
    // What was called off would be waited for to the end: it cannot be called off any more.
    if (wait.signal.aborted) return false
    try {
      const report = await this.#options.session.client.diagnostics.report(document, wait)
      return report.verdict === 'settled'
    } catch {
      // A server that will not report on some file is not vouched for; the question itself can still be asked.
      return false
    }
  }

  pullsDiagnostics(): boolean {
    return this.#options.session.client.diagnostics.pulls()
  }

  /** Whether a text may be sent again for a report on it; one that owes a report for each change would lose count. */
  isPushing(): boolean {
    const { diagnostics } = this.#options.session.candidate.definition
    return diagnostics.kind !== 'one-push-per-change' && !this.pullsDiagnostics()
  }

  #show(input: DocumentInput): OpenDocument {
    const { documents } = this.#options.session.client
    const before = documents.get(input.uri)
    const document = documents.sync(input)
    if (document === before) return document
    this.#shownSince.set(input.uri, document.version)
    this.#noteSent(input.uri)
    return document
  }

  #noteSent(uri: string): void {
    const { quirks } = this.#options.session.candidate.definition
    if (quirks.answersBeforeParsing !== undefined) this.#unparsed.add(uri)
  }

  /** Throws where the file is gone: there is no text of it to show any more. */
  #newest(source: SourceFile): SourceFile {
    if (signatureUnchanged(source.signature, statSignature(source.absolute))) return source
    return readSource(this.#options.gate, source.absolute)
  }

  #remember(uri: string, source: SourceFile): void {
    this.#sources.set(uri, source)
    this.#options.given?.note(source)
  }
}
