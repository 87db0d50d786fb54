// The question of trust, asked on a terminal once per workspace, when an answer suffered from the lack of it (contract
// section 5). That it was asked is remembered beside the record of trust, whatever the reply was.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { BridgeCore } from '../../bridge.js'
import { type Environment, stateFolder } from '../../config/folders.js'
import { TrustStore } from '../../config/trust.js'
import type { Answer } from '../../operations/answer.js'
import type { Console } from './console.js'

interface AskOptions {
  readonly bridge: Pick<BridgeCore, 'root' | 'trusted'>
  readonly console: Console
  readonly signal: AbortSignal
}

/** Whether the workspace has just been trusted, so that the question deserves a second try. */
export async function trustWasGiven(answer: Answer<unknown>, options: AskOptions): Promise<boolean> {
  const { bridge, console, signal } = options
  if (!console.canAsk || signal.aborted || bridge.trusted || !wantsTrust(answer)) return false
  if (!(await firstTime(bridge.root, console.env))) return false
  console.note(costOf(answer))
  const question = `Do you trust the code in ${bridge.root}, so that language servers may run programs from it?`
  if (!(await console.confirm(question, signal))) return false
  await new TrustStore({ env: console.env }).trust(bridge.root)
  return true
}

/** The contract promises this hint wherever the lack of trust costs something. */
export function wantsTrust(answer: Answer<unknown>): boolean {
  if (!answer.ok) return answer.kind === 'NotTrusted'
  const { completeness } = answer
  return completeness.verdict !== 'complete' && (completeness.hint ?? '').includes('alidade trust')
}

function costOf(answer: Answer<unknown>): string {
  if (!answer.ok) return answer.error
  return answer.completeness.verdict === 'complete' ? '' : answer.completeness.reason
}

const askedSchema = z.object({ version: z.literal(1), asked: z.record(z.string(), z.string()) })

/** Remembers the question before it is asked: one that cannot be remembered would be asked at every call. */
export async function firstTime(root: string, env: Environment): Promise<boolean> {
  const path = join(stateFolder(env), 'asked.json')
  try {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    const known = text === undefined ? {} : askedSchema.parse(JSON.parse(text)).asked
    if (known[root] !== undefined) return false
    const asked = { ...known, [root]: new Date().toISOString() }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, `${JSON.stringify({ version: 1, asked }, null, 2)}\n`, { mode: 0o600 })
    return true
  } catch {
    // Damaged or not writable: then not asking is the lesser evil, `alidade trust` still works.
    return false
  }
}
