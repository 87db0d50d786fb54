// Who presses Ctrl-C once gets an orderly end, who presses it twice an immediate one.
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { interrupts } from './interrupts.js'

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('contract 2: %s lets the command end and gives %i', (name, code) => {
  const { from, exits } = fakeProcess()
  const interrupted = interrupts(from)
  expect(interrupted.code()).toBeUndefined()
  from.emit(name)
  expect(interrupted.signal.aborted).toBe(true)
  expect(interrupted.code()).toBe(code)
  expect(exits).toEqual([])
  from.emit('SIGINT')
  expect(exits).toEqual([130])
})

function fakeProcess() {
  const exits: unknown[] = []
  const exit = (code?: unknown): never => {
    exits.push(code)
    return undefined as never
  }
  return { from: Object.assign(new EventEmitter(), { exit }), exits }
}
