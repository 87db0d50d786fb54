// Many servers send lists of stubs and tell the rest of each item on request. A few are asked for at a time and not more
// than a bound, and one that fails costs its own details, not the answer.
import { asBridgeError } from '../errors.js'

export interface Resolving<T, R> {
  readonly items: readonly T[]
  /** Items beyond this many are left as they are. */
  readonly most: number
  readonly resolve: (item: T) => Promise<R>
}

export interface Resolved<R> {
  /** One per item, in their order; undefined for what was not resolved. */
  readonly results: readonly (R | undefined)[]
  /** Why some were not, if so. */
  readonly gap: string | undefined
}

const atOnce = 8

export async function resolveSome<T, R>({ items, most, resolve }: Resolving<T, R>): Promise<Resolved<R>> {
  const results: (R | undefined)[] = items.map(() => undefined)
  const failures: string[] = []
  const waiting = items.slice(0, most).entries()
  const work = async () => {
    for (const [index, item] of waiting) {
      try {
        results[index] = await resolve(item)
      } catch (thrown) {
        const error = asBridgeError(thrown)
        if (error.kind === 'Bug') throw error
        failures.push(error.message)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const gaps = [
    ...(items.length > most ? [`${items.length - most} of ${items.length} beyond the first ${most}`] : []),
    ...(failures.length > 0 ? [`${failures.length} of ${items.length} because ${failures[0]}`] : []),
  ]
  return { results, gap: gaps.length === 0 ? undefined : gaps.join(', ') }
}
