// The youngest records, and on request those that are still to come: the log is looked at again and again, because
// other processes write it.
import type { Clock } from '../clock.js'
import {
  foundChains,
  passes,
  type Reading,
  type ReadOptions,
  type RecordFilter,
  readSegment,
  type StoredLine,
} from './read.js'

export interface TailOptions extends ReadOptions {
  readonly filter: RecordFilter
  /** How many at first. */
  readonly count: number
}

export interface FollowOptions extends ReadOptions {
  readonly filter: RecordFilter
  readonly clock: Clock
  /** Ends it. */
  readonly signal: AbortSignal
  readonly everyMilliseconds: number
  readonly onLines: (lines: readonly StoredLine[]) => Promise<void>
}

/** Where `follow` goes on. */
export type Readings = ReadonlyMap<string, Reading>

/** Oldest first. */
export async function tailLog({ filter, count, ...options }: TailOptions): Promise<{
  readonly lines: readonly StoredLine[]
  readonly readings: Readings
}> {
  const readings = new Map<string, Reading>()
  const all: StoredLine[] = []
  for (const found of await foundChains(options)) {
    const own: StoredLine[] = []
    for (const segment of found.segments.toReversed()) {
      const { lines, next } = await readSegment(found, { segment, position: 0 }, options)
      if (!readings.has(found.chain)) readings.set(found.chain, next)
      own.unshift(...lines.filter(line => passes(line, filter)).slice(-count))
      if (own.length >= count) break
    }
    all.push(...own)
  }
  return { lines: count === 0 ? [] : inOrder(all).slice(-count), readings }
}

/** Runs until the signal. */
export async function followLog(from: Readings, options: FollowOptions): Promise<void> {
  const { filter, clock, signal, everyMilliseconds, onLines } = options
  const readings = new Map(from)
  while (!signal.aborted) {
    const fresh: StoredLine[] = []
    for (const found of await foundChains(options)) {
      let reading = readings.get(found.chain) ?? { segment: found.segments[0] ?? 1, position: 0 }
      while (found.segments.includes(reading.segment)) {
        const { lines, next, isOver } = await readSegment(found, reading, options)
        fresh.push(...lines.filter(line => passes(line, filter)))
        reading = next
        if (!isOver) break
      }
      readings.set(found.chain, reading)
    }
    if (fresh.length > 0) await onLines(inOrder(fresh))
    await pause(clock, everyMilliseconds, signal)
  }
}

function inOrder(lines: readonly StoredLine[]): StoredLine[] {
  return lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const finish = () => {
      timer.cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = clock.after(milliseconds, finish)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })
}
