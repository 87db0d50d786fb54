// What a tool does to the world, in the words of MCP, which agent frameworks have taken over.
import type { Effect } from '../operations/operation.js'

export interface Annotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly openWorldHint?: boolean
}

/** What MCP takes for granted is not said: nothing is idempotent, and what only reads destroys nothing. */
export const annotationsOf: Readonly<Record<Effect, Annotations>> = {
  read: { readOnlyHint: true, openWorldHint: false },
  // A proposal is computed and kept in memory; nothing is written before it is applied.
  propose: { readOnlyHint: true, openWorldHint: false },
  edit: { destructiveHint: true, openWorldHint: false },
  // A server's command may do anything, such as downloading what a manifest asks for: an open world, which is the default.
  execute: { destructiveHint: true },
}
