// Who writes a chain. The name must tell for certain that a writer is gone, or its chain would be continued under its
// hands; where that cannot be known, the writer counts as alive and others begin a chain of their own.
import { readFileSync, readlinkSync } from 'node:fs'

export interface Owner {
  /** Fit for a file name. */
  readonly name: string
  isAlive(name: string): boolean
}

export function processOwner(): Owner {
  const place = placeOf()
  return {
    name: `${process.pid}-${startOf(process.pid) ?? 0}-${place}`,
    isAlive(name) {
      const [, id, start, where] = /^(\d{1,10})-(\d{1,16})-([0-9a-z]+)$/.exec(name) ?? []
      // Another machine, another container, or a name that is not ours: nothing is known of it.
      if (id === undefined || where !== place) return true
      const pid = Number(id)
      const now = startOf(pid)
      if (now !== undefined) return String(now) === start
      return !hasProcessTable && answersSignal(pid)
    },
  }
}

/** The machine since its last start, and the namespace in which a process id has a meaning. */
function placeOf(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? ''
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''
  return `${boot.replace(/[^0-9a-f]/g, '').slice(0, 12)}n${namespace.replace(/\D/g, '')}`
}

function startOf(pid: number): number | undefined {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return line === undefined ? undefined : startIn(line)
}

/**
 * Clock ticks since boot: a pid is reused, a pid with its start time is not. Undefined for the dead. A killed process
 * shows as a zombie while a thread of it may still be in the middle of a write to the chain; it is dead with its last one.
 */
export function startIn(stat: string): number | undefined {
  // The name in parentheses is chosen by the process and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X'
  const threads = Number(fields[17])
  return hasEnded && threads <= 1 ? undefined : Number(fields[19])
}

const hasProcessTable = startOf(process.pid) !== undefined

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
