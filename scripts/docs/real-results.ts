// What the conformance suite proved against the real servers, as tables. Only what stands in the committed results is
// said; a server without results has no row.
import * as z from 'zod'
import { code, table } from './markdown.js'

const operationResult = z.object({ verdict: z.string(), reason: z.string().optional() })

/** The part of test/real/results.json that is shown. */
const resultsSchema = z.object({
  requests: z.record(z.string(), z.array(z.string())),
  servers: z.record(
    z.string(),
    z.object({
      name: z.string(),
      version: z.string(),
      diagnostics: z.string(),
      capabilities: z.array(z.string()).optional(),
      registered: z.array(z.string()).optional(),
      operations: z.record(z.string(), operationResult),
    }),
  ),
})

export type RealResults = z.infer<typeof resultsSchema>
type ServerResult = RealResults['servers'][string]

export function parseResults(text: string): RealResults {
  return resultsSchema.parse(JSON.parse(text))
}

const proof =
  'The suite in `test/real` asks every server about a small project, through the bridge: the first answer must be right, edits on disk must show at the next question, what is proposed must be written as proposed, closing must leave no process. The verdict is the one its answers carried in a trusted workspace.'

/** Every server, with what it was shown to lack. */
export function resultsPart({ servers }: RealResults): string[] {
  const rows = Object.entries(servers).map(([id, server]) => [
    code(id),
    `${server.name} ${server.version}`,
    server.diagnostics,
    ...verdicts.map(({ verdict }) => String(operationsWith(server, verdict).length)),
  ])
  const head = ['Server', 'Version', 'Diagnostics', ...verdicts.map(({ verdict }) => verdict)]
  return [
    '## Proven against the real server',
    `${proof} How many operations are answered how; [operations](operations.md#which-server-answers-what) has the table of all.`,
    table(head, rows),
    ...Object.entries(servers).flatMap(([id, server]) => {
      const lines = gapsOf(server)
      return lines.length === 0 ? [] : [[`${code(id)}:`, '', ...lines].join('\n')]
    }),
  ]
}

/** What a server's own section says of it. */
export function proofOf(id: string, results: RealResults | undefined): string[] {
  const found = results?.servers[id]
  if (found === undefined) return []
  const { capabilities = [], registered = [] } = found
  const later = registered.length === 0 ? '' : `; registers later ${registered.map(code).join(', ')}`
  return [
    `- Proven by: the real server, ${found.name} ${found.version}`,
    `- Diagnostics are ${found.diagnostics === 'own request' ? 'had by a request of its own' : found.diagnostics}`,
    ...(capabilities.length === 0 ? [] : [`- Declares ${capabilities.map(code).join(', ')}${later}`]),
  ]
}

const verdicts = [
  { verdict: 'complete', cell: 'yes', words: 'complete answers' },
  { verdict: 'partial', cell: 'part', words: 'answers that say what they lack' },
  { verdict: 'unknown', cell: '?', words: 'answers that say that nobody knows' },
  { verdict: 'missing', cell: '-', words: 'not offered, and a call says so' },
  { verdict: 'not asked', cell: '.', words: 'not asked by the suite' },
] as const

/** More columns than this nobody can read, nor show. */
const mostColumns = 8

/** Operations by servers, in tables narrow enough to be read. */
export function matrixPart({ servers }: RealResults, operations: readonly string[]): string[] {
  const entries = Object.entries(servers)
  const count = Math.ceil(entries.length / mostColumns)
  const width = Math.ceil(entries.length / count)
  const groups = Array.from({ length: count }, (_, at) => entries.slice(at * width, (at + 1) * width))
  const cellOf = (server: ServerResult, operation: string) => {
    const found = server.operations[operation]?.verdict
    return verdicts.find(({ verdict }) => verdict === found)?.cell ?? ''
  }
  const matrix = (group: typeof entries) =>
    table(
      ['Operation', ...group.map(([id]) => code(id))],
      operations.map(operation => [
        `[${code(operation)}](#${operation})`,
        ...group.map(([, server]) => cellOf(server, operation)),
      ]),
    )
  const legend = verdicts.map(({ cell, words }) => `\`${cell}\` ${words}`).join('; ')
  return [
    '## Which server answers what',
    `${proof} In the tables: ${legend}. The reasons stand with the [servers](servers.md#proven-against-the-real-server).`,
    ...groups.map(matrix),
  ]
}

function operationsWith(server: ServerResult, wanted: string): string[] {
  return Object.entries(server.operations)
    .filter(([, { verdict }]) => verdict === wanted)
    .map(([name]) => name)
}

/** Each reason once, with all operations it is the reason of. */
function gapsOf({ operations }: ServerResult): string[] {
  const byReason = new Map<string, string[]>()
  for (const [name, { verdict, reason = '' }] of Object.entries(operations)) {
    if (verdict === 'complete') continue
    // That the protocol's method is not offered is the same reason for all of them.
    const words = / does not offer \S+, which \w+ needs$/.test(reason)
      ? 'not offered'
      : `${verdict}: ${reason}`
    byReason.set(words, [...(byReason.get(words) ?? []), code(name)])
  }
  return [...byReason].map(([reason, names]) => `- ${names.join(', ')} ${reason}.`)
}
