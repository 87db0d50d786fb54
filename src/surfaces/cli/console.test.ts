// The questions on a terminal: what is drawn or said meanwhile must not hide them, and only a typed yes is one.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { approvalOn } from './ask-approval.js'
import { createConsole } from './console.js'

const request = {
  caller: 'host',
  operation: 'find_references',
  effect: 'read',
  file: 'a.ts',
  files: ['a.ts'],
  onlyThese: true,
  reason: 'costly',
} as const

for (const [typed, meant] of [
  ['y\r', true],
  ['Yes\r', true],
  ['n\r', false],
  ['\r', false],
  ['yesterday\r', false],
  ['\u0003', false],
  ['\u0004', false],
] as const) {
  test(`contract 6: approval on a terminal, ${JSON.stringify(typed)} means ${meant ? 'yes' : 'no'}`, async () => {
    const { console, type } = terminal()
    const reply = approvalOn(console)?.(request, undefined)
    type(typed)
    expect(await reply).toBe(meant)
  })
}

test('contract 6: the question names what is asked for, and nothing is drawn over it', async () => {
  const { console, type, screen } = terminal()
  console.raw('looking at the workspace, 0 s')
  const reply = approvalOn(console)?.(request, undefined)
  const asked = screen()
  expect(asked).toContain('\r\x1b[2K')
  const question =
    'Alidade: may find_references (class read) run in a.ts? It has to be approved because costly. Approve? [y/N] '
  expect(asked).toContain(question)
  console.raw('\r\x1b[2Klooking at the workspace, 1 s')
  console.warn('a server crashed')
  expect(screen()).toBe(asked)
  type('y\r')
  await reply
  expect(screen()).toMatch(/a server crashed\n$/)
  console.raw('looking at the workspace, 2 s')
  expect(screen()).toMatch(/, 2 s$/)
})

test('contract 6: two questions are put one after the other, and a reply counts for one', async () => {
  const { console, type, screen } = terminal()
  const first = console.confirm('first?')
  const second = console.confirm('second?')
  expect(screen()).not.toContain('second?')
  type('y\r')
  expect(await first).toBe(true)
  await Promise.resolve()
  console.warn('said meanwhile')
  type('n\r')
  expect(await second).toBe(false)
  expect(screen()).toMatch(/first\?.*second\?.*said meanwhile\n$/s)
})

test('contract 6: a question nobody answers ends with the call', async () => {
  const { console } = terminal()
  const call = new AbortController()
  const reply = approvalOn(console)?.(request, call.signal)
  call.abort()
  expect(await reply).toBe(false)
  expect(await console.confirm('again?', call.signal)).toBe(false)
})

test('contract 6: without a terminal nobody is asked', () => {
  expect(approvalOn(terminal({ isTTY: false }).console)).toBeUndefined()
})

function terminal({ isTTY = true } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 0 })
  const stdout = new PassThrough()
  let written = ''
  const console = createConsole({ stdin, stdout, stderr, env: { TERM: 'dumb' }, cwd: () => '/project' })
  return {
    console,
    type: (keys: string) => stdin.write(keys),
    screen: () => {
      written += stderr.read()?.toString() ?? ''
      return written
    },
  }
}
