// Everything one server has started, as a whole: its memory, and the two ways to end it. Servers hide their children
// in groups and sessions of their own or daemonize them, so membership is judged by every trace there is.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainmentLevel } from './containment.js'
import { descendants, type ProcessEntry, readProcessTable, systemProcesses } from './process-table.js'
import { serverVariable } from './sweep.js'

export interface ProcessTree {
  /** The process we started ourselves; it leads its own group and session. */
  readonly pid: number
  /** Undefined where there is no process table. */
  readonly startTime: number | undefined
  /** The value of ALIDADE_SERVER that all of the tree has inherited. */
  readonly server: string
  readonly level: ContainmentLevel
}

/** Resident memory of the tree; undefined where it cannot be known or the tree is gone. */
export function treeMemory(tree: ProcessTree): number | undefined {
  const table = readProcessTable()
  const root = table.get(tree.pid)
  if (!root || root.startTime !== tree.startTime || root.zombie) return undefined
  return descendants(table, tree.pid).reduce((sum, entry) => sum + entry.residentBytes, root.residentBytes)
}

export interface KillOptions {
  /** False some time after the exit: the number of the root may then name a stranger and his group. */
  readonly pidIsOurs: boolean
}

/** SIGKILL to every member, synchronously: this also runs while our own process exits. */
export function killTree(tree: ProcessTree, { pidIsOurs }: KillOptions): void {
  if (pidIsOurs && process.platform === 'win32') killOnWindows(tree.pid)
  // The kernel signals a group in one step, which no fork can slip through; and without /proc it is all we can name.
  if (pidIsOurs && process.platform !== 'win32') signal(-tree.pid, 'SIGKILL')
  const killed = new Set<number>()
  // A process may fork between our look and our signal, so we look again until nobody new turns up.
  for (let round = 0; round < 10; round += 1) {
    const found = members(tree).filter(entry => !killed.has(entry.pid))
    if (found.length === 0) return
    for (const entry of found) {
      signal(entry.pid, 'SIGKILL')
      killed.add(entry.pid)
    }
  }
}

/** SIGTERM, once to every member. Says whether there is anything to wait for. */
export function terminateTree(tree: ProcessTree): 'asked' | 'deaf' {
  if (process.platform === 'win32') return 'deaf'
  if (tree.startTime === undefined) {
    signal(-tree.pid, 'SIGTERM')
    return 'asked'
  }
  const inNamespace = tree.level === 'namespace'
  // The outermost process is then our wrapper: asked to end, it would take the server with it without a word.
  const asked = members(tree).filter(entry => !inNamespace || entry.pid !== tree.pid)
  const first = asked.find(entry => entry.parent === tree.pid)
  // Judged before the signal, because a handler may be there for one signal only and still be at work afterwards.
  const isDeaf = inNamespace && (!first || hasDefaultAction(first.pid))
  for (const entry of asked) signal(entry.pid, 'SIGTERM')
  return isDeaf ? 'deaf' : 'asked'
}

function members(tree: ProcessTree): ProcessEntry[] {
  const { startTime } = tree
  if (startTime === undefined) return []
  const table = readProcessTable()
  const root = table.get(tree.pid)
  // Another start time means the number was given to a stranger, which the kernel only does once its group is empty.
  const isStranger = root !== undefined && root.startTime !== startTime
  const family = new Set(
    isStranger ? [] : [tree.pid, ...descendants(table, tree.pid).map(entry => entry.pid)],
  )
  return [...table.values()].filter(entry => {
    if (entry.zombie || entry.startTime < startTime || entry.pid === process.pid) return false
    if (family.has(entry.pid)) return true
    if (!isStranger && (entry.group === tree.pid || entry.session === tree.pid)) return true
    return systemProcesses.variable(entry.pid, serverVariable) === tree.server
  })
}

/**
 * The first process of a PID namespace is not ended by a signal it has no handler for. Where SIGTERM would have its
 * default action, waiting for it to act is waiting for nothing. (Node itself counts as having a handler: it restores
 * the terminal and raises the signal again, in vain. That looks like a server cleaning up, so it gets its grace.)
 */
function hasDefaultAction(pid: number): boolean {
  const terminate = 1n << 14n
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const mask = (name: string) =>
      BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? 0}`)
    return ((mask('SigCgt') | mask('SigIgn')) & terminate) === 0n
  } catch {
    return false
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already, or changed to another user: nothing that we could still do.
  }
}

function killOnWindows(pid: number): void {
  const tool = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  const killer = spawn(tool, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
  killer.on('error', () => signal(pid, 'SIGKILL'))
}
