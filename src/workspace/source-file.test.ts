import {
  appendFileSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../clock.js'
import { contentHash } from '../text/hash.js'
import { createPathGate, type PathGate } from './path-gate.js'
import {
  type FileSignature,
  largestSource,
  readSource,
  SourceCache,
  signatureUnchanged,
  statSignature,
} from './source-file.js'

// A reading in the future is one whose file has been at rest for long; nothing has to wait.
const later: Clock = { ...systemClock, date: () => new Date(Date.now() + 60_000) }

let root: string
let file: string
let gate: PathGate

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'source-')))
  file = join(root, 'a.ts')
  gate = createPathGate(root)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('W13 a source file', () => {
  it('W13 is its exact content, and the hash is that of its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, bom) => {
        const bytes = Buffer.from((bom ? '\ufeff' : '') + text)
        writeFileSync(file, bytes)
        const source = readSource(gate, 'a.ts')
        expect(source).toMatchObject({ absolute: file, relative: 'a.ts', canonical: file, bom })
        expect(source.text.text).toBe(text)
        expect(source.content).toBe(contentHash(bytes))
        expect(source.bytes).toBe(bytes.length)
      }),
    )
  })

  it('W12 is refused by name when it is not UTF-8', () => {
    writeFileSync(file, Buffer.from([0x63, 0xe9]))
    const refused = expect.objectContaining({
      kind: 'InvalidArguments',
      message: expect.stringContaining('"a.ts"'),
    })
    expect(() => readSource(gate, 'a.ts')).toThrow(refused)
  })
})

describe('W09 W10 size', () => {
  const tooLarge = expect.objectContaining({ kind: 'FileTooLarge' })

  it.each([largestSource - 1, largestSource])('W10 %d bytes are read', size => {
    writeFileSync(file, Buffer.alloc(size, 'a'))
    expect(readSource(gate, 'a.ts').bytes).toBe(size)
  })

  it('W10 one byte more is not', () => {
    expect(largestSource).toBe(10 * 1024 * 1024)
    writeFileSync(file, Buffer.alloc(largestSource + 1, 'a'))
    expect(() => readSource(gate, 'a.ts')).toThrow(tooLarge)
  })

  it('W09 the bytes that arrive decide when the file grows after it was measured', () => {
    writeFileSync(file, 'a')
    const growing = changingAfterMeasuring(() => appendFileSync(file, Buffer.alloc(largestSource, 'a')))
    let readings = 0
    const counting: Clock = {
      ...systemClock,
      date() {
        readings += 1
        return new Date()
      },
    }
    expect(() => readSource(growing, 'a.ts', counting)).toThrow(tooLarge)
    // A second reading would have measured the new size and refused for that.
    expect(readings).toBe(1)
  })

  it('W09 a file that changes during the reading is read again', () => {
    for (const change of [
      () => truncateSync(file),
      () => appendFileSync(file, 'more'),
      () => writeFileSync(file, 'b'),
    ]) {
      writeFileSync(file, 'first')
      const source = readSource(changingAfterMeasuring(change), 'a.ts')
      expect(source.content).toBe(contentHash(source.text.text))
      expect(source.text.text).toBe(readSource(gate, 'a.ts').text.text)
      expect(source.signature.size).toBe(BigInt(source.bytes))
    }
  })

  it('W09 an empty file is a source of one line', () => {
    writeFileSync(file, '')
    expect(readSource(gate, 'a.ts').text.lineCount).toBe(1)
  })
})

describe('W08 signatures', () => {
  const signature: FileSignature = {
    dev: 1n,
    ino: 2n,
    size: 3n,
    mtimeNs: 5_000_000_001n,
    ctimeNs: 5_000_000_001n,
    readAtMs: 5021,
  }

  it('W08 prove the content only when the last change is more than a tick older than the reading', () => {
    expect(signatureUnchanged(signature, signature)).toBe(true)
    for (const readAtMs of [5020, 5001, 5000, 0]) {
      expect(signatureUnchanged({ ...signature, readAtMs }, signature)).toBe(false)
    }
  })

  it('W08 need seconds where the file system counts seconds', () => {
    const coarse = { ...signature, mtimeNs: 5_000_000_000n, ctimeNs: 5_000_000_000n }
    expect(signatureUnchanged({ ...coarse, readAtMs: 7000 }, coarse)).toBe(false)
    expect(signatureUnchanged({ ...coarse, readAtMs: 7200 }, coarse)).toBe(true)
  })

  it('W08 differ when anything differs, and nothing is not something', () => {
    for (const key of ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const) {
      expect(signatureUnchanged(signature, { ...signature, [key]: 9n })).toBe(false)
    }
    expect(signatureUnchanged(signature, undefined)).toBe(false)
    expect(statSignature(join(root, 'none.ts'))).toBeUndefined()
    expect(statSignature(join(root, 'a\0'))).toBeUndefined()
  })

  it('W08 of a file at rest prove it, and of one changed in the tick of the reading never do', () => {
    writeFileSync(file, 'one')
    const atRest = readSource(gate, 'a.ts', later).signature
    expect(signatureUnchanged(atRest, statSignature(file))).toBe(true)
    const racy = readSource(gate, 'a.ts', atLastChange()).signature
    expect(signatureUnchanged(racy, statSignature(file))).toBe(false)
  })

  it('W08 are never taken for proof of another content of the same size and modification time', () => {
    const time = new Date(1_700_000_000_000)
    for (let turn = 0; turn < 500; turn++) {
      writeFileSync(file, `${turn % 7}`)
      utimesSync(file, time, time)
      const source = readSource(gate, 'a.ts')
      writeFileSync(file, `${(turn * 3) % 7}`)
      utimesSync(file, time, time)
      if (!signatureUnchanged(source.signature, statSignature(file))) continue
      expect(readSource(gate, 'a.ts').content).toBe(source.content)
    }
  })
})

describe('SourceCache', () => {
  it('W08 keeps a file that is proven unchanged, and reads one that is not', () => {
    writeFileSync(file, 'one')
    const proven = new SourceCache({ gate, clock: later })
    expect(proven.get('a.ts')).toBe(proven.get(file))
    const racy = new SourceCache({ gate, clock: atLastChange() })
    const first = racy.get('a.ts')
    const second = racy.get('a.ts')
    expect(second).not.toBe(first)
    expect(second.text).toBe(first.text)
    writeFileSync(file, 'two')
    expect(racy.get('a.ts').text.text).toBe('two')
  })

  it('W07 sees a file replaced, deleted, or led outside', () => {
    const cache = new SourceCache({ gate, clock: later })
    writeFileSync(file, 'one')
    cache.get('a.ts')
    writeFileSync(join(root, 'b.ts'), 'two')
    renameSync(join(root, 'b.ts'), file)
    expect(cache.get('a.ts').text.text).toBe('two')
    rmSync(file)
    expect(() => cache.get('a.ts')).toThrow(expect.objectContaining({ kind: 'FileNotFound' }))
    symlinkSync('/etc/passwd', file)
    expect(() => cache.get('a.ts')).toThrow(expect.objectContaining({ kind: 'PathOutsideWorkspace' }))
  })

  it('W18 does not take two names for one, nor one name for two', () => {
    const cache = new SourceCache({ gate, clock: later })
    const names = ['\u00e9.ts', 'e\u0301.ts', 'a.ts', 'A.ts']
    for (const name of names) writeFileSync(join(root, name), name)
    expect(names.map(name => cache.get(name).text.text)).toEqual(names)
  })

  it('M18 forgets the files not asked for when there are too many', () => {
    const cache = new SourceCache({ gate, clock: later, maxFiles: 2, maxBytes: 1000 })
    const names = ['a.ts', 'b.ts', 'c.ts']
    for (const name of names) writeFileSync(join(root, name), name)
    const [first] = names.map(name => cache.get(name))
    expect(cache.get('c.ts')).toBe(cache.get('c.ts'))
    expect(cache.get('a.ts')).not.toBe(first)
    writeFileSync(file, 'a'.repeat(2000))
    expect(cache.get('a.ts').bytes).toBe(2000)
    expect(cache.get('a.ts')).not.toBe(cache.get('a.ts'))
  })
})

/** A gate whose file changes between being measured, the first use of the descriptor, and being read. */
function changingAfterMeasuring(change: () => void): PathGate {
  return {
    root: gate.root,
    external: 'marked',
    contains: path => gate.contains(path),
    locate: input => gate.locate(input),
    display: path => gate.display(path),
    openFolder: path => gate.openFolder(path),
    open(path) {
      const opened = gate.open(path)
      let uses = 0
      return {
        ...opened,
        get descriptor() {
          uses += 1
          if (uses === 2) change()
          return opened.descriptor
        },
      }
    },
  }
}

/** The time of the file's last change: a reading at this moment is as close to it as can be. */
function atLastChange(): Clock {
  return { ...systemClock, date: () => new Date(statSync(file).ctimeMs) }
}
