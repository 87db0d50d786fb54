// What a context is made of: pieces that were asked for, and the items they become, each with the record that says who
// said it, about what, when, and for which content (INV-LSP-001). Values only: whoever asks lives elsewhere.

/** In the order in which a note tells them. */
export const contextKinds = [
  'diagnostics',
  'workspace_symbol',
  'definition',
  'call_signature',
  'usage',
  'structure',
  'inlay_hints',
] as const
export type ContextKind = (typeof contextKinds)[number]

export interface AskedServer {
  readonly id: string
  readonly name: string
  readonly version: string
}

/** A file as it was when it was asked about. */
export interface SourceStamp {
  readonly file: string
  /** `sha256:...` of its bytes. */
  readonly content: string
  readonly mtime: string
}

export interface Piece {
  readonly kind: ContextKind
  readonly file: string
  /** None where it is about the file as a whole. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly symbol?: string | undefined
  /** The last line of the source it shows, where it shows any. */
  readonly endLine?: number | undefined
  /** Its text in lines, without the place; shorter forms follow for when there is less room. */
  readonly forms: readonly (readonly string[])[]
  /** What it is worth to the reader, against other pieces. */
  readonly value: number
  /** The method of the query. */
  readonly query: string
  readonly server: AskedServer
  readonly queriedAt: string
  /** Every file that it tells about, as it was then. */
  readonly sources: readonly SourceStamp[]
  readonly stale?: boolean | undefined
}

export interface ContextRecord {
  readonly id: string
  readonly source_type: 'lsp_semantic'
  readonly query_type: string
  readonly server: AskedServer
  readonly target: {
    readonly file: string
    readonly line?: number | undefined
    readonly column?: number | undefined
    readonly symbol?: string | undefined
  }
  readonly priority: 'supporting'
  readonly purity: 'impure'
  readonly queried_at: string
  readonly injected_at: string
  readonly content?: string | undefined
  readonly mtime_at_query?: string | undefined
  readonly mtime_at_injection?: string | undefined
  readonly stale?: boolean | undefined
}

export interface ContextItem {
  readonly kind: ContextKind
  /** `path:line  text`; further lines are indented. */
  readonly text: string
  readonly record: ContextRecord
}

/** `time`: it did not arrive before the deadline. */
export type LeftOutReason = 'budget' | 'time' | 'error'

export interface LeftOut {
  readonly kind: ContextKind
  /** What it would have been about. */
  readonly target: string
  readonly reason: LeftOutReason
  readonly detail?: string | undefined
}

export function textOf({ file, line }: Pick<Piece, 'file' | 'line'>, lines: readonly string[]): string {
  const [first = '', ...rest] = lines
  return [`${placeOf(file, line)}  ${first}`, ...rest.map(other => `    ${other}`)].join('\n')
}

export function targetOf({ file, line, symbol }: Pick<Piece, 'file' | 'line' | 'symbol'>): string {
  return `${placeOf(file, line)}${symbol === undefined ? '' : ` ${symbol}`}`
}

function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`
}

export interface Injection {
  readonly id: string
  readonly at: string
  /** Of the file the piece is about, at this moment. */
  readonly mtime: string | undefined
}

export function recordOf(piece: Piece, { id, at, mtime }: Injection): ContextRecord {
  const { file, line, column, symbol, query, server, queriedAt, sources, stale } = piece
  const own = sources.find(source => source.file === file)
  return {
    id,
    source_type: 'lsp_semantic',
    query_type: query,
    server,
    target: {
      file,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      ...(symbol === undefined ? {} : { symbol }),
    },
    priority: 'supporting',
    purity: 'impure',
    queried_at: queriedAt,
    injected_at: at,
    ...(own === undefined ? {} : { content: own.content, mtime_at_query: own.mtime }),
    ...(mtime === undefined ? {} : { mtime_at_injection: mtime }),
    ...(stale === true ? { stale } : {}),
  }
}
