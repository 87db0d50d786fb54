// What the suite found out about each server, as committed data: the documentation says of a server only what stands
// here. Written by a run with ALIDADE_WRITE_RESULTS=1, read by whoever generates documentation.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { serverDefinitions } from '../../src/servers/index.js'

const operationResult = z.union([
  z.object({ verdict: z.literal('complete') }),
  z.object({
    /** `not asked` says nothing of the server: the suite had nothing to ask with. */
    verdict: z.enum(['partial', 'unknown', 'missing', 'not asked']),
    reason: z.string(),
    hint: z.string().optional(),
  }),
])

const serverResult = z.object({
  /** As it calls itself. */
  name: z.string(),
  version: z.string(),
  language: z.string(),
  /** From the start of its process to the first complete answer about two small files, on the machine of the run. */
  first_answer_ms: z.number().int(),
  /** How its diagnostics are had: it is asked in LSP's way, it sends them, or it has a request of its own. */
  diagnostics: z.enum(['pulled', 'pushed', 'own request']),
  /** By operation. */
  operations: z.record(z.string(), operationResult),
  /** The names of the capabilities it declared in the handshake. */
  capabilities: z.array(z.string()),
  /** The methods it registered later. */
  registered: z.array(z.string()),
})

const resultsSchema = z.object({
  /** By operation: the requests it makes, of whichever server. */
  requests: z.record(z.string(), z.array(z.string())),
  servers: z.record(z.string(), serverResult),
})

export type OperationResult = z.infer<typeof operationResult>
export type ServerResult = z.infer<typeof serverResult>
export type Results = z.infer<typeof resultsSchema>

const file = join(import.meta.dirname, 'results.json')

/** Throws when a part is missing. */
export function parseServerResult(found: unknown): ServerResult {
  return serverResult.parse(found)
}

export function readResults(): Results {
  return resultsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** What was found now takes the place of what was found before, server by server: each ran as a whole. */
export function mergeResults(found: Results, operations: readonly string[]): void {
  const before = readIfFitting()
  const servers = { ...before.servers, ...found.servers }
  const requests = operations.map(name => {
    const methods = [...(before.requests[name] ?? []), ...(found.requests[name] ?? [])]
    return [name, [...new Set(methods)].sort()] as const
  })
  const known = serverDefinitions.flatMap(({ id }) => (servers[id] === undefined ? [] : [[id, servers[id]]]))
  writeResults({ requests: Object.fromEntries(requests), servers: Object.fromEntries(known) })
}

/** Nothing where the results are of an older form. */
function readIfFitting(): Results {
  const parsed = resultsSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return parsed.data ?? { requests: {}, servers: {} }
}

function writeResults(results: Results): void {
  writeFileSync(file, JSON.stringify(results))
  const biome = resolve(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome')
  execFileSync(process.execPath, [biome, 'format', '--write', file])
}

export const writesResults = process.env.ALIDADE_WRITE_RESULTS === '1'
