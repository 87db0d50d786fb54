// What a person sees while waiting, and that a script sees none of it.
import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/virtual-clock.js'
import type { LanguageChoice } from '../../bridge.js'
import { Events } from '../../events.js'
import { showProgress } from './progress.js'

const server = { server: 'fake', root: '/project' }
const choice: LanguageChoice = {
  language: 'word',
  files: 2,
  candidates: [
    { id: 'fake', title: 'Fake', how: 'embedded', command: ['fake'], version: '1.2', limited: undefined },
  ],
}

test('R-21 a person is told which server starts and how it was found, before it answers', async () => {
  const { events, clock, screen, written } = watched()
  events.emit({ type: 'server.stateChanged', from: 'idle', to: 'starting', ...server })
  await clock.settle()
  expect(written()).toBe('starting Fake 1.2 (embedded)\n')
  events.emit({ type: 'server.chosen', how: 'embedded', command: ['fake'], ...server })
  expect(written()).toBe('starting Fake 1.2 (embedded)\n')
  screen.stop()
})

test('R-21 another server than announced is announced too', async () => {
  const { events, clock, written } = watched()
  events.emit({ type: 'server.stateChanged', from: 'idle', to: 'starting', ...server })
  await clock.settle()
  events.emit({ type: 'server.chosen', how: 'found on PATH', command: ['fake'], ...server })
  expect(written()).toContain('started Fake 1.2 (found on PATH)')
})

test('contract 2: nothing is drawn for a quick answer', async () => {
  const { clock, screen, written } = watched()
  await clock.advance(600)
  screen.stop()
  expect(written()).toBe('')
})

test('contract 2: a long wait shows one line, never wider than the terminal, erased at the end', async () => {
  const { events, clock, screen, written } = watched()
  events.emit({ type: 'server.progress', message: `indexing ${'x'.repeat(200)}\u001b[2J\nmore`, ...server })
  await clock.advance(2500)
  const frames = written().split('\r\x1b[2K').slice(1)
  expect(frames.length).toBeGreaterThan(5)
  for (const frame of frames) {
    expect(frame.length).toBeLessThan(40)
    expect(frame).not.toMatch(/[\n\x1b]/)
  }
  expect(frames.at(-1)).toMatch(/^fake: indexing .*, 2 s$/)
  screen.stop()
  expect(written().endsWith('\r\x1b[2K')).toBe(true)
  expect(clock.timers).toBe(0)
})

test('contract 2: a script sees warnings and nothing else', async () => {
  const { events, clock, screen, written } = watched({ attended: false })
  events.emit({ type: 'server.stateChanged', from: 'idle', to: 'starting', ...server })
  events.emit({ type: 'server.chosen', how: 'embedded', command: ['fake'], ...server })
  events.emit({ type: 'server.progress', message: 'indexing', ...server })
  events.emit({ type: 'bridge.logged', level: 'info', message: 'by the way' })
  await clock.advance(5000)
  expect(written()).toBe('')
  events.emit({ type: 'server.crashed', cause: 'killed', ...server })
  events.emit({ type: 'bridge.logged', level: 'warning', message: 'withheld' })
  screen.stop()
  expect(written()).toBe('warning: fake crashed: killed\nwarning: withheld\n')
})

function watched({ attended = true } = {}) {
  const events = new Events()
  const clock = virtualClock()
  let text = ''
  const stop = showProgress({
    events,
    clock,
    candidates: async () => [choice],
    console: {
      attended,
      columns: () => 40,
      warn: message => {
        text += `warning: ${message}\n`
      },
      note: message => {
        text += `${message}\n`
      },
      raw: written => {
        text += written
      },
    },
  })
  return { events, clock, screen: { stop }, written: () => text }
}
