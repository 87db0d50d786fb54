// How well a name fits what somebody typed of it, for every list that is ranked by name. Names are seen as words, so
// that `refCount`, `rc` and `count` all fit `ReferenceCount` and `reference_count` better than `diffractCounter`.

/** From best to worst; a smaller number fits better. */
export const nameFits = ['exact', 'exact-but-case', 'prefix', 'word-parts', 'contains', 'rest'] as const
export type NameFit = (typeof nameFits)[number]

export function nameFit(query: string, name: string): NameFit {
  if (name === query) return 'exact'
  const wanted = query.toLowerCase()
  const lower = name.toLowerCase()
  if (lower === wanted) return 'exact-but-case'
  if (lower.startsWith(wanted)) return 'prefix'
  if (fitsWordParts(query, name)) return 'word-parts'
  return lower.includes(wanted) ? 'contains' : 'rest'
}

/** The place of a fit in the order above, to sort by. */
export function fitRank(fit: NameFit): number {
  return nameFits.indexOf(fit)
}

/** `HTTPServer2`, `http_server_2` and `http-server-2` all are http, server, 2. */
export function wordParts(name: string): string[] {
  return (name.match(words) ?? []).map(word => word.toLowerCase())
}

// An acronym ends before the last capital when a small letter follows it; letters without case stay together.
const words = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{L}\p{M}]+/gu

// Beyond this nobody types a name by its parts, and the work grows with the product of the lengths.
const longest = 200

/**
 * Whether the query is made of beginnings of the name's words, in their order; words may be left out. Where the query
 * itself begins a word, a word of the name must begin too, so `refCount` does not fit `preference_counter`.
 */
function fitsWordParts(query: string, name: string): boolean {
  if (query.length > longest || name.length > longest) return false
  const asked = wordParts(query)
  const parts = wordParts(name)
  if (asked.length === 0) return false
  // After each asked word: the first word of the name that is still free. Taking the earliest is always enough.
  let free = 0
  for (const word of asked) {
    const next = afterWord(word, parts, free)
    if (next === undefined) return false
    free = next
  }
  return true
}

/** The fewest words of the name, from `first` on, after which the asked word is used up by their beginnings. */
function afterWord(asked: string, parts: readonly string[], first: number): number | undefined {
  // How many letters can be used up after the words looked at so far; each word adds the lengths it can continue.
  let reached = new Set([0])
  for (let index = first; index < parts.length; index += 1) {
    const part = parts[index] ?? ''
    const further = new Set(reached)
    for (const used of reached) {
      for (let length = 1; length <= part.length && used + length <= asked.length; length += 1) {
        if (part[length - 1] !== asked[used + length - 1]) break
        further.add(used + length)
      }
    }
    if (further.has(asked.length)) return index + 1
    reached = further
  }
  return undefined
}
