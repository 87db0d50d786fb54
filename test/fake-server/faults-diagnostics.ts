// Servers whose diagnostics mislead about which content they are true for (fault family D, and P for publishing).
import type { Script } from './script.js'

export const diagnosticsFaults = {
  'slow-diagnostics': {
    description: 'D01: tells diagnostics only 20 seconds after a change.',
    diagnostics: 'push-versioned',
    rules: [{ on: 'textDocument/didChange', also: true, do: [{ act: 'delay', milliseconds: 20_000 }] }],
  },
  'old-diagnostics': {
    description:
      'P22, D02: after a change tells the diagnostics of the version before, never those of the new one.',
    diagnostics: 'push-versioned',
    rules: [
      {
        on: 'textDocument/didChange',
        do: [{ act: 'publish', version: 'previous', content: 'previous' }],
      },
    ],
  },
  'old-diagnostics-unversioned': {
    description: 'D02: as old-diagnostics, and without saying which version they are of.',
    diagnostics: 'push',
    rules: [{ on: 'textDocument/didChange', do: [{ act: 'publish', version: 'none', content: 'previous' }] }],
  },
  'future-diagnostics': {
    description: 'P23: tells clean diagnostics for a version the client never sent.',
    diagnostics: 'push-versioned',
    rules: [{ on: 'textDocument/didChange', do: [{ act: 'publish', version: 'future', diagnostics: [] }] }],
  },
  'flapping-diagnostics': {
    description: 'D05: after a change first tells that all is well, then the truth.',
    rules: [{ on: 'textDocument/didChange', also: true, do: [{ act: 'publish', diagnostics: [] }] }],
  },
  'silent-diagnostics': {
    description: 'O9, D01: never tells any diagnostics, though it can.',
    diagnostics: 'push',
    rules: [
      { on: 'textDocument/didOpen', do: [] },
      { on: 'textDocument/didChange', do: [] },
    ],
  },
  'foreign-diagnostics': {
    description: 'P21: tells diagnostics of a file outside the roots.',
    rules: [
      {
        on: 'textDocument/didOpen',
        also: true,
        do: [
          {
            act: 'publish',
            uri: 'file:///outside/of/all/roots.fake',
            diagnostics: [
              {
                range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
                severity: 1,
                message: 'ERROR outside',
              },
            ],
          },
        ],
      },
    ],
  },
  'floods-diagnostics': {
    description: 'P20: tells the diagnostics of one file ten thousand times.',
    rules: [{ on: 'textDocument/didOpen', do: [{ act: 'publish', times: 10_000 }] }],
  },
} satisfies Record<string, Script>
