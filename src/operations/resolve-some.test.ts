// Asking for the details of many items: few at a time, not too many, and failures stay with their item.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import { resolveSome } from './resolve-some.js'

test('R-102 every item within the bound is resolved, in its place, whatever the order of the answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.nat(40), fc.nat(40), async (scheduler, count, most) => {
      const items = Array.from({ length: count }, (_, index) => index)
      let running = 0
      let peak = 0
      const resolving = resolveSome({
        items,
        most,
        resolve: async item => {
          running += 1
          peak = Math.max(peak, running)
          await scheduler.schedule(Promise.resolve())
          running -= 1
          return item * 2
        },
      })
      const { results, gap } = await scheduler.waitFor(resolving)
      expect(results).toEqual(items.map(item => (item < most ? item * 2 : undefined)))
      expect(gap === undefined).toBe(count <= most)
      expect(peak).toBeLessThanOrEqual(8)
    }),
    { numRuns: 50 },
  )
})

test('R-102 an item that fails is named, and costs the others nothing', async () => {
  const { results, gap } = await resolveSome({
    items: [1, 2, 3],
    most: 10,
    resolve: async item => {
      if (item === 2) throw new BridgeError({ kind: 'ServerError', message: 'it has no title' })
      return item
    },
  })
  expect(results).toEqual([1, undefined, 3])
  expect(gap).toBe('1 of 3 because it has no title')
})

test('P07 a fault of our own is not taken for a gap', async () => {
  const resolve = async () => {
    throw new TypeError('ours')
  }
  await expect(resolveSome({ items: [1], most: 1, resolve })).rejects.toMatchObject({ kind: 'Bug' })
})
