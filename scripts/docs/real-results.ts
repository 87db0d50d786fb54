// What the conformance suite proved against the real servers, as a table. Only what stands in the committed results is
// said; a server without results has no row.
import * as z from 'zod'
import { code, table } from './markdown.js'

/** The part of test/real/results.json that is shown. */
const resultsSchema = z.object({
  servers: z.record(
    z.string(),
    z.object({
      name: z.string(),
      version: z.string(),
      diagnostics: z.string(),
      operations: z.record(z.string(), z.object({ verdict: z.string(), reason: z.string().optional() })),
    }),
  ),
})

export type RealResults = z.infer<typeof resultsSchema>

export function parseResults(text: string): RealResults {
  return resultsSchema.parse(JSON.parse(text))
}

export function resultsPart({ servers }: RealResults): string[] {
  const entries = Object.entries(servers)
  const operations = [...new Set(entries.flatMap(([, { operations }]) => Object.keys(operations)))]
  const rows = entries.map(([id, server]) => [
    code(id),
    `${server.name} ${server.version}`,
    server.diagnostics,
    ...operations.map(name => server.operations[name]?.verdict ?? ''),
  ])
  const gaps = entries.flatMap(([id, server]) =>
    Object.entries(server.operations).flatMap(([name, { verdict, reason }]) =>
      reason === undefined || reason === '' ? [] : [`- ${code(id)} ${code(name)}, ${verdict}: ${reason}.`],
    ),
  )
  return [
    '## Proven against the real server',
    'The suite in `test/real` asks every server the same questions about a two-file project, through the bridge: the first answer must be right, edits on disk must show at the next question, closing must leave no process. The verdict is the one its answers carried in a trusted workspace.',
    table(['Server', 'Version', 'Diagnostics', ...operations.map(code)], rows),
    ...(gaps.length === 0 ? [] : [gaps.join('\n')]),
  ]
}
