// What the host hears of diagnostics: what is wrong at once, and that nothing is wrong only once that is settled.
import { expect, test } from 'vitest'
import { Events } from '../events.js'
import type { Answer } from '../operations/answer.js'
import type { Diagnostic } from '../operations/diagnose.js'
import { relaySignals } from './relay.js'
import { type Notification, Signals } from './signals.js'

const problem: Diagnostic = {
  severity: 'error',
  message: 'broken',
  file: 'a.fake',
  line: 1,
  column: 1,
  end_line: 1,
  end_column: 2,
  text: 'x',
}

const missing: Answer<unknown> = { ok: false, kind: 'FileNotFound', error: 'a.fake is gone', hint: 'None.' }

function report(verdict: 'settled' | 'unknown', diagnostics: readonly Diagnostic[]): Answer<unknown> {
  const reason = verdict === 'settled' ? {} : { reason: 'no report yet' }
  return {
    ok: true,
    result: { files: [{ file: 'a.fake', content: 'sha256:0', verdict, diagnostics, ...reason }] },
    completeness: { verdict: 'complete' },
    freshness: { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' },
    servers: [{ id: 'fake', name: 'Fake', version: '1' }],
  }
}

/** `answers` are what questions get, one after the other; after the last nothing may be asked. */
function relayed(answers: readonly Answer<unknown>[]) {
  const events = new Events()
  const signals = new Signals()
  const heard: Notification[] = []
  signals.onNotification(notification => heard.push(notification))
  let pushed: readonly Diagnostic[] = []
  let asked = 0
  relaySignals(
    {
      root: '/w',
      events,
      pushed: () => ({ file: 'a.fake', diagnostics: pushed }),
      run: async () => {
        asked += 1
        const answer = answers[asked - 1]
        if (answer === undefined) throw new Error('nothing more may be asked')
        return answer
      },
    },
    signals,
  )
  return {
    /** What was said about the push, also as a consequence of it. */
    async push(diagnostics: readonly Diagnostic[]): Promise<string[]> {
      pushed = diagnostics
      const before = heard.length
      const count = diagnostics.length
      events.emit({
        type: 'diagnostics.published',
        server: 'fake',
        root: '/w',
        uri: 'file:///w/a.fake',
        count,
      })
      await new Promise(resolve => setImmediate(resolve))
      return heard.slice(before).map(({ message }) => message)
    },
    asked: () => asked,
  }
}

test('R-170 what a push finds wrong is told at once, and not again', async () => {
  const { push, asked } = relayed([])
  expect(await push([problem])).toEqual(['a.fake: 1 error'])
  expect(await push([problem])).toEqual([])
  expect(asked()).toBe(0)
})

test('R-170 D05 an empty push is told as no diagnostics only when the file is shown to have none', async () => {
  const { push } = relayed([report('settled', []), report('settled', [problem, problem])])
  await push([problem])
  expect(await push([])).toEqual(['a.fake: no diagnostics'])
  await push([problem])
  expect(await push([])).toEqual(['a.fake: 2 errors'])
})

test('R-170 what cannot be settled is not told, and a server that goes on saying nothing is not asked again', async () => {
  const { push, asked } = relayed([report('unknown', []), report('settled', [])])
  await push([problem])
  expect(await push([])).toEqual([])
  expect(await push([])).toEqual([])
  expect(asked()).toBe(1)
  await push([problem, problem])
  expect(await push([])).toEqual(['a.fake: no diagnostics'])
})

test('R-170 an empty push about a file of which nothing was told is no news', async () => {
  const { push, asked } = relayed([])
  expect(await push([])).toEqual([])
  expect(asked()).toBe(0)
})

test('R-121 R-170 a file that is gone has no diagnostics', async () => {
  const { push } = relayed([missing])
  await push([problem])
  expect(await push([])).toEqual(['a.fake: no diagnostics'])
})
