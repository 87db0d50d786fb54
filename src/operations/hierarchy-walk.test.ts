// Walking through graphs of any shape: what is found is what is there, nearest first, in one order, and never without
// end; what was left out is said.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import type { HierarchyItem } from '../lsp/hierarchy.js'
import type { Doubt } from './answer.js'
import { keyOf, type Link, type Walk, walkHierarchy } from './hierarchy-walk.js'

/** Whom each is called by. */
type Graph = readonly (readonly number[])[]

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain(size => fc.array(fc.uniqueArray(fc.nat(size - 1)), { minLength: size, maxLength: size }))

test('R-100 what is found is exactly what is within reach, each at its least distance', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.integer({ min: 1, max: 5 }), async (graph, depth) => {
      const { found, doubts } = await walked(graph, { depth })
      const distances = distancesIn(graph, depth)
      expect(new Map(found.map(entry => [entry.name, entry.depth]))).toEqual(distances)
      expect(doubts).toEqual([])
    }),
  )
})

test('R-100 the order is that of distance and place, whatever the order of answers', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.infiniteStream(fc.nat(3)), async (graph, turns) => {
      const delays = turns[Symbol.iterator]()
      const { found } = await walked(graph, {
        next: async links => {
          for (let turn = delays.next().value; turn > 0; turn -= 1) await Promise.resolve()
          return [...links].reverse()
        },
      })
      const plain = await walked(graph)
      expect(found).toEqual(plain.found)
      const order = found.map(({ depth, name }) => depth * 100 + name)
      expect(order).toEqual([...order].sort((a, b) => a - b))
    }),
  )
})

test('R-100 beyond the first step an entry says through whom it was reached, once for each', async () => {
  // 0 is called by 1 and 2, both of which are called by 3.
  const { found } = await walked([[1, 2], [3], [3], []])
  expect(found.map(({ name, via }) => [name, via])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, 1],
    [3, 2],
  ])
})

test('R-100 direct recursion is listed, and a circle does not end in itself', async () => {
  const { found, questions } = await walked([[0, 1], [0]], { depth: 5 })
  expect(found.map(({ name, depth }) => [name, depth])).toEqual([
    [0, 1],
    [1, 1],
  ])
  expect(questions).toEqual([0, 1])
})

test('contract 3.2 beyond the limit nothing more is asked, and how many are left out is said', async () => {
  const { found, doubts, questions } = await walked([[1, 2, 3], [0], [0], [0]], { limit: 2 })
  expect(found.map(({ name }) => name)).toEqual([1, 2])
  expect(questions).toEqual([0])
  expect(doubts).toMatchObject([
    { verdict: 'partial', reason: expect.stringContaining('limit 2 leaves out 1') },
  ])
})

test('contract 3.2 no more questions are asked than two hundred', async () => {
  const many = Array.from({ length: 300 }, (_, index) => index + 1)
  const { doubts, questions } = await walked([many, ...many.map(() => [])], { limit: 1000, depth: 3 })
  expect(questions.length).toBe(200)
  expect(doubts).toMatchObject([
    { verdict: 'partial', reason: expect.stringContaining('101 questions were left') },
  ])
})

test('R-99 when time runs out, what was found is told, and that there may be more', async () => {
  let left = 1000
  const { found, doubts } = await walked([[1, 2], [3], [3], []], {
    remaining: () => left,
    next: async links => {
      left = 100
      return links
    },
  })
  expect(found.map(({ name }) => name)).toEqual([1, 2])
  expect(doubts).toMatchObject([{ verdict: 'partial', reason: expect.stringContaining('depth 2') }])
})

test('contract 3.2 a failure at the first step is the answer, one further on is a gap', async () => {
  const failure = new BridgeError({ kind: 'ServerError', message: 'it fell over', hint: 'Mend it.' })
  const failing = (at: number) => ({
    next: async (links: readonly Link[], from: number) => {
      if (from === at) throw failure
      return links
    },
  })
  await expect(walked([[1], []], failing(0))).rejects.toBe(failure)
  const { found, doubts } = await walked([[1, 2], [3], [4], [], []], failing(1))
  expect(found.map(({ name }) => name)).toEqual([1, 2, 4])
  expect(doubts).toEqual([{ verdict: 'partial', reason: 'the callers of 1: it fell over', hint: 'Mend it.' }])
})

test('R-99 a call that was given up ends the walk', async () => {
  const abort = new AbortController()
  const walking = walked([[1], [0]], {
    signal: abort.signal,
    next: async () => {
      abort.abort()
      throw new BridgeError({ kind: 'Cancelled', message: 'given up' })
    },
  })
  await expect(walking).rejects.toMatchObject({ kind: 'Cancelled' })
})

test('R-100 a hierarchy that is expected whole says where it was cut', async () => {
  const chain: Graph = [[1], [2], [3], []]
  expect((await walked(chain, { depth: 2, endsOpen: true })).doubts).toMatchObject([
    { verdict: 'partial', reason: 'callers beyond depth 2 were not looked for' },
  ])
  expect((await walked(chain, { depth: 4, endsOpen: true })).doubts).toEqual([])
})

interface Circumstances extends Partial<Pick<Walk, 'depth' | 'limit' | 'endsOpen'>> {
  readonly next?: (links: readonly Link[], from: number) => Promise<readonly Link[]>
  readonly remaining?: () => number
  readonly signal?: AbortSignal
}

/** Node `n` stands on line `n`; what is asked about is node 0. */
async function walked(graph: Graph, circumstances: Circumstances = {}) {
  const { next = async links => links, remaining = () => 1000, signal, ...bounds } = circumstances
  const doubts: Doubt[] = []
  const questions: number[] = []
  const found = await walkHierarchy(
    {
      roots: [itemOf(0)],
      next: async item => {
        const from = Number(item.name)
        questions.push(from)
        return next(
          (graph[from] ?? []).map(to => ({ item: itemOf(to), at: [] })),
          from,
        )
      },
      placeOf: ({ name }) => {
        const line = Number(name)
        return { file: 'a', line, column: 1, end_line: line, end_column: 1, text: '' }
      },
      follows: () => true,
      depth: 3,
      limit: 100,
      noun: 'callers',
      ...bounds,
    },
    {
      signal: signal ?? new AbortController().signal,
      remaining,
      doubt: doubt => void doubts.push(doubt),
    },
  )
  const entries = found.map(({ item, depth, via }) => ({
    name: Number(item.name),
    depth,
    via: via === undefined ? undefined : Number(via.name),
  }))
  return { found: entries, doubts, questions: questions.sort((a, b) => a - b) }
}

function itemOf(node: number): HierarchyItem {
  const range = { start: { line: node, character: 0 }, end: { line: node, character: 1 } }
  return { name: String(node), kind: 12, uri: 'file:///a', range, selectionRange: range }
}

function distancesIn(graph: Graph, depth: number): Map<number, number> {
  const distances = new Map<number, number>()
  let frontier = [0]
  const asked = new Set<number>()
  for (let distance = 1; distance <= depth; distance += 1) {
    const next = frontier.flatMap(node => (asked.has(node) ? [] : (graph[node] ?? [])))
    for (const node of frontier) asked.add(node)
    for (const node of next) if (!distances.has(node)) distances.set(node, distance)
    frontier = next
  }
  return distances
}

test('W19 two spellings of one URI are one item', () => {
  const item = itemOf(1)
  expect(keyOf({ ...item, uri: 'file:///%61' })).toBe(keyOf(item))
})
