// Servers whose frames are sound and whose answers are not (fault family P): answers that belong to nobody, come
// twice or late, have the wrong shape or are errors.
import type { Act, Json, Script } from './script.js'

export const answerFaults = {
  'unknown-id': {
    description: 'P01: before each answer another one, to a request nobody made.',
    rules: [{ on: '@query', also: true, do: [{ act: 'answer', result: 'to nobody', id: 'unknown' }] }],
  },
  'id-zero': {
    description: 'P01, R-82: before each answer another one with id 0, and a request under id 0.',
    rules: [
      {
        on: '@query',
        also: true,
        do: [
          { act: 'answer', result: 'to nobody', id: 'zero' },
          { act: 'request', method: 'workspace/configuration', params: { items: [{}] }, id: 0 },
        ],
      },
    ],
  },
  'answers-twice': {
    description: 'P02, H08: every answer comes twice.',
    rules: [{ on: '@request', do: [{ act: 'built-in', times: 2 }] }],
  },
  'string-id': {
    description: 'P03: answers to queries carry the id as a string.',
    rules: [{ on: '@query', do: [{ act: 'built-in', id: 'as-string' }] }],
  },
  'answers-late': {
    description: 'P04: answers a query only after it was cancelled.',
    rules: [{ on: '@query', also: true, do: [{ act: 'wait', for: '@cancel' }] }],
  },
  'out-of-order': {
    description: 'P01, O2: answers the first query only after the second came and was answered.',
    rules: [
      {
        on: '@query',
        nth: 1,
        also: true,
        do: [{ act: 'wait', for: '@query' }],
      },
    ],
  },
  'result-and-error': {
    description: 'P05: answers hold both a result and an error.',
    rules: [
      {
        on: '@query',
        do: [{ act: 'respond', members: { result: [], error: { code: -32603, message: 'and an error' } } }],
      },
    ],
  },
  'neither-result-nor-error': {
    description: 'P05: answers hold neither a result nor an error.',
    rules: [{ on: '@query', do: [{ act: 'respond', members: {} }] }],
  },
  'null-results': {
    description: 'P06: every result is null.',
    rules: [{ on: '@query', do: [{ act: 'answer', result: null }] }],
  },
  'wrong-shape': {
    description: 'P07: every result is a string.',
    rules: [{ on: '@query', do: [{ act: 'answer', result: 'not what was asked for' }] }],
  },
  'content-modified-3': errors('P10, R-84: ContentModified three times, then the answer.', {
    code: -32801,
    message: 'content modified',
    times: 3,
  }),
  'content-modified-4': errors('P10, R-84: ContentModified four times, then the answer.', {
    code: -32801,
    message: 'content modified',
    times: 4,
  }),
  'server-cancelled': errors('P11: ServerCancelled once, with the wish to be asked again.', {
    code: -32802,
    message: 'server cancelled',
    data: { retriggerRequest: true },
    times: 1,
  }),
  'request-cancelled': errors('P12: RequestCancelled once, though nobody cancelled.', {
    code: -32800,
    message: 'request cancelled',
    times: 1,
  }),
  'request-failed': errors('P13: RequestFailed always.', { code: -32803, message: 'cannot do this here' }),
  'method-not-found': errors('P14: MethodNotFound for what was announced.', {
    code: -32601,
    message: 'unhandled method',
  }),
  'not-initialized': errors('P15: ServerNotInitialized after the handshake.', {
    code: -32002,
    message: 'server not initialized',
  }),
  'huge-error': {
    description: 'P16: an error with a broken code and a message of 5 MB.',
    rules: [
      {
        on: '@query',
        do: [
          {
            act: 'frame',
            body: [
              '{"jsonrpc":"2.0","id":{id},"error":{"code":1.5e300,"message":"',
              { repeat: 'x', times: 5_000_000 },
              '"}}',
            ],
          },
        ],
      },
    ],
  },
  'wild-positions': {
    description: 'P17: locations with negative, far and inexact positions.',
    rules: [
      {
        on: '@query',
        do: [
          {
            act: 'answer',
            result: [
              location('{uri}', -1, -1),
              location('{uri}', 0, 1_000_000),
              location('{uri}', 2 ** 53, 2 ** 53),
            ],
          },
        ],
      },
    ],
  },
  'wild-uris': {
    description: 'P18, W27: locations under URIs that are no file of the workspace.',
    rules: [
      {
        on: '@query',
        do: [
          {
            act: 'answer',
            result: [
              'untitled:one',
              'jdt://contents/a.class',
              'http://example.invalid/a.fake',
              'file:///%zz',
              'file://host/share/a.fake',
              '../a.fake',
              'file:///etc/shadow',
            ].map(uri => location(uri, 0, 0)),
          },
        ],
      },
    ],
  },
  'million-references': {
    description: 'P19: a million locations in one answer.',
    rules: [
      {
        on: '@query',
        do: [
          {
            act: 'frame',
            body: [
              '{"jsonrpc":"2.0","id":{id},"result":[',
              { repeat: `${JSON.stringify(location('{uri}', 0, 0))},`, times: 999_999 },
              `${JSON.stringify(location('{uri}', 0, 0))}]}`,
            ],
          },
        ],
      },
    ],
  },
} satisfies Record<string, Script>

function errors(
  description: string,
  error: { code: number; message: string; data?: Json; times?: number },
): Script {
  const { code, message, data, times } = error
  const act: Act = { act: 'error', code, message, ...(data === undefined ? {} : { data }) }
  return {
    description,
    rules: [{ on: '@query', ...(times === undefined ? {} : { nth: { to: times } }), do: [act] }],
  }
}

function location(uri: string, line: number, character: number) {
  return { uri, range: { start: { line, character }, end: { line, character } } }
}
