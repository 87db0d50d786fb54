// Decides when a client is told that the list of tools changed, where the list depends on what the servers can do: after
// a server came or went, and after an answer, because a server may register what it can do when it is asked.
import type { Events } from '../../events.js'
import type { Toolbox } from './toolbox.js'

export interface ToolListOptions {
  readonly events: Pick<Events, 'subscribe'>
  readonly toolbox: Pick<Toolbox, 'list'>
  readonly onChange: () => void
}

/** Returns the function that ends it. */
export function followToolList({ events, toolbox, onChange }: ToolListOptions): () => void {
  let told: string | undefined
  let looking = false
  let again = false
  let ended = false
  const look = async () => {
    if (looking) {
      again = true
      return
    }
    looking = true
    do {
      again = false
      const state = JSON.stringify(await toolbox.list().catch(() => undefined))
      if (ended) return
      if (told !== undefined && state !== told) onChange()
      told = state
    } while (again)
    looking = false
  }
  void look()
  const unsubscribe = events.subscribe(({ type }) => {
    if (type === 'server.stateChanged' || type === 'answer.recorded') void look()
  })
  return () => {
    ended = true
    unsubscribe()
  }
}
