// Cold starts over the servers, one after another, with what earlier runs left.

import { steadyAnswer } from './raw-start.js'
import { coldStart, isLie, type Start } from './starts.js'
import { keep, readKept } from './starts-kept.js'
import type { Subject } from './subjects.js'

export interface StartsOptions {
  readonly starts: number
  readonly seed: string
  readonly say: (line: string) => void
  /** Whether earlier starts with this seed count. */
  readonly resume: boolean
  /** How long an answer of the raw server must stay the same to be taken for its last. */
  readonly steadyMilliseconds: number
}

export interface StartsOutcome {
  readonly steady: number
  readonly starts: readonly Start[]
  /** One line for each answer that was labelled complete and was not. */
  readonly lies: readonly string[]
}

export async function runStarts(subject: Subject, options: StartsOptions): Promise<StartsOutcome> {
  const { seed, say } = options
  const kept = options.resume ? readKept(subject, seed) : undefined
  const steady = kept?.steady ?? (await steadyAnswer(subject, options.steadyMilliseconds))
  const starts = [...(kept?.starts ?? [])].slice(0, options.starts)
  for (let index = starts.length; index < options.starts; index += 1) {
    const start = await coldStart(subject, { seed, index, steady })
    starts.push(start)
    if (options.resume) keep(subject, seed, { steady, starts })
    say(`${subject.id} ${index + 1}/${options.starts}: ${describe(start, steady.length)}`)
  }
  // On a busy machine even the raw server may not have been left alone for long enough: another start shows it then.
  const most = Math.max(steady.length, ...starts.map(({ places }) => places))
  const lies = starts.flatMap((start, index) =>
    isLie(start, most) ? [`${subject.id}, start ${index}: ${describe(start, steady.length)}`] : [],
  )
  return { steady: most, starts, lies }
}

function describe(start: Start, steady: number): string {
  const { delay_ms, verdict, places, lacking, complete_ms, raw_ms, reason } = start
  const times = `complete after ${seconds(complete_ms)}, raw server ${seconds(raw_ms)}`
  const lack = lacking === 0 ? '' : `, ${lacking} of the steady ${steady} are missing`
  const why = reason === undefined ? '' : ` (${reason.slice(0, 160)})`
  return `asked after ${seconds(delay_ms)}: ${verdict} with ${places} places${lack}; ${times}${why}`
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? 'never' : `${(milliseconds / 1000).toFixed(1)} s`
}
