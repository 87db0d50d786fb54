// The frames of the fake server: true ones are true for any cut into chunks, false ones false in the way asked for.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.js'
import type { Message } from './message.js'
import { handClock } from './testing.js'
import { createDecoder, createOutput, frame, toBuffer } from './wire.js'

test('F01 F02 messages survive any cut into chunks', () => {
  const message = fc.record({
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.string(),
    params: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), fc.integer({ min: 1, max: 50 }), (messages, size) => {
      const bytes = Buffer.concat(messages.map(value => frame(Buffer.from(JSON.stringify(value)))))
      const read: Message[] = []
      const decoder = createDecoder(
        value => read.push(value),
        fault => expect.unreachable(fault),
      )
      for (let from = 0; from < bytes.length; from += size) decoder.push(bytes.subarray(from, from + size))
      expect(JSON.stringify(read)).toBe(JSON.stringify(messages))
    }),
  )
})

test.each([
  ['X: 1\r\n\r\n', 'without a length'],
  ['Content-Length: -5\r\n\r\n', 'without a length'],
  ['Content-Length: 2\r\n\r\n[]', 'no JSON-RPC message'],
  ['Content-Length: 2\r\n\r\n{]', 'no JSON-RPC message'],
])('R-80 the fake tells on a client that writes %j', (text, complaint) => {
  const faults: string[] = []
  const decoder = createDecoder(
    () => expect.unreachable(),
    fault => faults.push(fault),
  )
  decoder.push(Buffer.from(text))
  decoder.push(frame(Buffer.from('{"method":"never"}')))
  expect(faults).toEqual([expect.stringContaining(complaint)])
})

const body = Buffer.from('{"a":"\u00df"}')

test.each([
  ['F03', { length: { off: -3 } }, 'Content-Length: 7\r\n\r\n{"a":"\u00df"}'],
  ['F03', { length: { counts: 'characters' } }, 'Content-Length: 9\r\n\r\n{"a":"\u00df"}'],
  ['F04', { length: { says: '0x10' } }, 'Content-Length: 0x10\r\n\r\n{"a":"\u00df"}'],
  [
    'F07',
    { headers: ['Content-Length: 2'] },
    'Content-Length: 10\r\nContent-Length: 2\r\n\r\n{"a":"\u00df"}',
  ],
  ['F08', { length: 'absent' }, '\r\n{"a":"\u00df"}'],
  ['F09', { lineEnd: '\n' }, 'Content-Length: 10\n\n{"a":"\u00df"}'],
  ['F13', { between: 'noise\n' }, 'Content-Length: 10\r\n\r\nnoise\n{"a":"\u00df"}'],
  ['F16', { bom: true }, 'Content-Length: 13\r\n\r\n\ufeff{"a":"\u00df"}'],
  ['F21', { cut: 10 }, 'Content-Le'],
] as const)('%s a frame lies with %j', (_, wire, written) => {
  expect(frame(body, wire).toString()).toBe(written)
})

test('F15 the spoilt body is no UTF-8, yet a lenient decoder would read it as JSON', () => {
  const spoilt = frame(body, { invalidUtf8: true }).subarray('Content-Length: 26\r\n\r\n'.length)
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(spoilt)).toThrow()
  expect(JSON.parse(new TextDecoder().decode(spoilt))).toMatchObject({ a: '\u00df' })
})

test('F10 F18 bytes are said shortly and written at length', () => {
  expect(toBuffer(['a', { base64: '/w==' }, { repeat: ['b', 'c'], times: 2 }])).toEqual(
    Buffer.from([0x61, 0xff, 0x62, 0x63, 0x62, 0x63]),
  )
  expect(toBuffer({ repeat: '', times: 5 }).length).toBe(0)
})

test('F01 F21 output drips, and is silent once muted', () => {
  const written: string[] = []
  const output = createOutput(bytes => written.push(bytes.toString()), systemClock)
  output.write(Buffer.from('whole'))
  output.drip(2, 0)
  output.write(Buffer.from('drips'))
  output.mute()
  output.write(Buffer.from('never'))
  expect(written).toEqual(['whole', 'dr', 'ip', 's'])
})

test('F21 output that drips in time keeps its order and its pace', () => {
  const clock = handClock()
  const written: string[] = []
  const output = createOutput(bytes => written.push(bytes.toString()), clock)
  output.drip(2, 10)
  output.write(Buffer.from('abc'))
  output.write(Buffer.from('def'))
  expect(written).toEqual(['ab'])
  for (let round = 0; round < 2; round++) clock.advance(10)
  expect(written).toEqual(['ab', 'c', 'de'])
  clock.advance(10)
  expect(written).toEqual(['ab', 'c', 'de', 'f'])
})
