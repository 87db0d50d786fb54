import { hash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../test/evidence/harness.js'
import { decodeCheckpoint, encodeCheckpoint, slotBytes, slotOf, type Tip } from './checkpoint.js'
import { chainsIn, evidenceFolders, identityOf, isInside, markName, newName, segmentName } from './layout.js'
import { computedHash, encodeLine, genesisHash, lineEnd, partsOf } from './line.js'
import { processOwner } from './owner.js'
import { scanLines } from './scan.js'

const hashes = fc.string().map(text => hash('sha256', text))
const body = fc.record({
  id: fc.constant('ev:1'),
  at: fc.constant('2030-01-01T00:00:00.000Z'),
  kind: fc.constant('x'),
  text: fc.string({ unit: 'binary' }),
})

test('a line says its place in the chain and its hash without being parsed', () => {
  fc.assert(
    fc.property(hashes, fc.nat(), body, fc.string(), (prev, seq, content, before) => {
      const { line, hash: own } = encodeLine({ prev, seq }, content)
      const bytes = Buffer.from(`${before}${line}`)
      const [start, end] = [Buffer.byteLength(before), bytes.length - 1]
      expect(partsOf(bytes, start, end)).toEqual({ prev, seq, hash: own })
      expect(computedHash(bytes, start, end)).toBe(own)
      expect(line.endsWith(lineEnd(own))).toBe(true)
      expect(JSON.parse(line)).toEqual({ prev, seq, ...content, hash: own })
      expect(line.indexOf('\n')).toBe(line.length - 1)
    }),
  )
})

test('what is no line of ours has no parts', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), noise => {
      expect(partsOf(Buffer.from(noise), 0, noise.length)).toBeUndefined()
    }),
  )
})

test('chains of other workspaces and names begin with another hash', () => {
  const all = [genesisHash('a', 'b'), genesisHash('a', 'c'), genesisHash('c', 'b')]
  expect(new Set(all).size).toBe(3)
})

test('lines are found however they lie across the pieces that are read', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => 'x'.repeat((index * 997) % 5000))
  const long = 'y'.repeat(700_000)
  const text = [...lines, long, 'z'].map(line => `${line}\n`).join('')
  const disk = memoryDisk(new Map([['/a', Buffer.from(`${text}rest`)]]))
  const found: string[] = []
  const scanned = await scanLines({
    disk,
    path: '/a',
    onLine({ bytes, start, end, position }) {
      expect(text.slice(position, position + end - start)).toBe(bytes.toString('utf8', start, end))
      found.push(bytes.toString('utf8', start, end))
      return true
    },
  })
  expect(found).toEqual([...lines, long, 'z'])
  expect(scanned).toMatchObject({ position: text.length, rest: Buffer.from('rest'), stopped: false })
})

const tips = fc.record({
  segment: fc.nat(),
  seq: fc.nat(),
  bytes: fc.nat(),
  hash: hashes,
  at: fc.constant('2030-01-01T00:00:00.000Z'),
  begun: fc.constant('2030-01-01T00:00:00.000Z'),
})

test('E03 a checkpoint whose write breaks off anywhere still says what the one before it said', () => {
  fc.assert(
    fc.property(tips, tips, fc.nat({ max: slotBytes }), (first: Tip, second: Tip, cut) => {
      const [older, younger] = [
        { ...first, seq: 1 },
        { ...second, seq: 2 },
      ]
      const file = Buffer.alloc(2 * slotBytes)
      encodeCheckpoint('chain', older).copy(file, slotOf(0))
      expect(decodeCheckpoint('chain', file)).toEqual(older)
      encodeCheckpoint('chain', younger).subarray(0, cut).copy(file, slotOf(1))
      // The last bytes are spaces; without them the slot is whole already.
      expect([older, younger]).toContainEqual(decodeCheckpoint('chain', file))
      encodeCheckpoint('chain', younger).copy(file, slotOf(1))
      expect(decodeCheckpoint('chain', file)).toEqual(younger)
      expect(decodeCheckpoint('other', file)).toBeUndefined()
    }),
  )
})

test('names of files lead back to what they stand for', () => {
  const chain = newName()
  expect(chain).toMatch(/^[0-9a-z]{8}$/)
  const owner = processOwner().name
  const names = [
    segmentName(chain, 2),
    segmentName(chain, 1),
    markName(chain, { state: 'used', owner }),
    segmentName('aaaaaaaa', 1),
    'aaaaaaaa.free',
    'something else',
  ]
  expect(chainsIn(names)).toEqual([
    { chain, segments: [1, 2], mark: { state: 'used', owner } },
    { chain: 'aaaaaaaa', segments: [1], mark: { state: 'free' } },
  ])
})

test('the log of a workspace lies in the state folder, under a name that tells nothing', () => {
  const { log, checkpoints } = evidenceFolders('/state', '/home/ada/project')
  expect(log).toMatch(/^\/state\/evidence\/[0-9a-f]{32}$/)
  expect(checkpoints).toMatch(/^\/state\/evidence\/checkpoints\/[0-9a-f]{32}$/)
  expect(evidenceFolders('/state', '/home/ada/other').log).not.toBe(log)
  expect(identityOf('/home/ada/project')).toMatchObject({ name: 'project' })
  expect(isInside('/home/ada/.local/state/x', '/home/ada')).toBe(true)
  expect(isInside('/home/ada', '/home/ada')).toBe(true)
  expect(isInside('/home/adam/x', '/home/ada')).toBe(false)
})

test('a writer counts as gone only where that is certain', () => {
  const { name, isAlive } = processOwner()
  expect(isAlive(name)).toBe(true)
  const [pid, start, ...place] = name.split('-')
  expect(isAlive([pid, `${Number(start) + 1}`, ...place].join('-'))).toBe(start === '0')
  expect(isAlive(['4194304', '1', ...place].join('-'))).toBe(false)
  expect(isAlive(`${pid}-${start}-elsewhere`)).toBe(true)
  expect(isAlive('what is this')).toBe(true)
})
