import { describe, expect, test } from 'vitest'
import {
  debounced,
  document,
  found,
  onePush,
  settled,
  standard,
  store,
  unknown,
  uri,
} from '../../test/diagnostics-harness.js'
import { BridgeError } from '../errors.js'
import { CapabilityTable } from './capabilities.js'
import type { DiagnosticsRule } from './diagnostics.js'

describe('pulls', () => {
  const pulling = () => new CapabilityTable({ diagnosticProvider: diagnosticProvider })
  const diagnosticProvider = { interFileDependencies: false, workspaceDiagnostics: false }

  test('R-104 what is pulled is settled', async () => {
    const asked: string[] = []
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async (method, params) => {
        asked.push(method)
        expect(params).toEqual({ textDocument: { uri } })
        return { kind: 'full', items: [found('broken')] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
    expect(asked).toEqual(['textDocument/diagnostic'])
  })

  test('C7, O9 a server that registered for other files is not asked about this one', async () => {
    const table = new CapabilityTable({})
    const method = 'textDocument/diagnostic'
    table.register([{ id: '1', method, registerOptions: { documentSelector: [{ language: 'other' }] } }])
    const { diagnostics, report, clock } = store(standard, {
      capabilities: () => table,
      ask: async () => ({ kind: 'full', items: [] }),
    })
    diagnostics.documentSent(document(1))
    expect(diagnostics.pulls(document(1))).toBe(false)
    const answer = report(1)
    await clock.advance(5000)
    expect(answer.outcome).toMatchObject(unknown('has not reported'))
    table.register([{ id: '2', method, registerOptions: { documentSelector: [{ language: 'fake' }] } }])
    expect(diagnostics.pulls(document(1))).toBe(true)
    const next = report(1)
    await clock.settle()
    expect(next.outcome).toEqual(settled())
  })

  test.each<[string, DiagnosticsRule, boolean]>([
    ['one that declares it', standard, true],
    ['one that waits for its own push all the same', debounced, false],
    ['one that owes a push for each change', onePush, false],
    ['one with a question of its own', { kind: 'request', reason: 'It has one.', ask: async () => [] }, true],
  ])('R-104 whether it is asked: %s', (_, rule, expected) => {
    const { diagnostics } = store(rule, { capabilities: pulling })
    expect(diagnostics.pulls(document(1))).toBe(expected)
  })

  test('R-104, P14 one that answers undeclared is asked until it refuses', () => {
    const table = new CapabilityTable({})
    const { diagnostics } = store({ ...standard, pullsUndeclared: true }, { capabilities: () => table })
    expect(diagnostics.pulls(document(1))).toBe(true)
    table.refuse('textDocument/diagnostic')
    expect(diagnostics.pulls(document(1))).toBe(false)
  })

  test('R-74 a report that the server takes back while it gives it is asked for again', async () => {
    const reports = [['old'], ['older'], ['new']]
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => {
        const messages = reports.shift() ?? []
        if (reports.length > 0) diagnostics.refreshed()
        return { kind: 'full', items: messages.map(found) }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('new'))
    // One that was taken back before it was asked for is none.
    diagnostics.refreshed()
    const next = report(1)
    await clock.settle()
    expect(next.outcome).toEqual(settled())
  })

  test('R-74 a server that takes back every report is not believed, and not asked for ever', async () => {
    let asked = 0
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => {
        asked += 1
        diagnostics.refreshed()
        return { kind: 'full', items: [] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('took its reports back'))
    expect(asked).toBe(5)
  })

  test('R-74 asking again takes no more time than there was', async () => {
    const given: number[] = []
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: (_method, _params, { milliseconds }) => {
        given.push(milliseconds)
        diagnostics.refreshed()
        return new Promise(resolve => clock.after(400, () => resolve({ kind: 'full', items: [] })))
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1, 1000)
    await clock.advance(400)
    await clock.advance(400)
    await clock.advance(400)
    expect(answer.outcome).toMatchObject(unknown('took its reports back'))
    expect(given).toEqual([1000, 600, 200])
  })

  test('D07 "unchanged" to a question that compared nothing is unknown', async () => {
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => ({ kind: 'unchanged', resultId: 'foreign' }),
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('unchanged'))
  })

  test('R-104 what is pulled of a server that never declared it is settled too', async () => {
    const { diagnostics, report, clock } = store(
      { ...standard, pullsUndeclared: true },
      { ask: async () => ({ kind: 'full', items: [found('broken')] }) },
    )
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test('P14 a pull that is declared and then refused falls back to the push', async () => {
    const refused = new BridgeError({ kind: 'CapabilityMissing', message: 'no' })
    const { diagnostics, report, publish, clock } = store(standard, {
      capabilities: pulling,
      ask: () => Promise.reject(refused),
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toBeUndefined()
    publish(1, 'broken')
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test.each(['Wire', 'RequestTimeout', 'ServerError'] as const)(
    'D09 a pull that fails with %s fails, and is no report',
    async kind => {
      const { diagnostics, report, publish, clock } = store(standard, {
        capabilities: pulling,
        ask: () => Promise.reject(new BridgeError({ kind, message: 'no' })),
      })
      diagnostics.documentSent(document(1))
      publish(1)
      const answer = report(1)
      await clock.settle()
      expect(answer.outcome).toMatchObject({ kind })
    },
  )

  test('P07 a malformed pull is an error of the server', async () => {
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => 'not what was asked for',
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'ServerError' })
  })

  test.each<[string, DiagnosticsRule]>([
    ['pulled', standard],
    [
      'asked for',
      {
        kind: 'request',
        reason: 'It has a question of its own.',
        ask: async ask => {
          await ask('fake/check', {})
          return []
        },
      },
    ],
  ])('W08 what is %s while the text changes is not on the text it was asked for', async (_how, rule) => {
    const { diagnostics, report, clock } = store(rule, {
      capabilities: pulling,
      ask: async () => {
        diagnostics.documentSent(document(2))
        return { kind: 'full', items: [] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('the document changed'))
  })

  test("R-99, R-85 a question of the server's own runs under its caller's signal and time", async () => {
    const seen: { signal: AbortSignal; milliseconds: number }[] = []
    const rule: DiagnosticsRule = {
      kind: 'request',
      reason: 'It has a question of its own.',
      ask: async ask => {
        await ask('fake/check', {})
        return []
      },
    }
    const { diagnostics, report, clock } = store(rule, {
      ask: async (_method, _params, options) => void seen.push(options),
    })
    diagnostics.documentSent(document(1))
    const { signal } = new AbortController()
    const answer = report(1, 1234, signal)
    await clock.settle()
    expect(answer.outcome).toEqual(settled())
    expect(seen).toEqual([{ signal, milliseconds: 1234 }])
  })
})
