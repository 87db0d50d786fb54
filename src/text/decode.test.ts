import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BridgeError } from '../errors.js'
import { decodeSource } from './decode.js'

const mark = [0xef, 0xbb, 0xbf]

describe('W12 W13 bytes of a source file', () => {
  it('W13 give back the text exactly, with or without a byte order mark', () => {
    const texts = fc
      .oneof(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary' }))
      .map(text => text.replace(/\0|\p{Surrogate}/gu, ''))
    fc.assert(
      fc.property(texts, fc.boolean(), (text, bom) => {
        const body = Buffer.from(text)
        const startsWithMark = text.startsWith('\ufeff')
        fc.pre(bom || !startsWithMark)
        const bytes = Buffer.concat([Buffer.from(bom ? mark : []), body])
        expect(decodeSource(bytes, 'a.ts')).toEqual({ text, bom })
      }),
    )
  })

  it('W12 never makes a replacement character that is not in the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        try {
          const { text, bom } = decodeSource(bytes, 'a.ts')
          expect(Buffer.concat([Buffer.from(bom ? mark : []), Buffer.from(text)])).toEqual(Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(BridgeError)
        }
      }),
    )
  })

  it.each([
    ['UTF-16 (little-endian)', Buffer.from('\ufeffconst a', 'utf16le')],
    ['UTF-16 (big-endian)', Buffer.from('\ufeffconst a', 'utf16le').swap16()],
    ['binary, or UTF-16 without a byte order mark', Buffer.from('const a', 'utf16le')],
    ['binary, or UTF-16 without a byte order mark', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
    ['neither UTF-8 nor any Unicode text', Buffer.from('caf\u00e9', 'latin1')],
    ['neither UTF-8 nor any Unicode text', Buffer.from([0xed, 0xa0, 0x80])],
    ['neither UTF-8 nor any Unicode text', Buffer.from([0xc0, 0x80])],
    ['neither UTF-8 nor any Unicode text', Buffer.from([...mark, 0xff])],
  ])('W12 refuses what is %s', (encoding, bytes) => {
    const decode = () => decodeSource(bytes, 'src/a.ts')
    expect(decode).toThrow(`src/a.ts is not UTF-8 text: it is ${encoding}`)
    expect(decode).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
  })

  it('W12 reads a view of a larger buffer, and a NUL far down', () => {
    const large = Buffer.from(`xx\u00e9${'a'.repeat(9000)}\0yy`)
    expect(decodeSource(large.subarray(2, -2), 'a.ts').text).toBe(`\u00e9${'a'.repeat(9000)}\0`)
  })
})
