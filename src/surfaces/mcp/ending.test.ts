import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { untilEnding } from './ending.js'

class FakeProcess extends EventEmitter {
  readonly exits: number[] = []
  exit(code: number): never {
    this.exits.push(code)
    throw new Error('the process is gone')
  }
}

const never = new Promise<void>(() => {})

test('M06 the end of the connection is an orderly end', async () => {
  expect(await untilEnding(new FakeProcess(), Promise.resolve())).toEqual({ code: 0 })
})

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('M05 %s ends in order, and at once when it comes again', async (name, code) => {
  const fake = new FakeProcess()
  const ending = untilEnding(fake, never)
  fake.emit(name)
  expect(await ending).toEqual({ code })
  expect(fake.exits).toEqual([])
  expect(() => fake.emit(name)).toThrow('gone')
  expect(fake.exits).toEqual([code])
})

test('M17 the first fault decides, and nobody else hears of it', async () => {
  const fake = new FakeProcess()
  const heard: unknown[] = []
  fake.on('uncaughtException', error => heard.push(error))
  const ending = untilEnding(fake, never)
  fake.emit('uncaughtException', 'first')
  fake.emit('uncaughtException', 'second')
  expect(await ending).toEqual({ code: 1, fault: 'first' })
  expect(heard).toEqual([])
})
