// Random choices that come again: the same seed gives the same choices on every machine, so that whatever a run finds
// can be found once more.

export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** A whole number, at least 0, less than `count`. */
  below(count: number): number
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
  shuffled<T>(from: readonly T[]): T[]
}

export function seeded(seed: string): Random {
  let state = stateOf(seed)
  // mulberry32: small, well distributed, and the same everywhere.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(from: readonly T[]): T => {
    const chosen = from[below(from.length)]
    if (chosen === undefined) throw new RangeError('there is nothing to pick from')
    return chosen
  }
  return {
    next,
    below,
    pick,
    chance: share => next() < share,
    shuffled<T>(from: readonly T[]): T[] {
      const left = [...from]
      return from.map(() => {
        const [taken] = left.splice(below(left.length), 1)
        if (taken === undefined) throw new RangeError('there is nothing left')
        return taken
      })
    },
  }
}

function stateOf(seed: string): number {
  let state = 0x811c9dc5
  for (const unit of seed) state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return state
}
