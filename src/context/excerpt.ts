// Parts of files as they are named on a call: `src/a.ts` for all of it, `src/a.ts:10-40` for some of its lines.

export interface Span {
  readonly first: number
  readonly last: number
}

export interface Excerpt {
  readonly path: string
  /** Undefined for the whole file. */
  readonly span: Span | undefined
}

export function parseExcerpt(written: string): Excerpt {
  const [, path, first, last] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(written) ?? []
  if (path === undefined || first === undefined) return { path: written, span: undefined }
  const from = Math.max(Number(first), 1)
  return { path, span: { first: from, last: Math.max(Number(last ?? first), from) } }
}

/** What somebody already has before their eyes. */
export class Seen {
  readonly #spans = new Map<string, Span[]>()

  add(file: string, span: Span | undefined): void {
    const whole = { first: 1, last: Number.POSITIVE_INFINITY }
    this.#spans.set(file, [...(this.#spans.get(file) ?? []), span ?? whole])
  }

  /** Whether every line of it is seen in one go. */
  has(file: string, { first, last }: Span): boolean {
    return (this.#spans.get(file) ?? []).some(span => span.first <= first && last <= span.last)
  }

  hasWhole(file: string, lineCount: number): boolean {
    return this.has(file, { first: 1, last: lineCount })
  }
}

export function isWithin(line: number, spans: readonly Span[]): boolean {
  return spans.some(({ first, last }) => first <= line && line <= last)
}
