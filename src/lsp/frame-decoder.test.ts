// The framing rows of the fault matrix, held against the pure decoder: bytes in, events out.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameDecoder, type DecoderEvent, type FrameDecoderOptions } from './frame-decoder.js'

const kibi = 1024
const mebi = 1024 * kibi

function frame(body: string): Buffer {
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function decode(chunks: Iterable<Uint8Array | string>, options?: FrameDecoderOptions): DecoderEvent[] {
  const decoder = createFrameDecoder(options)
  const events: DecoderEvent[] = []
  for (const chunk of chunks) {
    // A copy is overwritten after the push, as a stream may do with its own buffers.
    const copy = Buffer.from(chunk)
    events.push(...decoder.push(copy).map(event => (event.type === 'message' ? detached(event) : event)))
    copy.fill(0)
  }
  events.push(...decoder.end())
  return events
}

function detached(event: Extract<DecoderEvent, { type: 'message' }>): DecoderEvent {
  return { type: 'message', body: Uint8Array.from(event.body) }
}

function bodies(events: readonly DecoderEvent[]): string[] {
  return events.flatMap(event => (event.type === 'message' ? [Buffer.from(event.body).toString()] : []))
}

function noise(events: readonly DecoderEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === 'noise' ? event.bytes : 0), 0)
}

function violation(events: readonly DecoderEvent[]): string | undefined {
  const found = events.flatMap(event => (event.type === 'violation' ? [event.reason] : []))
  expect(found.length).toBeLessThanOrEqual(1)
  if (found.length === 1) expect(events.at(-1)?.type).toBe('violation')
  return found[0]
}

/** Cuts the bytes at the given places, in any order and with any repetition. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index]))
}

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
const places = fc.array(fc.nat({ max: 5000 }), { maxLength: 40 })
const noiseLine = fc
  .string({ unit: 'grapheme', maxLength: 50 })
  .map(line => `${line.replace(/[\n\r]|content-/gi, '.')}\n`)

describe('exact decoding', () => {
  test('F01 F02 any messages in any chunks arrive exactly and in order', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), places, (messages, cuts) => {
        const events = decode(cut(Buffer.concat(messages.map(frame)), cuts))
        expect(bodies(events)).toEqual(messages.map(message => Buffer.from(message).toString()))
        expect(noise(events)).toBe(0)
        expect(violation(events)).toBeUndefined()
      }),
    )
  })

  test('F01 a body larger than the first allocation arrives exactly, byte by byte', () => {
    const body = 'a\u{1f600}'.repeat(kibi * 260)
    const bytes = frame(body)
    const decoder = createFrameDecoder()
    let received: Uint8Array | undefined
    let longestHeld = 0
    for (let index = 0; index < bytes.length; index++) {
      for (const event of decoder.push(bytes.subarray(index, index + 1)))
        if (event.type === 'message') received = event.body
      longestHeld = Math.max(longestHeld, decoder.retainedBytes)
    }
    expect(Buffer.from(received ?? []).equals(Buffer.from(body))).toBe(true)
    expect(longestHeld).toBe(Buffer.byteLength(body))
    expect(decoder.retainedBytes).toBe(0)
  })

  test('R-80 other headers, any order and any letter case are accepted', () => {
    const headers = [
      'Content-Length: 2\r\nX-Other: a: b\r\n\r\n',
      'content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:2\r\n\r\n',
      'Content-Length: 2\r\nContent-Length: 02\r\n\r\n',
    ]
    const events = decode(headers.map(header => `${header}{}`))
    expect(bodies(events)).toEqual(['{}', '{}', '{}'])
    expect(violation(events)).toBeUndefined()
  })
})

describe('headers', () => {
  const refused = (header: string, options?: FrameDecoderOptions) => {
    const events = decode([frame('{"good":1}'), `${header}{}`, frame('{"later":1}')], options)
    expect(bodies(events)).toEqual(['{"good":1}'])
    return violation(events)
  }

  test.each(['-5', '+5', '0x10', '1e9', '10abc', '', ' ', '  5', '5 ', '5 5', '5,5', '5.0', '\t5', '\u0665'])(
    'F04 the length %j is refused',
    length => {
      expect(refused(`Content-Length: ${length}\r\n\r\n`)).toBe('bad-length')
    },
  )

  test('F05 a length of 4 GiB or of 400 digits is refused at its line, without memory', () => {
    const decoder = createFrameDecoder()
    expect(violation(decoder.push(Buffer.from('Content-Length: 4294967296\r\n')))).toBe('frame-too-large')
    expect(decoder.retainedBytes).toBe(0)
    expect(refused(`Content-Length: ${'9'.repeat(400)}\r\n\r\n`)).toBe('bad-length')
  })

  test('F06 a length of zero is refused', () => {
    expect(refused('Content-Length: 0\r\n\r\n')).toBe('empty-frame')
  })

  test('F07 two different lengths are refused, whichever comes last', () => {
    expect(refused('Content-Length: 2\r\nContent-Length: 3\r\n\r\n')).toBe('conflicting-length')
    expect(refused('Content-Length: 3\r\nX-A: b\r\nContent-Length: 2\r\n\r\n')).toBe('conflicting-length')
  })

  test('F08 a header without a length is refused, after noise too', () => {
    expect(refused('Content-Type: application/json\r\n\r\n')).toBe('missing-length')
    expect(refused('starting\nContent-Type: application/json\r\n\r\n')).toBe('missing-length')
  })

  test('F09 LF alone ends a header line only where the quirk allows it', () => {
    expect(refused('Content-Length: 2\n\n')).toBe('bare-line-feed')
    const events = decode(['Content-Length: 2\n\n{}Content-Length: 2\r\n\n[]'], { allowLineFeedOnly: true })
    expect(bodies(events)).toEqual(['{}', '[]'])
    expect(violation(events)).toBeUndefined()
  })

  test.each([1, 7, 64 * kibi, 25 * mebi])(
    'F10 a header bomb in chunks of %i bytes is cut at 8 KiB',
    chunkSize => {
      const decoder = createFrameDecoder()
      decoder.push(Buffer.from('Content-Length: 5\r\nX-Bomb: '))
      const chunk = Buffer.alloc(chunkSize, 'a')
      let events: DecoderEvent[] = []
      let pushed = 0
      while (events.length === 0 && pushed < 25 * mebi) {
        events = decoder.push(chunk)
        pushed += chunkSize
        expect(decoder.retainedBytes).toBeLessThanOrEqual(8 * kibi)
      }
      expect(violation(events)).toBe('header-too-long')
      expect(pushed).toBeLessThanOrEqual(Math.max(8 * kibi, chunkSize))
      expect(decoder.push(frame('{}'))).toEqual([])
    },
  )

  test('F11 a header has at most 32 lines', () => {
    const lines = (count: number) => `Content-Length: 2\r\n${'A: b\r\n'.repeat(count - 1)}\r\n`
    expect(bodies(decode([lines(32), '{}']))).toEqual(['{}'])
    expect(refused(lines(33))).toBe('too-many-header-lines')
    expect(refused(lines(10_000), { maxHeaderBytes: mebi })).toBe('too-many-header-lines')
  })

  test('F13 noise inside a header is refused', () => {
    expect(refused('Content-Length: 2\r\nWARN something\r\n\r\n')).toBe('malformed-header')
    expect(refused('Content-Length: 2\r\nWARN: something\n\r\n')).toBe('bare-line-feed')
  })

  test('F20 a frame over the limit is refused at its header and nothing follows', () => {
    const limit = { maxFrameBytes: 100 }
    expect(refused('Content-Length: 101\r\n', limit)).toBe('frame-too-large')
    expect(bodies(decode([frame('x'.repeat(100))], limit))).toEqual(['x'.repeat(100)])
  })

  test('F23 only UTF-8 is accepted as a charset', () => {
    for (const charset of ['utf-8', 'utf8', 'UTF-8', '"utf-8"'])
      expect(
        bodies(decode([`Content-Type: a/b; charset=${charset}\r\nContent-Length: 2\r\n\r\n{}`])),
      ).toEqual(['{}'])
    for (const charset of ['utf-16', 'latin1', 'utf-80', ''])
      expect(refused(`Content-Type: a/b; charset=${charset}\r\nContent-Length: 2\r\n\r\n`)).toBe(
        'unsupported-charset',
      )
  })
})

describe('noise', () => {
  test('F12 noise lines between messages lose no message and are counted to the byte', () => {
    const part = fc.tuple(fc.array(noiseLine, { maxLength: 4 }), text)
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), places, (parts, cuts) => {
        const lines = parts.map(([noiseLines]) => Buffer.from(noiseLines.join('')))
        const stream = parts.flatMap(([, message], index) => [
          lines[index] ?? Buffer.alloc(0),
          frame(message),
        ])
        const events = decode(cut(Buffer.concat(stream), cuts))
        expect(bodies(events)).toEqual(parts.map(([, message]) => Buffer.from(message).toString()))
        expect(noise(events)).toBe(Buffer.concat(lines).length)
        expect(violation(events)).toBeUndefined()
      }),
    )
  })

  test('F12 noise that looks a little like a header is still noise', () => {
    const lines = 'Content of the file\nContent-Lengths\n\r\n[info] sending Content-Length: 52\r\nnext\ncon\n'
    for (const chunks of [[`${lines}`], lines.split('')]) {
      const events = decode([frame('{}'), ...chunks, frame('[]')])
      expect(bodies(events)).toEqual(['{}', '[]'])
      expect(noise(events)).toBe(lines.length)
    }
  })

  test('F12 64 KiB of noise before one frame are the limit, and the count starts again after each frame', () => {
    const most = `${'n'.repeat(64 * kibi - 1)}\n`
    const events = decode([most, frame('{}'), most, frame('[]'), `${most}n`, frame('"late"')])
    expect(bodies(events)).toEqual(['{}', '[]'])
    expect(violation(events)).toBe('too-much-noise')
    expect(noise(events)).toBe(3 * 64 * kibi + 1)
  })

  test('F12 F16 before the first message a banner without a line end or a byte order mark is noise', () => {
    for (const banner of ['Starting server...', '\ufeff', 'two\nlines', 'Content-Content-']) {
      const bytes = Buffer.concat([Buffer.from(banner), frame('{}'), frame('[]')])
      for (const chunks of [[bytes], cut(bytes, [...bytes.keys()])]) {
        const events = decode(chunks)
        expect(bodies(events)).toEqual(['{}', '[]'])
        expect(noise(events)).toBe(Buffer.byteLength(banner))
      }
    }
    const typed = decode(['banner Content-Length: 2\r\nContent-Type: a/b\r\n\r\n{}'])
    expect(bodies(typed)).toEqual(['{}'])
  })

  test('F03 a length that counts characters is noticed at the next header', () => {
    const bad = '{"name":"h\u00e9h\u00e9"}'
    const events = decode([`Content-Length: ${bad.length}\r\n\r\n${bad}`, frame('{"next":1}'), frame('{}')])
    expect(bodies(events)).toHaveLength(1)
    expect(violation(events)).toBe('header-inside-line')
  })

  test('F13 noise between header and body makes the next header stand inside a line', () => {
    const events = decode(['Content-Length: 7\r\n\r\nnoise\n{"a":1}', frame('{}'), frame('[]')])
    expect(bodies(events)).toEqual(['noise\n{'])
    expect(violation(events)).toBe('header-inside-line')
  })
})

describe('end and hostile bytes', () => {
  test('F22 a stream that ends inside a frame was cut off, wherever it ends', () => {
    const bytes = frame('{"a":1}')
    for (let length = 1; length < bytes.length; length++)
      expect(violation(decode([frame('{}'), bytes.subarray(0, length)]))).toBe('truncated-frame')
    expect(decode([frame('{}')]).map(event => event.type)).toEqual(['message'])
    expect(noise(decode([frame('{}'), 'bye']))).toBe(3)
    expect(noise(decode([frame('{}'), 'log Content-Length: 3\r\n']))).toBe(23)
  })

  test('R-81 random bytes never throw, and memory stays under the caps', () => {
    const token = fc.constantFrom(
      'Content-Length: ',
      'content-type: ',
      '7',
      '900',
      '99999999999',
      '\r\n',
      '\n',
      '\r\n\r\n',
      '{"a":1}',
      'noise',
      ': ',
    )
    const chunk = fc.oneof(
      token.map(value => Buffer.from(value)),
      fc.uint8Array({ maxLength: 200 }).map(value => Buffer.from(value)),
      fc.tuple(token, fc.nat({ max: 900 })).map(([value, times]) => Buffer.from(value.repeat(times))),
    )
    const options = fc.record({
      maxFrameBytes: fc.constant(1000),
      maxHeaderBytes: fc.constantFrom(1, 100, 8192),
      maxNoiseBytes: fc.constantFrom(0, 50, 65_536),
      allowLineFeedOnly: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 60 }), options, (chunks, limits) => {
        const decoder = createFrameDecoder(limits)
        let pushed = 0
        let handedOut = 0
        let isOver = false
        for (const bytes of chunks) {
          pushed += bytes.length
          const events = decoder.push(bytes)
          if (isOver) expect(events).toEqual([])
          for (const event of events) {
            if (event.type === 'message') handedOut += event.body.length
            if (event.type === 'noise') handedOut += event.bytes
          }
          isOver ||= violation(events) !== undefined
          expect(handedOut).toBeLessThanOrEqual(pushed)
          expect(decoder.retainedBytes).toBeLessThanOrEqual(1000 + 64 * kibi)
          if (isOver) expect(decoder.retainedBytes).toBeLessThanOrEqual(64)
        }
        decoder.end()
        expect(decoder.push(frame('{}'))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('R-81 a promised length takes memory only as its bytes arrive', () => {
    const decoder = createFrameDecoder()
    decoder.push(Buffer.from(`Content-Length: ${60 * mebi}\r\n\r\n{`))
    expect(decoder.retainedBytes).toBeLessThanOrEqual(mebi)
    expect(decoder.insideFrame).toBe(true)
  })

  test('F10 the same events come for the same bytes, however they are cut', () => {
    const garbage = fc.array(
      fc.constantFrom('Content-Length: 4', '\r\n', '\r\n\r\n', '{"a"', 'x', '\n', 'Content-Type: a', 'Con'),
      { maxLength: 40 },
    )
    const summary = (events: readonly DecoderEvent[]) => [bodies(events), noise(events), violation(events)]
    fc.assert(
      fc.property(garbage, places, fc.boolean(), (parts, cuts, allowLineFeedOnly) => {
        const bytes = Buffer.from(parts.join(''))
        const whole = summary(decode([bytes], { allowLineFeedOnly }))
        expect(summary(decode(cut(bytes, cuts), { allowLineFeedOnly }))).toEqual(whole)
        expect(summary(decode(cut(bytes, [...bytes.keys()]), { allowLineFeedOnly }))).toEqual(whole)
      }),
      { numRuns: 300 },
    )
  })
})
