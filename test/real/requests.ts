// Which requests each operation makes of a server, as seen on the real ones: what an operation is made of is documented
// from this, not from what somebody remembers.
import type { Events } from '../../src/index.js'

/** By operation; empty for one that asks no server. */
export type RequestsMade = ReadonlyMap<string, ReadonlySet<string>>

/** What is made while no operation runs, or for the process alone, is nobody's. */
const ofNobody = new Set(['initialize', 'shutdown'])

/** The stories ask one question at a time, or the same one twice; so whatever is requested, the last one began it. */
export function recordRequests(events: Events): RequestsMade {
  const made = new Map<string, Set<string>>()
  let running: Set<string> | undefined
  events.subscribe(event => {
    if (event.type === 'policy.decided') {
      running = made.get(event.operation) ?? new Set()
      made.set(event.operation, running)
    } else if (event.type === 'request.started' && !ofNobody.has(event.method)) running?.add(event.method)
  })
  return made
}

/** Of several recordings, sorted. */
export function allRequests(recordings: readonly RequestsMade[]): Record<string, string[]> {
  const names = new Set(recordings.flatMap(recording => [...recording.keys()]))
  return Object.fromEntries(
    [...names].map(name => {
      const methods = new Set(recordings.flatMap(recording => [...(recording.get(name) ?? [])]))
      return [name, [...methods].sort()]
    }),
  )
}
