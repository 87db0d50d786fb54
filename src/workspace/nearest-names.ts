// The names in a folder that come near to one that is not there, as people mistype.
import { opendirSync } from 'node:fs'

const mostNames = 2000

export function firstNames(folder: string): string[] {
  const names: string[] = []
  const entries = opendirSync(folder)
  try {
    while (names.length < mostNames) {
      const entry = entries.readSync()
      if (entry === null) break
      names.push(entry.name)
    }
  } finally {
    entries.closeSync()
  }
  return names
}

/** The nearest first; at most three. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(wanted.length / 3))
  return names
    .map(name => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase(), most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Two neighbours in the wrong order count as one mistake, because that is how people mistype. */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let previous: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1)
      const isSwap = at > 0 && to > 0 && one[at] === other[to - 1] && one[at - 1] === other[to]
      const swapped = isSwap ? (previous[to - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    previous = row
    row = next
  }
  return row[other.length] ?? 0
}
