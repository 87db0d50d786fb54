// Who presses Ctrl-C once gets an orderly end, who presses it twice an immediate one.
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { interrupts } from './interrupts.js'

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('contract 2: %s lets the command end and gives %i', (name, code) => {
  const from = fakeProcess()
  const interrupted = interrupts(from)
  expect(interrupted.code()).toBeUndefined()
  from.emit(name)
  expect(interrupted.signal.aborted).toBe(true)
  expect(interrupted.code()).toBe(code)
  expect(() => from.emit('SIGINT')).toThrow('exit 130')
})

function fakeProcess() {
  const exit = (code: number): never => {
    throw new Error(`exit ${code}`)
  }
  return Object.assign(new EventEmitter(), { exit })
}
