// Locates programs inside packages this one depends on, or that a project depends on. Servers are started as programs,
// never imported.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface PackageFolder {
  readonly folder: string
  readonly version: string
}

/** A dependency of this package. */
export function ownDependency(name: string): PackageFolder | undefined {
  return packageFrom(import.meta.url, name)
}

/** A dependency of the project at this root. */
export function projectDependency(root: string, name: string): PackageFolder | undefined {
  return packageFrom(join(root, 'package.json'), name)
}

function packageFrom(origin: string, name: string): PackageFolder | undefined {
  try {
    const manifest = createRequire(origin).resolve(`${name}/package.json`)
    const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    const version: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'version') : undefined
    return { folder: dirname(manifest), version: typeof version === 'string' ? version : 'unknown' }
  } catch {
    // Not installed is an answer here, not a failure: the next candidate is looked at.
    return undefined
  }
}

/** The native program of TypeScript 7, which lies in a package per platform beside it. */
export function typescriptProgram(typescript: PackageFolder): string | undefined {
  if (Number.parseInt(typescript.version, 10) < 7) return undefined
  const platform = packageFrom(
    join(typescript.folder, 'package.json'),
    `@typescript/typescript-${process.platform}-${process.arch}`,
  )
  if (platform === undefined) return undefined
  const program = join(platform.folder, 'lib', process.platform === 'win32' ? 'tsc.exe' : 'tsc')
  return existsSync(program) ? program : undefined
}
