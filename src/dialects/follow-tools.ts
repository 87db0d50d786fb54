// Decides when somebody is told that the list of tools changed, where the list depends on what the servers can do: after
// a server came or went, after a reload, and after an answer, because a server may register what it can do when it is
// asked.
import type { Events } from '../events.js'

export interface FollowOptions {
  readonly events: Pick<Events, 'subscribe'>
  /** The list as it is now, in a form that can be compared. */
  readonly list: () => Promise<unknown>
  readonly onChange: () => void
}

/** Returns the function that ends it. */
export function followTools({ events, list, onChange }: FollowOptions): () => void {
  let told: string | undefined
  let looking = false
  let again = false
  let ended = false
  const look = async () => {
    again = true
    if (looking) return
    looking = true
    while (again) {
      again = false
      const state = JSON.stringify((await list().catch(() => undefined)) ?? null)
      if (ended) return
      const isChange = told !== undefined && state !== told
      told = state
      if (isChange) onChange()
    }
    looking = false
  }
  void look()
  const unsubscribe = events.subscribe(({ type }) => {
    if (type === 'server.stateChanged' || type === 'answer.recorded' || type === 'bridge.reloaded')
      void look()
  })
  return () => {
    ended = true
    unsubscribe()
  }
}
