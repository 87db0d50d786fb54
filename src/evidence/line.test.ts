import { hash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../test/evidence/harness.js'
import { decodeCheckpoint, encodeCheckpoint, otherSlot, slotBytes, type Tip } from './checkpoint.js'
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

test('E03 however many writes of a checkpoint break off, by one writer or by many, the last whole one is read', () => {
  const write = fc.record({
    tip: tips,
    cut: fc.option(fc.integer({ min: 0, max: slotBytes - 1 }), { nil: slotBytes }),
  })
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), writes => {
      const first: Tip = { segment: 0, seq: 0, bytes: 0, hash: '', at: '', begun: '' }
      const file = Buffer.concat([encodeCheckpoint('chain', first), encodeCheckpoint('chain', first)])
      let last = first
      for (const [index, { tip, cut }] of writes.entries()) {
        const found = decodeCheckpoint('chain', file)
        expect(found?.tip).toEqual(last)
        if (found === undefined) return
        const next = { ...tip, seq: index + 1 }
        encodeCheckpoint('chain', next).subarray(0, cut).copy(file, otherSlot(found.slot))
        // The last bytes are spaces, so a slot may be whole without them.
        if (decodeCheckpoint('chain', file)?.tip.seq === next.seq) last = next
        else expect(cut).toBeLessThan(slotBytes)
      }
      expect(decodeCheckpoint('chain', file)?.tip).toEqual(last)
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
