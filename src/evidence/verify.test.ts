import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { decided, logHome, memoryDisk, openLog, otherOwner, root } from '../../test/evidence/harness.js'
import { systemEvidenceDisk } from './disk.js'
import { evidenceFolders, identityOf } from './layout.js'
import type { EvidenceEvent } from './shapes.js'
import { type LogVerdict, type VerifyOptions, verifyLog } from './verify.js'

/** A log in memory: the lines of its segments, and its one checkpoint. */
interface Image {
  readonly segments: Map<string, string[]>
  readonly checkpoints: Map<string, Buffer>
}

interface Place {
  readonly segment: string
  /** Its index within the segment. */
  readonly line: number
  readonly lines: readonly string[]
  readonly seq: number
  readonly isLast: boolean
}

const folders = evidenceFolders('/state', root)
const original: Image = { segments: new Map(), checkpoints: new Map() }
let all: readonly Place[] = []

beforeAll(async () => {
  using home = logHome()
  const log = openLog(home, { segmentBytes: 2500 })
  while (home.records().length < 40) await log.append(decided(`op${home.segments().length}`))
  await log.close()
  for (const segment of home.segments())
    original.segments.set(segment, home.read(segment).split('\n').slice(0, -1))
  for (const name of readdirSync(home.folders.checkpoints))
    original.checkpoints.set(name, readFileSync(join(home.folders.checkpoints, name)))
  const flat = [...original.segments].flatMap(([segment, lines]) =>
    lines.map((_, line) => ({ segment, line, lines })),
  )
  all = flat.map((place, index) => ({ ...place, seq: index + 1, isLast: index === flat.length - 1 }))
})

const places = fc.nat().map(index => {
  const place = all[index % all.length]
  if (place === undefined) throw new Error('the log is empty')
  return place
})

function copy(): Image {
  return { segments: new Map(original.segments), checkpoints: new Map(original.checkpoints) }
}

/** `torn` names a segment whose last line lacks its line feed. */
function verify(
  { segments, checkpoints }: Image,
  options: Partial<VerifyOptions> & { readonly torn?: string } = {},
): Promise<LogVerdict> {
  const { torn, ...others } = options
  const files = new Map<string, Buffer>()
  for (const [name, lines] of segments) {
    const text = lines.map(line => `${line}\n`).join('')
    files.set(join(folders.log, name), Buffer.from(name === torn ? text.slice(0, -1) : text))
  }
  for (const [name, bytes] of checkpoints) files.set(join(folders.checkpoints, name), bytes)
  const disk = memoryDisk(files)
  return verifyLog({ disk, folders, identity: identityOf(root), isAlive: () => false, ...others })
}

/** With the hash that its present content would have. */
function resealed(line: string): string {
  const open = line.slice(0, -75)
  return `${open},"hash":"${hash('sha256', open)}"}`
}

/** What is found after the lines of the place's segment were replaced. */
async function firstBad({ segment }: Place, lines: readonly string[], torn?: string) {
  const image = copy()
  image.segments.set(segment, [...lines])
  const { verdict, bad } = await verify(image, torn === undefined ? {} : { torn })
  return { verdict, fault: bad?.fault, seq: bad?.seq }
}

describe('E04', () => {
  test('a log that nobody touched is sound', async () => {
    expect(original.segments.size).toBeGreaterThan(3)
    expect(await verify(copy())).toMatchObject({ verdict: 'sound', records: all.length })
  })

  test('one byte that is altered, anywhere, is found in its record', async () => {
    await fc.assert(
      fc.asyncProperty(places, fc.nat(), async (place, offset) => {
        const text = place.lines[place.line] ?? ''
        const at = offset % text.length
        const other = text[at] === 'x' ? 'y' : 'x'
        const lines = place.lines.with(place.line, text.slice(0, at) + other + text.slice(at + 1))
        const found = await firstBad(place, lines)
        expect(found).toMatchObject({ verdict: 'bad', seq: place.seq })
        expect(['altered', 'unparsable']).toContain(found.fault)
      }),
      { numRuns: 1000 },
    )
  })

  test('a record that is altered and given a new hash is found, and its neighbour is not blamed', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const altered = (place.lines[place.line] ?? '').replace('"at":"2', '"at":"1')
        const found = await firstBad(place, place.lines.with(place.line, resealed(altered)))
        expect(found).toEqual({ verdict: 'bad', fault: 'altered', seq: place.seq })
      }),
    )
  })

  test('a record that is removed is found; at the end of the log that is a roll-back', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const isEndOfSegment = place.line === place.lines.length - 1
        const fault = place.isLast ? 'rolled_back' : isEndOfSegment ? 'truncated' : 'removed'
        const found = await firstBad(place, place.lines.toSpliced(place.line, 1))
        expect(found).toEqual({ verdict: 'bad', fault, seq: place.seq })
      }),
    )
  })

  test('two records that changed places are found', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const [first = '', second] = place.lines.slice(place.line)
        if (second === undefined) return
        const found = await firstBad(place, place.lines.toSpliced(place.line, 2, second, first))
        expect(found).toEqual({ verdict: 'bad', fault: 'reordered', seq: place.seq + 1 })
      }),
    )
  })

  test('a record that stands there twice is found', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const isBeyondEnd = place.line === place.lines.length - 1 && !place.isLast
        const found = await firstBad(
          place,
          place.lines.toSpliced(place.line, 0, place.lines[place.line] ?? ''),
        )
        expect(found).toMatchObject({ fault: 'inserted', seq: isBeyondEnd ? place.seq + 1 : place.seq })
      }),
    )
  })

  test('a log that is cut within a record is found there', async () => {
    await fc.assert(
      fc.asyncProperty(places, fc.nat(), async (place, offset) => {
        const text = place.lines[place.line] ?? ''
        const kept = [...place.lines.slice(0, place.line), text.slice(0, (offset % text.length) + 1)]
        const found = await firstBad(place, kept, place.segment)
        expect(found).toEqual({ verdict: 'bad', fault: 'truncated', seq: place.seq })
      }),
    )
  })

  test('an older state of the whole log is found, however many segments it lacks', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const image = copy()
        for (const name of image.segments.keys()) if (name > place.segment) image.segments.delete(name)
        image.segments.set(place.segment, place.lines.slice(0, place.line))
        expect((await verify(image)).bad).toMatchObject({ fault: 'rolled_back', seq: place.seq })
      }),
    )
  })

  test('a segment that is missing is found by its first record', async () => {
    await fc.assert(
      fc.asyncProperty(places, async place => {
        const image = copy()
        image.segments.delete(place.segment)
        const isLast = place.segment === [...original.segments.keys()].at(-1)
        const fault = isLast ? 'rolled_back' : 'removed'
        expect((await verify(image)).bad).toMatchObject({ fault, seq: place.seq - place.line })
      }),
    )
  })

  test('a log that is gone as a whole is missed', async () => {
    const image = copy()
    image.segments.clear()
    expect(await verify(image)).toMatchObject({ verdict: 'bad', bad: { fault: 'removed', seq: 1 } })
  })

  test('a log that was written anew fits neither its checkpoint nor what is known elsewhere', async () => {
    const image = copy()
    let prev: string | undefined
    for (const [segment, lines] of image.segments) {
      const rewritten = lines.map(line => {
        const linked = prev === undefined ? line : line.replace(/"prev":"[0-9a-f]+"/, `"prev":"${prev}"`)
        const sealed = resealed(
          linked.replace('"allow"', '"deny"').replace(/("previous":.*"hash":")[0-9a-f]+/, `$1${prev}`),
        )
        prev = sealed.slice(-66, -2)
        return sealed
      })
      image.segments.set(segment, rewritten)
    }
    // One letter less in every record: so much for the bytes that the heads name.
    expect((await verify(image)).verdict).toBe('bad')
    const [first = ''] = image.segments.keys()
    const only = { segments: new Map([[first, image.segments.get(first) ?? []]]), checkpoints: new Map() }
    expect(await verify(only)).toMatchObject({ verdict: 'bad', bad: { fault: 'unpinned' } })
    const known = [{ chain: first.slice(0, 8), seq: 4, hash: all[3]?.lines[3]?.slice(-66, -2) ?? '' }]
    expect(await verify(only, { known })).toMatchObject({ bad: { fault: 'altered', seq: 4 } })
    expect(await verify(copy(), { known })).toMatchObject({ verdict: 'sound' })
  })

  test('the log of another workspace has the wrong genesis', async () => {
    const identity = identityOf('/home/ada/other')
    expect(await verify(copy(), { identity })).toMatchObject({ bad: { fault: 'wrong_genesis', seq: 1 } })
  })

  test('a line that is no JSON is named by its place', async () => {
    const image = copy()
    const [, segment = ''] = image.segments.keys()
    image.segments.set(segment, (image.segments.get(segment) ?? []).with(2, 'rm -rf'))
    expect(await verify(image)).toMatchObject({ bad: { fault: 'unparsable', segment: 2, line: 3 } })
  })
})

test('E03 a record that broke off is named as torn, and as being written while its writer lives', async () => {
  using home = logHome()
  const log = openLog(home, { owner: otherOwner('ghost', () => true) })
  await log.append(decided('a'))
  const [segment = ''] = home.segments()
  writeFileSync(join(home.folders.log, segment), '{"prev":"00', { flag: 'a' })
  const options = { disk: systemEvidenceDisk, folders: home.folders, identity: identityOf(root) }
  expect(await verifyLog({ ...options, isAlive: () => false })).toMatchObject({
    bad: { fault: 'torn', seq: 3 },
  })
  expect(await verifyLog({ ...options, isAlive: () => true })).toMatchObject({ verdict: 'sound', records: 2 })
})

test('where nothing was ever kept there is nothing to verify', async () => {
  using home = logHome()
  expect(await home.verify()).toMatchObject({ verdict: 'absent', records: 0 })
})

test('L15 verifying costs at most eight times the hashing of the same bytes', async () => {
  using home = logHome()
  const log = openLog(home)
  for (let batch = 0; batch < 40; batch += 1) {
    for (let index = 0; index < 999; index += 1) log.note(typicalBatch(index))
    await log.secure()
  }
  await log.close()
  // Time of the processor, and the best of some: the machine may be busy with other things.
  let hashing = Number.POSITIVE_INFINITY
  let verifying = Number.POSITIVE_INFINITY
  for (let round = 0; round < 6; round += 1) {
    const began = processorTime()
    for (const segment of home.segments()) hash('sha256', readFileSync(join(home.folders.log, segment)))
    const between = processorTime()
    expect(await home.verify()).toMatchObject({ verdict: 'sound' })
    hashing = Math.min(hashing, between - began)
    verifying = Math.min(verifying, processorTime() - between)
  }
  expect(verifying / hashing).toBeLessThan(8)
})

function typicalBatch(index: number): EvidenceEvent {
  const content = `sha256:${'0'.repeat(64)}`
  const query = {
    server: 'typescript',
    outcome: 'responded',
    count: 1,
    bytes: 300,
    milliseconds: 0.8,
  } as const
  return {
    kind: 'lsp_query_batch',
    operation: 'find_references',
    caller: 'model',
    ok: true,
    outcome: 'responded',
    milliseconds: 1.2,
    servers: [{ id: 'typescript', name: 'typescript-go', version: '7.0.2' }],
    queries: [
      { ...query, method: 'textDocument/references' },
      { ...query, method: 'textDocument/documentSymbol' },
    ],
    response_bytes: 600,
    targets: [{ file: 'src/operations/run.ts', line: index, column: 17, symbol: 'runOperation', content }],
    freshness: { verdict: 'current', content, queried_at: '2030-01-01T00:00:00.000Z' },
    completeness: { verdict: 'complete' },
  }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
