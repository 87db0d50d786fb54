// The mark every server carries in its environment, and the sweep at start that ends servers whose owner is gone.
// It is the last line behind containment: for platforms and moments where the kernel could not do it for us.
import { readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ProcessSource, systemProcesses } from './process-table.js'

/** Names one running Alidade beyond doubt, also after its pid was given to somebody else. */
export interface OwnerMark {
  readonly pid: number
  readonly startTime: number
  /** The PID namespace in which `pid` has a meaning, as `pid:[4026531836]`. */
  readonly namespace: string
}

export const ownerVariable = 'ALIDADE_OWNER'
export const serverVariable = 'ALIDADE_SERVER'

/** Undefined where the system has no /proc to find the mark again. */
export function ownerMark(): OwnerMark | undefined {
  const self = systemProcesses.read(process.pid)
  const namespace = pidNamespace()
  if (!self || namespace === undefined) return undefined
  return { pid: self.pid, startTime: self.startTime, namespace }
}

export function markVariables(owner: OwnerMark | undefined, server: string): Record<string, string> {
  const mark = { [serverVariable]: server }
  return owner ? { ...mark, [ownerVariable]: formatMark(owner) } : mark
}

export interface SweepOptions {
  readonly owner: OwnerMark | undefined
  readonly processes?: ProcessSource
  readonly kill?: (pid: number) => void
}

/** Ends every process whose mark names an owner that no longer lives, and says how many. Never throws. */
export async function sweepOrphans(options: SweepOptions): Promise<number> {
  const { owner, processes = systemProcesses, kill = killOutright } = options
  if (!owner) return 0
  const spared = withAncestors(owner.pid, processes)
  let killed = 0
  let looked = 0
  for (const pid of processes.list()) {
    looked += 1
    // A batch takes about a millisecond; a start must not stutter because the machine runs thousands of processes.
    if (looked % batchSize === 0) await nextTurn()
    if (spared.has(pid)) continue
    const before = processes.read(pid)
    if (!before || before.zombie || !isOrphan(pid, owner, processes)) continue
    // The pid may have changed hands since it was listed; the start time says whether it did.
    if (processes.read(pid)?.startTime !== before.startTime) continue
    if (attempt(() => kill(pid))) killed += 1
  }
  return killed
}

const batchSize = 32

function isOrphan(pid: number, sweeper: OwnerMark, processes: ProcessSource): boolean {
  const mark = parseMark(processes.variable(pid, ownerVariable))
  if (!mark || mark.namespace !== sweeper.namespace) return false
  const owner = processes.read(mark.pid)
  return !owner || owner.zombie || owner.startTime !== mark.startTime
}

/** We may ourselves run below a server of another Alidade, for example in a test that it started. */
function withAncestors(pid: number, processes: ProcessSource): Set<number> {
  const chain = new Set<number>()
  for (let next: number | undefined = pid; next && !chain.has(next); next = processes.read(next)?.parent) {
    chain.add(next)
  }
  return chain
}

function formatMark(mark: OwnerMark): string {
  return `${mark.pid}/${mark.startTime}/${mark.namespace}`
}

function parseMark(text: string | undefined): OwnerMark | undefined {
  const [, pid, startTime, namespace] = /^(\d{1,10})\/(\d{1,15})\/(pid:\[\d+\])$/.exec(text ?? '') ?? []
  if (pid === undefined || startTime === undefined || namespace === undefined) return undefined
  return { pid: Number(pid), startTime: Number(startTime), namespace }
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

function killOutright(pid: number): void {
  process.kill(pid, 'SIGKILL')
}

/** It may be gone already, or belong to another user. */
function attempt(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
