// Servers that say of their own accord what a client must survive, refuse or ignore (fault family P, from the
// server's side): floods, forbidden requests, registrations that come and go.
import type { Act, Json, Script } from './script.js'

export const requestFaults = {
  'floods-log': {
    description: 'P20: ten thousand log messages before each answer.',
    rules: [
      {
        on: '@query',
        also: true,
        do: [
          {
            act: 'notify',
            method: 'window/logMessage',
            params: { type: 4, message: 'working on it, step {index}' },
            times: 10_000,
          },
        ],
      },
    ],
  },
  'applies-edits': asks('P24: asks the client to change a file.', 'workspace/applyEdit', {
    edit: {
      documentChanges: [
        {
          textDocument: { uri: '{uri}', version: null },
          edits: [
            {
              range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
              newText: 'changed by the server\n',
            },
          ],
        },
      ],
    },
  }),
  'shows-documents': asks('P25: asks the client to open a page.', 'window/showDocument', {
    uri: 'https://example.invalid/',
    external: true,
  }),
  'asks-the-user': asks('P25: asks the user a question.', 'window/showMessageRequest', {
    type: 1,
    message: 'Delete everything?',
    actions: [{ title: 'Yes' }],
  }),
  'client-only-methods': {
    description: 'P26: sends the client what only a client may send.',
    rules: [
      {
        on: '@query',
        also: true,
        do: [
          { act: 'request', method: 'textDocument/hover', params: {} },
          { act: 'request', method: 'shutdown' },
          { act: 'notify', method: 'exit' },
        ],
      },
    ],
  },
  'registers-late': {
    description: 'P27, R-95: offers references only by registering them after the handshake.',
    capabilities: { referencesProvider: null },
    rules: [{ on: 'initialized', also: true, do: [registration()] }],
  },
  unregisters: {
    description: 'P27: withdraws references while the first query for them is being answered.',
    capabilities: { referencesProvider: null },
    rules: [
      { on: 'initialized', also: true, do: [registration()] },
      {
        on: 'textDocument/references',
        nth: 1,
        do: [
          // Answered first, or the server itself would refuse the method it withdrew; sent in one go all the same.
          { act: 'built-in' },
          {
            act: 'request',
            method: 'client/unregisterCapability',
            params: { unregisterations: [{ id: 'late', method: 'textDocument/references' }] },
          },
        ],
      },
    ],
  },
  'wild-progress': {
    description: 'P28: progress under a token never created, begun twice and ended twice.',
    rules: [
      {
        on: 'initialized',
        also: true,
        do: ['begin', 'begin', 'end', 'end'].map(kind => ({
          act: 'notify' as const,
          method: '$/progress',
          params: { token: 'never-created', value: { kind, title: 'Odd' } },
        })),
      },
    ],
  },
  'asks-for-secrets': asks(
    'P29: asks for settings that are none of its business.',
    'workspace/configuration',
    {
      items: [{ section: 'http.proxyAuthorization' }, { section: 'aws.secretAccessKey' }, {}],
    },
  ),
  'tells-telemetry': {
    description: 'P30: sends source code as telemetry.',
    rules: [
      {
        on: '@query',
        also: true,
        do: [{ act: 'notify', method: 'telemetry/event', params: { source: '{text}' } }],
      },
    ],
  },
} satisfies Record<string, Script>

function asks(description: string, method: string, params: Json): Script {
  return { description, rules: [{ on: '@query', also: true, do: [{ act: 'request', method, params }] }] }
}

function registration(): Act {
  return {
    act: 'request',
    method: 'client/registerCapability',
    params: {
      registrations: [
        {
          id: 'late',
          method: 'textDocument/references',
          registerOptions: { documentSelector: [{ language: 'fake' }] },
        },
      ],
    },
  }
}
