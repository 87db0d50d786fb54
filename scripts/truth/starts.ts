// The first question after a cold start, at a moment nobody chose: however early it comes, an answer that is labelled
// complete must have every place that the server finds when it is left alone for long.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { Answer } from '../../src/index.js'
import { type OpenWorkspace, openCopy } from '../../test/real/open.js'
import { shortPlace } from '../../test/real/questions.js'
import { seeded } from './random.js'
import { rawMilliseconds } from './raw-start.js'
import type { Subject } from './subjects.js'

/** One cold start, as it is kept between runs. */
export const startSchema = z.object({
  delay_ms: z.number(),
  verdict: z.enum(['complete', 'partial', 'unknown', 'failed']),
  reason: z.string().optional(),
  places: z.number(),
  /** How many of the steady places the first answer lacks. */
  lacking: z.number(),
  /** From the start to the first complete answer. */
  complete_ms: z.number().optional(),
  /** The raw server's, which was asked from the same moment on and is known to be done by its answer. */
  raw_ms: z.number().optional(),
})

export type Start = z.infer<typeof startSchema>

export interface StartOptions {
  readonly seed: string
  readonly index: number
  readonly steady: readonly string[]
}

const latestMilliseconds = 5000
/** Alidade waits itself as long as waiting can help; whoever is told the same thrice need not ask again. */
const mostQuestions = 3

export async function coldStart(subject: Subject, { seed, index, steady }: StartOptions): Promise<Start> {
  const random = seeded(`${seed}/${subject.id}/${index}`)
  const delay_ms = Math.round(random.next() * latestMilliseconds)
  // By turns who goes first, so that a slow spell of the machine does not hit one side alone.
  const isRawFirst = index % 2 === 0
  const before = isRawFirst ? await rawMilliseconds(subject, delay_ms, steady) : undefined
  const ours = await askAfter(subject, delay_ms, steady)
  const raw_ms = isRawFirst ? before : await rawMilliseconds(subject, delay_ms, steady)
  return { delay_ms, ...ours, ...(raw_ms === undefined ? {} : { raw_ms }) }
}

/** A start whose first answer was called complete and was not, `most` being what was ever found. */
export function isLie({ verdict, lacking, places }: Start, most: number): boolean {
  return verdict === 'complete' && (lacking > 0 || places < most)
}

async function askAfter(
  { server, workspace }: Subject,
  delayMilliseconds: number,
  steady: readonly string[],
): Promise<Omit<Start, 'delay_ms' | 'raw_ms'>> {
  await using opened = await openCopy(workspace, { server, trusted: true })
  const { file } = workspace.symbol
  const began = performance.now()
  // The server is started by what an agent that opens a file would do; nobody waits for it.
  const opening = opened.bridge.openDocument({ file })
  await pause(delayMilliseconds)
  const first = judged(await ask(opened, workspace.symbol), steady)
  let complete_ms = first.verdict === 'complete' ? Math.round(performance.now() - began) : undefined
  for (let asked = 1; asked < mostQuestions && complete_ms === undefined; asked += 1) {
    const again = judged(await ask(opened, workspace.symbol), steady)
    if (again.verdict !== 'complete') continue
    // A later answer can lie as well as the first.
    if (again.lacking > 0) return again
    complete_ms = Math.round(performance.now() - began)
  }
  await opening
  return { ...first, ...(complete_ms === undefined ? {} : { complete_ms }) }
}

interface Found {
  readonly references: readonly Parameters<typeof shortPlace>[0][]
}

function ask({ bridge }: OpenWorkspace, { file, line, name }: Subject['workspace']['symbol']) {
  return bridge.findReferences({ file, line, symbol: name })
}

function judged(answer: Answer<Found>, steady: readonly string[]) {
  if (!answer.ok) {
    const reason = `${answer.kind}: ${answer.error}`
    return { verdict: 'failed' as const, reason, places: 0, lacking: steady.length }
  }
  const places = new Set(answer.result.references.map(shortPlace))
  const lacking = steady.filter(place => !places.has(place)).length
  const { completeness } = answer
  const told = { places: places.size, lacking }
  return completeness.verdict === 'complete'
    ? { verdict: completeness.verdict, ...told }
    : { verdict: completeness.verdict, reason: completeness.reason, ...told }
}
