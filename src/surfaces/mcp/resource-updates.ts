// Decides when a subscriber is told that a resource changed. Something moving (a push of a server, a document, a file of
// the workspace) is only a reason to look: servers that are asked for diagnostics tell of none by themselves, and a push
// may be about a trial text. Told is who would now read something else than before.
import type { Clock, Timer } from '../../clock.js'
import type { BridgeEvent, BridgeEventType, Events } from '../../events.js'
import type { Subscriptions } from './subscriptions.js'

export interface FollowOptions {
  readonly subscriptions: Subscriptions
  readonly events: Pick<Events, 'subscribe'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly onUpdate: (uri: string) => void
  /** Takes note of every event; true when it brought something new. */
  readonly hear: (event: BridgeEvent) => boolean
  /** The present state of a resource; undefined when there is none to tell of. */
  readonly look: (uri: string, signal: AbortSignal) => Promise<string | undefined>
}

export interface Follower {
  /** Something may have changed that no event tells of. */
  suspect(): void
  /** A client has seen this state, so it need not be told of it. */
  wasRead(uri: string, state: string): void
  close(): void
}

/** A save is several events and a change of branch thousands; one look after a pause serves them all. */
export const pauseMilliseconds = 250

const moving: ReadonlySet<BridgeEventType> = new Set<BridgeEventType>([
  'diagnostics.published',
  'document.synced',
  'workspace.changed',
])
const mostRemembered = 1000

export function followSubscriptions(options: FollowOptions): Follower {
  const { subscriptions, events, clock, onUpdate, hear, look } = options
  /** What the client was last told, or read by itself. */
  const seen = new Map<string, string>()
  /** Files moved before there was a state to compare with; whoever subscribed by then is told to be sure. */
  const movedUnseen = new Set<string>()
  const closing = new AbortController()
  let timer: Timer | undefined
  let isLooking = false
  let isDue = false
  let pause = pauseMilliseconds

  const suspect = () => {
    if (closing.signal.aborted || subscriptions.isEmpty) return
    isDue = true
    if (!isLooking) timer ??= clock.after(pause, () => void lookAround())
  }

  const lookAround = async () => {
    timer = undefined
    isLooking = true
    isDue = false
    const began = clock.now()
    for (const uri of subscriptions.uris) {
      const before = seen.get(uri)
      const state = await look(uri, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return
      // Ended while it was looked at, or nothing there.
      if (state === undefined || !subscriptions.uris.has(uri)) continue
      if (seen.get(uri) !== before) {
        // The client read it meanwhile; which of the two looks was the later one nobody knows.
        isDue = true
        continue
      }
      remember(uri, state)
      const wasMoved = movedUnseen.delete(uri)
      if (before === undefined ? wasMoved : before !== state) onUpdate(uri)
    }
    isLooking = false
    // A server that needs long for an answer is not asked without a pause of the same length.
    pause = Math.max(pauseMilliseconds, clock.now() - began)
    if (isDue) suspect()
  }

  const remember = (uri: string, state: string) => {
    seen.delete(uri)
    seen.set(uri, state)
    if (seen.size <= mostRemembered) return
    const { uris } = subscriptions
    const oldest = [...seen.keys()].find(known => !uris.has(known))
    if (oldest !== undefined) seen.delete(oldest)
  }

  const stopHearing = events.subscribe(event => {
    const isNews = hear(event)
    if (event.type === 'workspace.changed') {
      for (const uri of subscriptions.uris) if (!seen.has(uri)) movedUnseen.add(uri)
    }
    if (isNews || moving.has(event.type)) suspect()
  })
  const stopFollowing = subscriptions.onChange(suspect)
  suspect()

  return {
    suspect,
    wasRead(uri, state) {
      movedUnseen.delete(uri)
      remember(uri, state)
    },
    close() {
      closing.abort()
      timer?.cancel()
      stopHearing()
      stopFollowing()
    },
  }
}
