// The server without us: what it really knows once it has settled, and how soon it could have said so after the same
// start. Nobody who asks a server plainly can tell when its answer is whole; this one can, because it knows the answer.
import { rm } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type RawClient, startRaw } from '../../bench/raw-client.js'
import { property } from '../../src/json.js'
import { uriToPath } from '../../src/text/uri.js'
import { copyWorkspace } from '../../test/real/open.js'
import { shortPlace } from '../../test/real/questions.js'
import { launchOf, type Subject } from './subjects.js'

const betweenMilliseconds = 100
const mostMilliseconds = 90_000

/** Everything it finds when it is left alone: an answer that stays the same for so long is the steady one. */
export async function steadyAnswer(subject: Subject, steadyMilliseconds: number): Promise<readonly string[]> {
  return withRaw(subject, async ask => {
    const ends = performance.now() + mostMilliseconds
    let places: readonly string[] = []
    let since = performance.now()
    while (performance.now() - since < steadyMilliseconds && performance.now() < ends) {
      const found = await ask()
      if (found.join() !== places.join()) {
        places = found
        since = performance.now()
      }
      await pause(betweenMilliseconds)
    }
    return places
  })
}

/** From the start of the process to the first answer with every steady place, first asked after this delay. */
export async function rawMilliseconds(
  subject: Subject,
  delayMilliseconds: number,
  steady: readonly string[],
): Promise<number | undefined> {
  return withRaw(subject, async (ask, began) => {
    await pause(delayMilliseconds - (performance.now() - began))
    while (performance.now() - began < mostMilliseconds) {
      const found = new Set(await ask())
      if (steady.every(place => found.has(place))) return Math.round(performance.now() - began)
      await pause(betweenMilliseconds)
    }
    return undefined
  })
}

type Ask = () => Promise<readonly string[]>

async function withRaw<T>(subject: Subject, run: (ask: Ask, began: number) => Promise<T>): Promise<T> {
  const { folder, root } = await copyWorkspace(subject.workspace)
  const { initializationOptions, settings = {}, extensions } = subject.server.definition
  const began = performance.now()
  let client: RawClient | undefined
  try {
    client = await startRaw({ ...launchOf(subject), initializationOptions, settings }, root)
    const { file, line, column } = subject.workspace.symbol
    const uri = client.open(join(root, file), extensions[extname(file)] ?? '')
    const { connection } = client
    const params = {
      textDocument: { uri },
      position: { line: line - 1, character: column - 1 },
      context: { includeDeclaration: true },
    }
    const ask = async () => {
      // While it loads it may refuse, which is as good as an answer that is too small.
      const found: unknown = await connection
        .sendRequest('textDocument/references', params)
        .catch(() => undefined)
      return placesIn(found, root)
    }
    return await run(ask, began)
  } finally {
    client?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function placesIn(found: unknown, root: string): string[] {
  if (!Array.isArray(found)) return []
  return found.map(location => placeOf(location, root)).sort()
}

function placeOf(location: unknown, root: string): string {
  const file = relative(root, uriToPath(String(property(location, 'uri'))) ?? '')
  const range = property(location, 'range')
  const at = (end: string, part: string) => Number(property(property(range, end), part)) + 1
  return shortPlace({
    file,
    line: at('start', 'line'),
    column: at('start', 'character'),
    end_line: at('end', 'line'),
    end_column: at('end', 'character'),
  })
}
