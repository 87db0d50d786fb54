// An extract of the log that carries its own proof: the chosen records as they stand, and a last line with the hash of
// all of them, with the first and last record of each chain, and with where the chains ended at that time.
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { computedHash, partsOf } from './line.js'
import type { ChainState } from './link.js'
import { type ReadOptions, type RecordFilter, readLog, type StoredLine } from './read.js'
import type { KnownRecord, LogVerdict } from './verify.js'

const state = z.object({ seq: z.number().int().nonnegative(), hash: z.string() })

const proofSchema = z.object({
  kind: z.literal('export_proof'),
  format: z.literal(1),
  workspace: z.string(),
  exported_at: z.string(),
  filter: z.object({
    since: z.string().optional(),
    until: z.string().optional(),
    kinds: z.array(z.string()).optional(),
    id: z.string().optional(),
  }),
  records: z.number().int().nonnegative(),
  /** Of all lines before this one, line feeds included. */
  digest: z.string(),
  /** What the log was found to be when it was exported. */
  log: z.enum(['sound', 'bad', 'absent']),
  chains: z.array(
    z.object({
      chain: z.string(),
      records: z.number().int(),
      first: state,
      last: state,
      head: state.optional(),
    }),
  ),
})

export type ExportProof = z.output<typeof proofSchema>

export interface ExportOptions extends ReadOptions {
  readonly filter: RecordFilter
  readonly workspace: string
  readonly exportedAt: string
  /** Of the whole log, made just before. */
  readonly verdict: LogVerdict
  /** Takes whole lines, several at a time. */
  readonly write: (text: string) => Promise<void>
}

export async function exportLog(options: ExportOptions): Promise<ExportProof> {
  const { filter, workspace, exportedAt, verdict, write } = options
  const digest = createHash('sha256')
  const chains = new Map<string, { records: number; first: ChainState; last: ChainState }>()
  let records = 0
  let lines = ''
  const flush = async () => {
    digest.update(lines)
    if (lines !== '') await write(lines)
    lines = ''
  }
  for await (const line of readLog(filter, options)) {
    records += 1
    lines += `${line.text}\n`
    note(chains, line)
    if (lines.length > pieceLength) await flush()
  }
  await flush()
  const { since, until, kinds, id } = filter
  const proof: ExportProof = {
    kind: 'export_proof',
    format: 1,
    workspace,
    exported_at: exportedAt,
    filter: {
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(kinds === undefined ? {} : { kinds: [...kinds] }),
      ...(id === undefined ? {} : { id }),
    },
    records,
    digest: `sha256:${digest.digest('hex')}`,
    log: verdict.verdict,
    chains: [...chains].map(([chain, found]) => {
      const head = verdict.chains.find(other => other.chain === chain)?.head
      return { chain, ...found, ...(head === undefined ? {} : { head: { seq: head.seq, hash: head.hash } }) }
    }),
  }
  await write(`${JSON.stringify(proof)}\n`)
  return proof
}

export type ExportVerdict =
  | {
      readonly ok: true
      readonly proof: ExportProof
      /** To be looked for in the log. */
      readonly known: readonly KnownRecord[]
    }
  | { readonly ok: false; readonly line: number; readonly detail: string }

/** Whether an extract is as it was written. Whether the log still holds its records is for `verifyLog` to say. */
export function verifyExport(bytes: Buffer): ExportVerdict {
  const lastStart = bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1
  const proof = readProof(bytes.toString('utf8', lastStart).trim())
  let records = 0
  const known: KnownRecord[] = []
  for (let start = 0; start < lastStart; ) {
    const end = bytes.indexOf(lineFeed, start)
    records += 1
    const parts = partsOf(bytes, start, end)
    if (parts === undefined || computedHash(bytes, start, end) !== parts.hash)
      return { ok: false, line: records, detail: 'the record is not what its hash says' }
    start = end + 1
  }
  if (proof === undefined) return { ok: false, line: records + 1, detail: 'the proof at the end is missing' }
  const digest = `sha256:${createHash('sha256').update(bytes.subarray(0, lastStart)).digest('hex')}`
  if (digest !== proof.digest || records !== proof.records)
    return { ok: false, line: records + 1, detail: 'the records are not those that were exported' }
  for (const { chain, first, last, head } of proof.chains)
    for (const found of [first, last, ...(head === undefined ? [] : [head])]) known.push({ chain, ...found })
  return { ok: true, proof, known }
}

const pieceLength = 64 * 1024
const lineFeed = 0x0a

function note(
  chains: Map<string, { records: number; first: ChainState; last: ChainState }>,
  { chain, seq, hash }: StoredLine,
): void {
  const known = chains.get(chain)
  if (known === undefined) chains.set(chain, { records: 1, first: { seq, hash }, last: { seq, hash } })
  else {
    known.records += 1
    known.last = { seq, hash }
  }
}

function readProof(text: string): ExportProof | undefined {
  try {
    return proofSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
