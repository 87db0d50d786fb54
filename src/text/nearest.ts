// Finds what somebody probably meant by a name that is not known, so that an error can say "did you mean".

/** The closest candidates, nearest first; empty when none is close enough to be worth suggesting. */
export function nearest(word: string, candidates: Iterable<string>, most: number): string[] {
  // A longer word is no slip of the pen, and the distance costs the product of both lengths.
  if (word.length > longestWord) return []
  const wanted = plain(word)
  const close: { readonly candidate: string; readonly distance: number }[] = []
  for (const candidate of new Set(candidates)) {
    const name = plain(candidate)
    if (name.length > longestWord) continue
    const distance = editDistance(wanted, name)
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3))
    if (distance <= allowed) close.push({ candidate, distance })
  }
  return close
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let cell = 1; cell <= to.length; cell += 1) {
      const same = from[row - 1] === to[cell - 1]
      const replaced = at(previous, cell - 1) + (same ? 0 : 1)
      let least = Math.min(replaced, at(previous, cell) + 1, at(current, cell - 1) + 1)
      const swapped = from[row - 1] === to[cell - 2] && from[row - 2] === to[cell - 1]
      if (row > 1 && cell > 1 && swapped) least = Math.min(least, at(beforePrevious, cell - 2) + 1)
      current.push(least)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

const longestWord = 64

/** `rootMarkers` and `root-markers` are `root_markers` in another dialect, not a misspelling. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, '')
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
