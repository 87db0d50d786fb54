// Shows a server texts that are on no disk, for as long as somebody looks at what it makes of them, and takes them back
// whatever happens. Nobody else may ask the server meanwhile: whoever tries is alone with it (`turns.ts`).
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { cancelled, type Wait } from '../clock.js'
import { asBridgeError, BridgeError } from '../errors.js'
import type { LspClient } from '../lsp/client.js'
import type { OpenDocument } from '../lsp/documents.js'
import { contentHash } from '../text/hash.js'
import { pathToUri } from '../text/uri.js'
import type { Currency } from './file-table.js'

export interface TrialText {
  /** Absolute; there need not be such a file. */
  readonly path: string
  readonly languageId: string
  /** Undefined for a file that is to be gone: servers can only be shown an empty one. */
  readonly text: string | undefined
}

export interface Trial {
  /** From now on the server sees these texts; those shown before and not named stay. In the order given. */
  show(texts: readonly TrialText[], wait: Wait): Promise<readonly OpenDocument[]>
}

/** What a trial needs of the view whose server it borrows. */
export interface TrialPort {
  readonly client: LspClient
  readonly isAlone: () => boolean
  /** Pushes of this server rest on what it saw then; a pull is for what it sees now. */
  readonly isPushing: () => boolean
  /** The pushed diagnostics of all other open documents may rest on the trial, or on what was before it. */
  readonly outdateExcept: (uris: ReadonlySet<string>) => void
  /** Brings the document back to what is on the disk. */
  readonly restore: (uri: string, path: string) => void
}

export async function runTrial<T>(port: TrialPort, run: (trial: Trial) => Promise<T>): Promise<T> {
  if (!port.isAlone()) {
    throw new BridgeError({ kind: 'Bug', message: 'a text may be tried only while alone with the server' })
  }
  const { documents } = port.client
  const shown = new Map<string, { readonly path: string; readonly letGo: () => void }>()
  try {
    return await run({
      async show(texts, wait) {
        const uris = texts.map(({ path }) => pathToUri(path))
        // All of them before the first is shown: one that is closed to make room and opened again at once would get the
        // empty report of its closing.
        for (const { path } of texts) {
          const uri = pathToUri(path)
          if (!shown.has(uri)) shown.set(uri, { path, letGo: documents.hold(uri) })
        }
        for (const trial of texts) await takeIn(port, trial, wait)
        port.outdateExcept(new Set(shown.keys()))
        // What was pushed on a text may have been worked out before the server saw the last one.
        const last = uris.at(-1)
        if (port.isPushing() && last !== undefined) {
          for (const uri of shown.keys()) if (uri !== last) documents.touch(uri)
        }
        return uris.flatMap(uri => documents.get(uri) ?? [])
      },
    })
  } finally {
    for (const [uri, { path, letGo }] of shown) {
      port.restore(uri, path)
      letGo()
    }
    port.outdateExcept(new Set(shown.keys()))
  }
}

/**
 * Documents that held a trial text, and about which nothing was asked since. A server that parses when it is asked may
 * answer questions about other files from what it parsed last: jedi keeps the tree of a path as long as the file on the
 * disk is not newer, and a trial leaves the disk as it was.
 */
export class TriedDocuments {
  readonly #client: LspClient
  readonly #uris = new Set<string>()

  constructor(client: LspClient) {
    this.#client = client
  }

  add(uri: string): void {
    this.#uris.add(uri)
  }

  /** Has each of them parsed again, from the disk's text that it holds by now. */
  async lookAgain(wait: Wait): Promise<Currency> {
    for (const uri of this.#uris) {
      if (!(await this.#parse(uri, wait)))
        return { current: false, reason: 'the server has not looked again at a file whose text was tried' }
      this.#uris.delete(uri)
    }
    return { current: true }
  }

  async #parse(uri: string, wait: Wait): Promise<boolean> {
    if (!this.#client.supports(DocumentSymbolRequest) || this.#client.documents.get(uri) === undefined)
      return true
    try {
      await this.#client.request(DocumentSymbolRequest, { textDocument: { uri } }, wait)
      return true
    } catch (thrown) {
      // Whatever it answers, it has looked.
      const { kind } = asBridgeError(thrown)
      return kind !== 'RequestTimeout' && kind !== 'Cancelled'
    }
  }
}

async function takeIn({ client }: TrialPort, trial: TrialText, wait: Wait): Promise<void> {
  const { path, languageId, text = '' } = trial
  const uri = pathToUri(path)
  const content = contentHash(text)
  const known = client.documents.get(uri)
  if (known !== undefined && known.content !== content) await client.diagnostics.readyForChange(uri, wait)
  // What was called off is not shown: nobody would look at it.
  if (wait.signal.aborted) throw cancelled(wait.signal)
  client.documents.sync({ uri, languageId, text, content })
}
