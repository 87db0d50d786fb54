// Servers whose bytes are wrong (fault family F). Where one broken frame is enough, it is the answer to the first
// query, so that the handshake before it is sound.
import type { Bytes, Script, Wire } from './script.js'

export const framingFaults = {
  drips: {
    description: 'F01: every byte comes alone.',
    rules: [{ on: '@start', also: true, do: [{ act: 'drip', bytes: 1 }] }],
  },
  'wrong-length': brokenAnswer('F03: Content-Length is three bytes short.', { length: { off: -3 } }),
  'length-in-characters': {
    description: 'F03: Content-Length counts characters; shows as soon as an answer is not ASCII.',
    rules: [{ on: '@request', do: [{ act: 'built-in', wire: { length: { counts: 'characters' } } }] }],
  },
  'negative-length': brokenAnswer('F04: Content-Length is negative.', { length: { says: '-5' } }),
  'hexadecimal-length': brokenAnswer('F04: Content-Length is hexadecimal.', { length: { says: '0x10' } }),
  'huge-frame': brokenAnswer('F05: Content-Length promises 4 GiB.', { length: { says: '4294967296' } }),
  'endless-length': brokenAnswer('F05: Content-Length has 400 digits.', {
    length: { says: '9'.repeat(400) },
  }),
  'zero-length': brokenAnswer('F06: Content-Length is zero.', { length: { says: '0' } }),
  'two-lengths': brokenAnswer('F07: a second, differing Content-Length.', { headers: ['Content-Length: 2'] }),
  'no-length': brokenAnswer('F08: no Content-Length.', { length: 'absent', headers: ['X-Other: 1'] }),
  'lf-only': {
    description: 'F09: header lines end in LF alone.',
    rules: [{ on: '@request', do: [{ act: 'built-in', wire: { lineEnd: '\n' } }] }],
  },
  'header-bomb': brokenBytes('F10: a header of 25 MiB that never ends.', [
    'Content-Length: 4\r\nX-Filler: ',
    { repeat: 'x', times: 25 * 1024 * 1024 },
  ]),
  'many-headers': brokenBytes('F11: ten thousand header lines.', [
    'Content-Length: 4\r\n',
    { repeat: 'X-Line: 1\r\n', times: 10_000 },
    '\r\nnull',
  ]),
  'noise-lines': {
    description: 'F12: a line of text on stdout at the start and before every answer.',
    rules: ['@start', '@any'].map(on => ({
      on,
      also: true,
      do: [{ act: 'raw', bytes: 'Loading plugin fake (1 of 1)\n' }],
    })),
  },
  'noise-flood': brokenBytes('F12: a megabyte of text on stdout that is no frame.', {
    repeat: 'Loading plugin fake (1 of 1)\n',
    times: 36_158,
  }),
  'noise-in-frame': brokenAnswer('F13: a line of text between header and body.', {
    between: 'Loading plugin\n',
  }),
  'floods-stderr': {
    description: 'F14: a hundred megabytes on stderr before the first answer.',
    rules: [
      {
        on: '@query',
        nth: 1,
        also: true,
        do: [
          { act: 'stderr', text: { repeat: 'warning: something is odd here\n', times: 34_953 }, times: 100 },
        ],
      },
    ],
  },
  'invalid-utf8': brokenAnswer('F15: the body holds bytes that are no UTF-8.', { invalidUtf8: true }),
  bom: brokenAnswer('F16: a byte order mark before the JSON.', { bom: true }),
  'invalid-json': {
    description: 'F17: the body of the first answer is cut JSON in a whole frame.',
    rules: [{ on: '@query', nth: 1, do: [{ act: 'frame', body: '{"jsonrpc":"2.0","id":{id},"result":[' }] }],
  },
  'deep-nesting': {
    description: 'F18: the result is nested a hundred thousand deep.',
    rules: [
      {
        on: '@query',
        nth: 1,
        do: [
          {
            act: 'frame',
            body: [
              '{"jsonrpc":"2.0","id":{id},"result":',
              { repeat: '[', times: 100_000 },
              { repeat: ']', times: 100_000 },
              '}',
            ],
          },
        ],
      },
    ],
  },
  batch: {
    description: 'F19: the first answer is a JSON-RPC batch.',
    rules: [
      {
        on: '@query',
        nth: 1,
        do: [{ act: 'send', message: [{ jsonrpc: '2.0', id: '{id}', result: null }] }],
      },
    ],
  },
  'frame-over-cap': {
    description: 'F20: an honest answer of 200 MiB.',
    rules: [
      {
        on: '@query',
        nth: 1,
        do: [
          {
            act: 'frame',
            body: ['{"jsonrpc":"2.0","id":{id},"result":"', { repeat: 'x', times: 200 * 1024 * 1024 }, '"}'],
          },
        ],
      },
    ],
  },
  'cut-frame': brokenAnswer('F21: half a frame, then silence for ever.', { cut: 30 }),
  'dies-mid-frame': {
    description: 'F22: half a frame, then the end of the stream.',
    rules: [
      {
        on: '@query',
        nth: 1,
        run: 1,
        do: [
          { act: 'built-in', wire: { cut: 30 } },
          { act: 'exit', code: 1 },
        ],
      },
    ],
  },
  'foreign-charset': brokenAnswer('F23: Content-Type names another charset.', {
    headers: ['Content-Type: application/vscode-jsonrpc; charset=latin-1'],
  }),
  'stops-reading': {
    description: 'F24: reads no more of its input after the first query, which it does not answer.',
    rules: [{ on: '@query', do: [{ act: 'stop-reading' }, { act: 'hang' }] }],
  },
} satisfies Record<string, Script>

function brokenAnswer(description: string, wire: Wire): Script {
  return { description, rules: [{ on: '@query', nth: 1, do: [{ act: 'built-in', wire }] }] }
}

function brokenBytes(description: string, bytes: Bytes): Script {
  return { description, rules: [{ on: '@query', nth: 1, also: true, do: [{ act: 'raw', bytes }] }] }
}
