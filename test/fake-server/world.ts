// What the fake server knows of the code: the documents the client opened, and the files on disk as they were
// when it last looked. It looks at the start, when a document closes and when the client says that a watched file
// changed, never otherwise, like TypeScript 7: a client that forgets to tell gets stale answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Encoding, offsetAt } from './columns.js'
import { listAt, numberAt, stringAt } from './message.js'

interface Content {
  readonly version: number
  readonly text: string
}

export interface OpenDocument extends Content {
  readonly uri: string
  /** What it was before the last change. */
  readonly previous?: Content
}

export interface SourceFile {
  readonly uri: string
  readonly text: string
}

export class World {
  encoding: Encoding = 'utf-16'
  #root: string | undefined
  readonly #disk = new Map<string, string>()
  readonly #open = new Map<string, OpenDocument>()
  readonly #complain: (complaint: string) => void

  constructor(complain: (complaint: string) => void) {
    this.#complain = complain
  }

  /** The root's URI. */
  get root(): string | undefined {
    return this.#root
  }

  readRoot(uri: string | undefined): void {
    this.#root = uri
    const folder = uri === undefined ? undefined : pathOf(uri)
    for (const path of folder === undefined ? [] : sourcesUnder(folder)) this.#read(path)
  }

  opened(params: unknown): void {
    const uri = stringAt(params, 'textDocument', 'uri')
    const text = stringAt(params, 'textDocument', 'text')
    if (uri === undefined || text === undefined) {
      this.#complain('didOpen without a uri or a text')
      return
    }
    if (this.#open.has(keyOf(uri))) this.#complain(`didOpen of ${uri}, which is open`)
    this.#open.set(keyOf(uri), { uri, text, version: numberAt(params, 'textDocument', 'version') ?? 0 })
  }

  changed(params: unknown): void {
    const uri = stringAt(params, 'textDocument', 'uri') ?? ''
    const version = numberAt(params, 'textDocument', 'version') ?? Number.NaN
    const document = this.document(uri)
    if (document === undefined) {
      this.#complain(`didChange of ${uri}, which is not open`)
      return
    }
    if (!(version > document.version)) {
      this.#complain(`didChange of ${uri} to version ${version} after ${document.version}`)
    }
    const text = listAt(params, 'contentChanges').reduce<string>(
      (before, change) => this.#apply(before, change),
      document.text,
    )
    const previous = { version: document.version, text: document.text }
    this.#open.set(keyOf(uri), { uri: document.uri, version, text, previous })
  }

  closed(params: unknown): void {
    const uri = stringAt(params, 'textDocument', 'uri') ?? ''
    if (!this.#open.delete(keyOf(uri))) {
      this.#complain(`didClose of ${uri}, which is not open`)
      return
    }
    // From here on the disk holds the truth of this document.
    const path = pathOf(uri)
    if (path !== undefined) this.#read(path)
  }

  watchedFilesChanged(params: unknown): void {
    for (const change of listAt(params, 'changes')) {
      const path = pathOf(stringAt(change, 'uri') ?? '')
      if (path?.endsWith('.fake')) this.#read(path)
    }
  }

  document(uri: string): OpenDocument | undefined {
    return this.#open.get(keyOf(uri))
  }

  text(uri: string): string | undefined {
    return this.document(uri)?.text ?? this.#disk.get(keyOf(uri))
  }

  /** Every source known, each once, open documents under the URI that the client gave them. */
  files(): SourceFile[] {
    const keys = [...new Set([...this.#disk.keys(), ...this.#open.keys()])].sort()
    return keys.map(key => {
      const document = this.#open.get(key)
      return {
        uri: document?.uri ?? pathToFileURL(key).href,
        text: document?.text ?? this.#disk.get(key) ?? '',
      }
    })
  }

  #apply(before: string, change: unknown): string {
    const text = stringAt(change, 'text') ?? ''
    const offset = (end: 'start' | 'end') => {
      const line = numberAt(change, 'range', end, 'line')
      const character = numberAt(change, 'range', end, 'character')
      if (line === undefined || character === undefined) return undefined
      return offsetAt(before, { line, character }, this.encoding)
    }
    const start = offset('start')
    const end = offset('end')
    return start === undefined || end === undefined ? text : before.slice(0, start) + text + before.slice(end)
  }

  #read(path: string): void {
    try {
      this.#disk.set(path, readFileSync(path, 'utf8'))
    } catch {
      this.#disk.delete(path)
    }
  }
}

/** Two spellings of one file URI are one document. */
function keyOf(uri: string): string {
  return pathOf(uri) ?? uri
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : sourcesUnder(path)
    return entry.isFile() && entry.name.endsWith('.fake') ? [path] : []
  })
}
