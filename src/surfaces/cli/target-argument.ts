// What was typed as TARGET: a file, `file:line` or `file:line:column`. File names may hold colons themselves, and a
// drive letter does, so a file that exists wins over every other reading.
import { resolve } from 'node:path'

export interface TypedTarget {
  /** Absolute. */
  readonly file: string
  readonly line?: number
  readonly column?: number
}

export interface TargetSurroundings {
  /** What the typed path is relative to. */
  readonly cwd: string
  exists(path: string): boolean
}

export function parseTarget(typed: string, { cwd, exists }: TargetSurroundings): TypedTarget {
  const readings = readingsOf(typed).map(reading => ({ ...reading, file: resolve(cwd, reading.file) }))
  const existing = readings.find(reading => exists(reading.file))
  // With no such file, the reading that takes most as a position is what the typist meant; the engine will say that the
  // file is missing.
  return existing ?? readings.at(-1) ?? { file: resolve(cwd, typed) }
}

/** From "all of it is the file" to "as much as possible is a position". */
function readingsOf(typed: string): TypedTarget[] {
  const readings: TypedTarget[] = [{ file: typed }]
  const one = /^(.+):(\d+)$/s.exec(typed)
  if (one?.[1] === undefined || isDriveLetter(one[1])) return readings
  readings.push({ file: one[1], line: Number(one[2]) })
  const two = /^(.+):(\d+)$/s.exec(one[1])
  if (two?.[1] === undefined || isDriveLetter(two[1])) return readings
  return [...readings, { file: two[1], line: Number(two[2]), column: Number(one[2]) }]
}

function isDriveLetter(text: string): boolean {
  return process.platform === 'win32' && /^[A-Za-z]$/.test(text)
}
