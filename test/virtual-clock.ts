// A clock that moves by hand, so that deadlines, backoffs and idle rules are tested in no time and without a race.
// Between two timers it lets everything happen that needs no time: promises, streams, the loop's own turns.
import { setImmediate as loopTurn } from 'node:timers/promises'
import type { Clock } from '../src/clock.js'

export interface VirtualClock extends Clock {
  /** Moves on and runs what falls due, in order of its time. */
  advance(milliseconds: number): Promise<void>
  /** Lets everything happen that needs no time. */
  settle(): Promise<void>
  /** How many timers are set. */
  readonly timers: number
}

interface Alarm {
  readonly at: number
  readonly action: () => void
}

// A message through two streams and a connection's queue takes about four turns.
const turnsToSettle = 12

export function virtualClock(): VirtualClock {
  let now = 0
  const alarms = new Set<Alarm>()

  const settle = async () => {
    for (let turn = 0; turn < turnsToSettle; turn += 1) await loopTurn()
  }
  const nextUntil = (end: number): Alarm | undefined => {
    let next: Alarm | undefined
    // Of two at the same time the one set first goes first, as with the system's timers.
    for (const alarm of alarms)
      if (alarm.at <= end && (next === undefined || alarm.at < next.at)) next = alarm
    return next
  }

  return {
    now: () => now,
    date: () => new Date(Date.UTC(2030, 0, 1) + now),
    after(milliseconds, action) {
      const alarm = { at: now + Math.max(milliseconds, 0), action }
      alarms.add(alarm)
      return { cancel: () => alarms.delete(alarm) }
    },
    async advance(milliseconds) {
      const end = now + milliseconds
      await settle()
      for (let alarm = nextUntil(end); alarm !== undefined; alarm = nextUntil(end)) {
        alarms.delete(alarm)
        now = alarm.at
        alarm.action()
        await settle()
      }
      now = end
    },
    settle,
    get timers() {
      return alarms.size
    },
  }
}
