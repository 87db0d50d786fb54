// Whether the packages that a project has installed changed, told from the traces that package managers leave. The folders
// themselves hold tens of thousands of files and are not kept in view.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const manifestName = 'package.json'

/** The folder of the packages, and the file in which npm, pnpm or yarn keeps what it installed. */
const traces = [
  'node_modules',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
]

export class InstalledPackages {
  readonly #seen = new Map<string, string>()

  /** The manifests whose installed packages changed since the last look; the first look tells of none. */
  changed(manifests: Iterable<string>): string[] {
    const changed: string[] = []
    for (const manifest of manifests) {
      const trace = traceOf(dirname(manifest))
      const before = this.#seen.get(manifest)
      this.#seen.set(manifest, trace)
      if (before !== undefined && before !== trace) changed.push(manifest)
    }
    return changed
  }
}

function traceOf(folder: string): string {
  return traces.map(name => signatureOf(join(folder, name))).join(' ')
}

function signatureOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}`
  } catch {
    // Not to be looked at is as good as not there.
    return '-'
  }
}
