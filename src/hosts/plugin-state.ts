// The five states in which a plugin is seen from outside, as a projection of the states a server really has. The
// supervisor knows nothing of it; a server that is off for good is Dormant here, one stopped for idleness Discovering.
import { unreachable } from '../errors.js'
import type { ServerState } from '../events.js'

export type PluginState = 'Discovering' | 'Starting' | 'Ready' | 'Restarting' | 'Dormant'

/** `why`: what a server that is being stopped, or was, is stopped for. */
export function pluginStateOf(state: ServerState, why?: string): PluginState {
  switch (state) {
    case 'idle':
      return 'Discovering'
    case 'starting':
      return 'Starting'
    case 'indexing':
    case 'ready':
      return 'Ready'
    case 'restarting':
      return 'Restarting'
    case 'stopping':
    case 'stopped':
      if (why === 'idle') return 'Discovering'
      return why === 'restart' ? 'Restarting' : 'Dormant'
    case 'failed':
      return 'Dormant'
    default:
      return unreachable(state)
  }
}

/**
 * The states passed through on the way from one to another: a start that failed for the last time, or had nothing to
 * start, is over after a restart that did not come.
 */
export function passedThrough(from: PluginState, to: PluginState): PluginState[] {
  if (from === to) return []
  if (from === 'Starting' && to === 'Dormant') return ['Restarting', 'Dormant']
  if (from === 'Starting' && to === 'Discovering') return ['Restarting', 'Dormant']
  return [to]
}
