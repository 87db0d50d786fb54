// Servers that die, hang or will not go (fault family C).
import type { Rule, Script } from './script.js'

/** Deaf to every polite way of being ended. */
const staysAnyway: readonly Rule[] = [
  { on: 'exit', do: [] },
  { on: '@end', do: [] },
]

export const processFaults = {
  'dies-idle': {
    description: 'C02: ends with 1 once, a moment after the first handshake, with nothing asked of it.',
    rules: [
      {
        on: 'initialized',
        run: 1,
        do: [
          { act: 'delay', milliseconds: 50 },
          { act: 'exit', code: 1 },
        ],
      },
    ],
  },
  'dies-mid-request': {
    description: 'C03: is killed at the first query; the next start is sound.',
    rules: [
      {
        on: '@query',
        run: 1,
        do: [
          { act: 'stderr', text: 'panic: index out of range\n' },
          { act: 'exit', signal: 'SIGKILL' },
        ],
      },
    ],
  },
  'dies-on-poison': {
    description: 'C04, C17: crashes at every query about a file whose name ends in poison.fake.',
    rules: [{ on: '@query', file: 'poison.fake', do: [{ act: 'exit', signal: 'SIGSEGV' }] }],
  },
  'dies-in-shutdown': {
    description: 'C05: ends with 1 when it is asked to shut down.',
    rules: [{ on: 'shutdown', do: [{ act: 'exit', code: 1 }] }],
  },
  'exits-unasked': {
    description: 'C18: ends with 0 at the first query, as if that were in order.',
    rules: [{ on: '@query', run: 1, do: [{ act: 'exit', code: 0 }] }],
  },
  'silent-on-queries': {
    description: 'C09, R-85: never answers a query.',
    rules: [{ on: '@query', do: [{ act: 'hang' }] }],
  },
  'ignores-shutdown': {
    description: 'C10: answers neither shutdown nor exit, and outlives its input; SIGTERM ends it.',
    rules: [{ on: 'shutdown', do: [{ act: 'hang' }] }, ...staysAnyway],
  },
  'ignores-sigterm': {
    description: 'C11: answers shutdown but stays, and ignores SIGTERM; only SIGKILL ends it.',
    rules: [{ on: '@start', also: true, do: [{ act: 'ignore-signal', signal: 'SIGTERM' }] }, ...staysAnyway],
  },
  grandchild: {
    description: 'C15: starts a process in a session of its own, which outlives it.',
    rules: [{ on: 'initialized', also: true, do: [{ act: 'grandchild' }] }],
  },
  'grandchild-holds-pipes': {
    description:
      'C15: as grandchild, and that process keeps the pipes open: they do not close when the server ends.',
    rules: [{ on: 'initialized', also: true, do: [{ act: 'grandchild', holdsPipes: true }] }],
  },
} satisfies Record<string, Script>
