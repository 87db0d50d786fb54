import { expect, test } from 'vitest'
import { type BridgeEvent, Events, type ServerState } from '../events.js'
import { passedThrough, pluginStateOf } from './plugin-state.js'
import { PluginStates } from './plugin-states.js'

test('R-66 the five states are a projection of ours', () => {
  const shown: Record<ServerState, string> = {
    idle: 'Discovering',
    starting: 'Starting',
    indexing: 'Ready',
    ready: 'Ready',
    restarting: 'Restarting',
    stopping: 'Dormant',
    stopped: 'Dormant',
    failed: 'Dormant',
  }
  for (const [state, expected] of Object.entries(shown)) {
    expect(pluginStateOf(isState(state) ? state : 'idle')).toBe(expected)
  }
  expect(pluginStateOf('stopped', 'idle')).toBe('Discovering')
  expect(pluginStateOf('stopping', 'restart')).toBe('Restarting')
  expect(pluginStateOf('stopped', 'session-end')).toBe('Dormant')
})

test('R-66 no start ends Dormant without the restart that did not come', () => {
  expect(passedThrough('Starting', 'Dormant')).toEqual(['Restarting', 'Dormant'])
  expect(passedThrough('Ready', 'Restarting')).toEqual(['Restarting'])
  expect(passedThrough('Ready', 'Ready')).toEqual([])
})

test('R-66 an idle stop leads back to Discovering, and of several servers the most alive is shown', () => {
  const events = new Events()
  const states = new PluginStates(events)
  const seen: string[] = []
  states.subscribe(({ to }) => seen.push(to))
  const move = (server: string, from: ServerState, to: ServerState, reason?: string) => {
    const event: BridgeEvent = { type: 'server.stateChanged', server, root: '/w', from, to }
    events.emit(reason === undefined ? event : { ...event, reason })
  }
  move('go', 'idle', 'starting')
  move('go', 'starting', 'ready')
  move('rust', 'idle', 'starting')
  expect(states.current).toBe('Ready')
  move('rust', 'starting', 'failed')
  move('go', 'ready', 'stopping', 'idle')
  move('go', 'stopping', 'stopped', 'idle')
  expect(seen).toEqual(['Starting', 'Ready', 'Discovering'])
})

function isState(text: string): text is ServerState {
  return ['idle', 'starting', 'indexing', 'ready', 'restarting', 'stopping', 'stopped', 'failed'].includes(
    text,
  )
}
