// Whether a name that fits a query stands anywhere in some files, found without a server: what is written nowhere is
// declared nowhere.
import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../clock.js'
import { nameFit } from '../text/name-fit.js'

export interface NameSearchOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
}

const milliseconds = 250
const largestFile = 2 * 1024 * 1024
const readersAtOnce = 8

/** False only where every file was read and no name in it fits. */
export async function mayHoldName(
  files: Iterable<string>,
  query: string,
  { clock, signal }: NameSearchOptions,
): Promise<boolean> {
  const ends = clock.now() + milliseconds
  const left = files[Symbol.iterator]()
  const unfit = new Set<string>()
  // What is no name, such as an operator, could be declared in any other spelling.
  let held = !/^[\p{L}\p{M}\p{N}_$]+$/u.test(query)
  const read = async () => {
    for (let next = left.next(); !held && next.done !== true; next = left.next()) {
      if (signal.aborted || clock.now() >= ends) held = true
      else if (await holdsName(next.value, query, unfit)) held = true
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, read))
  return held
}

async function holdsName(file: string, query: string, unfit: Set<string>): Promise<boolean> {
  try {
    // A link may lead out of the workspace.
    const content = await readFile(file, { flag: constants.O_RDONLY | constants.O_NOFOLLOW })
    // With zeros it is no UTF-8 text, and could be any other.
    if (content.length > largestFile || content.includes(0)) return true
    // In some languages a name has hyphens; where it is a sign instead, more fits, and nothing less.
    for (const [name] of content.toString('utf8').matchAll(/[\p{L}\p{M}\p{N}_$-]+/gu)) {
      if (unfit.has(name)) continue
      if (nameFit(query, name) !== 'rest') return true
      unfit.add(name)
    }
    return false
  } catch {
    return true
  }
}
