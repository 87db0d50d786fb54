// Servers that go wrong while they start: before, in and after the handshake (fault families S, H, and C for
// deaths at the start).
import type { Act, Rule, Script } from './script.js'

export const handshakeFaults = {
  'shim-without-tool': {
    description:
      'S04: the command exists but the tool behind it does not; says so on stderr and ends with 1.',
    rules: [
      {
        on: '@start',
        do: [
          { act: 'stderr', text: "error: Unknown binary 'fake'\n" },
          { act: 'exit', code: 1 },
        ],
      },
    ],
  },
  'dies-before-initialize': {
    description: 'S05, C01: ends with 1 before it wrote a byte.',
    rules: [{ on: '@start', do: [{ act: 'exit', code: 1 }] }],
  },
  'dies-during-initialize': {
    description: 'C01: ends with 1 when it is asked to initialize.',
    rules: [
      {
        on: 'initialize',
        do: [
          { act: 'stderr', text: 'panic: no memory\n' },
          { act: 'exit', code: 1 },
        ],
      },
    ],
  },
  'dies-after-initialize': {
    description: 'H07: ends between the answer to initialize and `initialized`.',
    rules: [{ on: 'initialize', do: [{ act: 'built-in' }, { act: 'exit', code: 1 }] }],
  },
  'dies-in-a-loop': {
    description: 'C07: ends with 1 after every handshake, at every start.',
    rules: [{ on: 'initialized', do: [{ act: 'exit', code: 1 }] }],
  },
  'silent-on-initialize': {
    description: 'H01: never answers initialize.',
    rules: [{ on: 'initialize', do: [{ act: 'hang' }] }],
  },
  'refuses-initialize-once': {
    description: 'H02: answers the first initialize with an error that invites to try again.',
    rules: [{ on: 'initialize', nth: 1, run: 1, do: [refusal(true)] }],
  },
  'refuses-initialize': {
    description: 'H02: answers every initialize with an error that forbids to try again.',
    rules: [{ on: 'initialize', do: [refusal(false)] }],
  },
  'no-capabilities': {
    description: 'H03: the result of initialize has no capabilities.',
    rules: [{ on: 'initialize', do: [{ act: 'answer', result: {} }] }],
  },
  'null-initialize': {
    description: 'H03: the result of initialize is null.',
    rules: [{ on: 'initialize', do: [{ act: 'answer', result: null }] }],
  },
  'speaks-too-early': {
    description: 'H04: asks and tells before it answered initialize, also what the protocol forbids there.',
    rules: [
      {
        on: 'initialize',
        also: true,
        do: [
          { act: 'notify', method: 'window/logMessage', params: { type: 3, message: 'good morning' } },
          { act: 'request', method: 'workspace/configuration', params: { items: [{ section: 'fake' }] } },
          { act: 'publish', uri: '{root}/early.fake', diagnostics: [] },
        ],
      },
    ],
  },
  'foreign-encoding': {
    description: 'H05: chooses a position encoding that nobody offered.',
    positionEncoding: 'utf-7',
  },
  'huge-capabilities': {
    description: 'H06: the result of initialize has 5 MB.',
    rules: [
      {
        on: 'initialize',
        do: [
          {
            act: 'frame',
            body: [
              '{"jsonrpc":"2.0","id":{id},"result":{"capabilities":{"experimental":"',
              { repeat: 'x', times: 5_000_000 },
              '"}}}',
            ],
          },
        ],
      },
    ],
  },
  'demands-answers': {
    description:
      'H09: asks for configuration, progress and registration, and answers no query before it was answered.',
    rules: blockedUntilAnswered([
      {
        act: 'request',
        method: 'workspace/configuration',
        params: { items: [{ section: 'fake' }, { section: 'fake.other' }] },
        waits: true,
      },
      {
        act: 'request',
        method: 'window/workDoneProgress/create',
        params: { token: 'fake-start' },
        waits: true,
      },
      {
        act: 'request',
        method: 'client/registerCapability',
        params: {
          registrations: [
            {
              id: 'watch',
              method: 'workspace/didChangeWatchedFiles',
              registerOptions: { watchers: [{ globPattern: '**/*.fake' }] },
            },
          ],
        },
        waits: true,
      },
    ]),
  },
  'unknown-server-request': {
    description:
      'R-91, H09: asks for a method that no client knows, under a string id, and blocks until it is answered.',
    rules: blockedUntilAnswered([
      { act: 'request', method: 'fake/unknown', params: { any: true }, id: 'fake-1', waits: true },
    ]),
  },
  'no-server-info': {
    description: 'H10: does not say who it is.',
    serverInfo: null,
  },
  'slow-initialize': {
    description: 'H01: answers initialize only after 20 seconds.',
    rules: [{ on: 'initialize', also: true, do: [{ act: 'delay', milliseconds: 20_000 }] }],
  },
} satisfies Record<string, Script>

function refusal(retry: boolean): Act {
  return { act: 'error', code: -32803, message: 'no licence found', data: { retry } }
}

function blockedUntilAnswered(requests: readonly Act[]): Rule[] {
  return [
    { on: 'initialized', also: true, do: [...requests, { act: 'become-ready' }] },
    { on: '@query', also: true, do: [{ act: 'wait', for: '@ready' }] },
  ]
}
