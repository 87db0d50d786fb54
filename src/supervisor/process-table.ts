// What the kernel says about running processes, read from /proc. Memory, kill and sweep all look through this one
// window, so that a pid is never trusted without the start time that makes it unique.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. A pid is reused, a pid with its start time is not. */
  readonly startTime: number
  /** Dead, but not yet collected by its parent. */
  readonly zombie: boolean
  readonly residentBytes: number
}

export type ProcessTable = ReadonlyMap<number, ProcessEntry>

/** The window itself, as an interface: tests put a table of their own behind it. */
export interface ProcessSource {
  list(): readonly number[]
  read(pid: number): ProcessEntry | undefined
  /** A variable of the environment the process was started with; undefined where we may not look. */
  variable(pid: number, name: string): string | undefined
}

/** Empty where there is no /proc, so that every user degrades to "unknown" by itself. */
export const systemProcesses: ProcessSource = { list, read, variable }

export function readProcessTable(source: ProcessSource = systemProcesses): ProcessTable {
  const table = new Map<number, ProcessEntry>()
  for (const pid of source.list()) {
    const entry = source.read(pid)
    if (entry) table.set(pid, entry)
  }
  return table
}

/** Everything whose chain of parents leads to `root`, which is not part of the answer. */
export function descendants(table: ProcessTable, root: number): ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of table.values()) {
    const siblings = children.get(entry.parent)
    if (siblings) siblings.push(entry)
    else children.set(entry.parent, [entry])
  }
  // The table is not read in one instant, so pid reuse may make it look cyclic: nobody is visited twice.
  const found = new Map<number, ProcessEntry>()
  const waiting = [root]
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const child of children.get(parent) ?? []) {
      if (child.pid === root || found.has(child.pid)) continue
      found.set(child.pid, child)
      waiting.push(child.pid)
    }
  }
  return [...found.values()]
}

/** One line of /proc/PID/stat. The name in it is chosen by the process and may hold spaces, parentheses and newlines. */
export function parseStat(line: string, bytesPerPage: number): ProcessEntry | undefined {
  const pid = Number.parseInt(line, 10)
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  const startTime = fields[19]
  const pages = fields[21]
  if (!Number.isSafeInteger(pid) || state === undefined || startTime === undefined || pages === undefined) {
    return undefined
  }
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: Number(startTime),
    zombie: state === 'Z' || state === 'X',
    residentBytes: Math.max(0, Number(pages)) * bytesPerPage,
  }
}

function list(): readonly number[] {
  if (!isOurs()) return []
  try {
    return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

// One buffer and three system calls per process: a third of what readFileSync costs on /proc, where files have no size.
const statBuffer = Buffer.allocUnsafe(4096)

function read(pid: number): ProcessEntry | undefined {
  if (!isOurs()) return undefined
  try {
    const descriptor = openSync(`/proc/${pid}/stat`, 'r')
    try {
      const length = readSync(descriptor, statBuffer, 0, statBuffer.length, 0)
      return parseStat(statBuffer.toString('latin1', 0, length), pageSize())
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

function variable(pid: number, name: string): string | undefined {
  if (!isOurs()) return undefined
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    const found = environment.split('\0').find(entry => entry.startsWith(`${name}=`))
    return found?.slice(name.length + 1)
  } catch {
    return undefined
  }
}

let ours: boolean | undefined

/**
 * Inside a PID namespace that kept the outer /proc, the numbers listed there are other processes than the numbers
 * kill(2) takes. Such a /proc is worse than none.
 */
function isOurs(): boolean {
  ours ??= process.platform === 'linux' && linkTarget('/proc/self') === String(process.pid)
  return ours
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

let knownPageSize: number | undefined

/** Resident memory is counted in pages, and ARM machines use 4, 16 or 64 KiB; the loader is told which (AT_PAGESZ). */
function pageSize(): number {
  knownPageSize ??= readPageSize()
  return knownPageSize
}

function readPageSize(): number {
  const pageSizeEntry = 6
  const wide = !['arm', 'ia32', 'mips', 'mipsel'].includes(process.arch)
  try {
    const vector = readFileSync('/proc/self/auxv')
    const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength)
    const little = endianness() === 'LE'
    const width = wide ? 8 : 4
    const word = (offset: number) =>
      wide ? Number(view.getBigUint64(offset, little)) : view.getUint32(offset, little)
    for (let offset = 0; offset + 2 * width <= vector.length; offset += 2 * width) {
      if (word(offset) === pageSizeEntry) return word(offset + width)
    }
  } catch {
    // Hardened kernels hide the vector; the common size is the best guess left.
  }
  return 4096
}
