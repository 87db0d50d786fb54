// Work-done progress of one server: which tokens are open, and what the server says it is doing. A token may be
// used without ever having been created (pylsp does so) and is then taken as created (fault P28).

export interface ProgressReading {
  readonly token: string
  readonly title: string
  readonly message: string | undefined
  readonly percent: number | undefined
}

export type ProgressChange = { readonly kind: 'begin' | 'report' | 'end' } & ProgressReading

export class ProgressTracker {
  readonly #open = new Map<string, ProgressReading>()
  readonly #created = new Set<string>()
  readonly #onChange: (change: ProgressChange) => void

  constructor(onChange: (change: ProgressChange) => void) {
    this.#onChange = onChange
  }

  create(token: string | number): void {
    // A server that creates tokens for ever and never uses them must not grow our memory.
    if (this.#created.size >= 1000) this.#created.clear()
    this.#created.add(String(token))
  }

  update(token: string | number, value: unknown): void {
    const key = String(token)
    const parsed = parse(value)
    if (parsed === undefined) return
    const previous = this.#open.get(key)
    const reading: ProgressReading = {
      token: key,
      title: parsed.title ?? previous?.title ?? '',
      message: parsed.message ?? (parsed.kind === 'report' ? previous?.message : undefined),
      percent: parsed.percent ?? previous?.percent,
    }
    if (parsed.kind === 'end') {
      this.#open.delete(key)
      this.#created.delete(key)
    } else this.#open.set(key, reading)
    this.#onChange({ kind: parsed.kind, ...reading })
  }

  /** What is going on now, the newest last; empty when the server reports nothing. */
  open(): readonly ProgressReading[] {
    return [...this.#open.values()]
  }
}

export function describeProgress({ title, message, percent }: ProgressReading): string {
  const words = [title, message].filter(word => word !== undefined && word !== '').join(': ')
  return percent === undefined ? words : `${words} (${percent} %)`
}

interface ParsedProgress {
  readonly kind: 'begin' | 'report' | 'end'
  readonly title: string | undefined
  readonly message: string | undefined
  readonly percent: number | undefined
}

function parse(value: unknown): ParsedProgress | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const kind = Reflect.get(value, 'kind')
  if (kind !== 'begin' && kind !== 'report' && kind !== 'end') return undefined
  const text = (key: string) => {
    const found: unknown = Reflect.get(value, key)
    return typeof found === 'string' ? found.slice(0, 200) : undefined
  }
  const percentage: unknown = Reflect.get(value, 'percentage')
  const percent =
    typeof percentage === 'number' && Number.isFinite(percentage) ? Math.round(percentage) : undefined
  return { kind, title: text('title'), message: text('message'), percent }
}
