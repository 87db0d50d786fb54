import { InMemoryTransport } from '@modelcontextprotocol/client'
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAlong, Subscriptions } from './subscriptions.js'

const uri = fc.constantFrom('u1', 'u2', 'u3')
const request = fc.constantFrom<string | number>(1, '1', 'two')
const step = fc.oneof(
  fc.record({ do: fc.constant('subscribe' as const), uri }),
  fc.record({ do: fc.constant('unsubscribe' as const), uri }),
  fc.record({ do: fc.constant('listen' as const), request, uris: fc.array(uri) }),
  fc.record({ do: fc.constant('cancel' as const), request }),
)

test('R-174 a resource is followed as long as anybody asked for it, in either way', () => {
  fc.assert(
    fc.property(fc.array(step), story => {
      const subscriptions = new Subscriptions()
      const one = new Set<string>()
      const many = new Map<string | number, readonly string[]>()
      for (const act of story) {
        if (act.do === 'subscribe') {
          one.add(act.uri)
          subscriptions.subscribe(act.uri)
        } else if (act.do === 'unsubscribe') {
          one.delete(act.uri)
          subscriptions.unsubscribe(act.uri)
        } else if (act.do === 'listen') {
          many.set(act.request, act.uris)
          subscriptions.listen(act.request, act.uris)
        } else {
          many.delete(act.request)
          subscriptions.cancel(act.request)
        }
        const expected = new Set([...one, ...[...many.values()].flat()])
        expect(subscriptions.uris).toEqual(expected)
        expect(subscriptions.isEmpty).toBe(expected.size === 0)
      }
    }),
  )
})

test('R-174 the wire is read along and nothing on it changes, whatever passes', async () => {
  const meta = (id: unknown) => ({ _meta: { [SUBSCRIPTION_ID_META_KEY]: id } })
  const told = (id: unknown, notifications: unknown) => ({
    jsonrpc: '2.0' as const,
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications, ...meta(id) },
  })
  const left = (requestId: unknown) => ({
    jsonrpc: '2.0' as const,
    method: 'notifications/cancelled',
    params: { requestId },
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const subscriptions = new Subscriptions()
  const wire = readAlong(far, subscriptions)
  const [sent, received]: [unknown[], unknown[]] = [[], []]
  near.onmessage = message => sent.push(message)
  wire.onmessage = message => received.push(message)
  let closed = 0
  wire.onclose = () => {
    closed += 1
  }
  await near.start()
  await wire.start()

  const acknowledged = [
    told(7, { resourceSubscriptions: ['u1', 'u2'] }),
    told('odd', { resourceSubscriptions: 'u3' }),
    told({}, { resourceSubscriptions: ['u3'] }),
    told(8, {}),
  ]
  for (const message of acknowledged) await wire.send(message)
  expect(sent).toEqual(acknowledged)
  expect(subscriptions.uris).toEqual(new Set(['u1', 'u2']))

  const cancellations = [left('7'), left(undefined), left(9)]
  for (const message of cancellations) await near.send(message)
  expect(subscriptions.uris).toEqual(new Set(['u1', 'u2']))
  await near.send(left(7))
  expect(subscriptions.isEmpty).toBe(true)
  expect(received).toEqual([...cancellations, left(7)])

  subscriptions.subscribe('u1')
  await near.close()
  expect({ closed, isEmpty: subscriptions.isEmpty }).toEqual({ closed: 1, isEmpty: true })
})
