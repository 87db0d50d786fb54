// Names for files outside the workspace. A library is named by its path inside the library, anything else by its
// last name alone, so that no answer, log or evidence shows where things lie on this machine (O7, W27).
import { isAbsolute, posix } from 'node:path'

export interface ExternalName {
  readonly label: string
  /** Whether the file is part of an installed library; other files outside are usually not worth showing. */
  readonly library: boolean
}

export const externalPrefix = 'external:'

/** Whether a name in an answer is of something outside the workspace, marked or plain (C33). */
export function isExternalName(name: string): boolean {
  return name.startsWith(externalPrefix) || isAbsolute(name) || /^[a-z][\w+.-]*:\/\//i.test(name)
}

export function externalName(absolutePath: string): ExternalName {
  const slashed = process.platform === 'win32' ? absolutePath.replaceAll('\\', '/') : absolutePath
  // Without this, `node_modules/../private/notes.txt` would pass for a library's file.
  const path = posix.normalize(slashed)
  let start = 0
  for (const root of libraryRoots) start = Math.max(start, root.exec(path)?.[0].length ?? 0)
  if (start > 0 && start < path.length) return { label: externalPrefix + path.slice(start), library: true }
  return { label: externalPrefix + posix.basename(path), library: false }
}

// Each matches up to and including its library root; the longest match wins, so that typeshed inside pyright
// inside node_modules is typeshed. A pattern must not fit a folder people keep their own work in: `~/go/src` is
// where Go programs used to be written, so a Go installation counts only in a system folder or with its version
// in its name, and the module cache only where a version follows. None may scan a path more than a few times over:
// servers choose the paths.
const libraryRoots: readonly RegExp[] = [
  /^.*\/node_modules\//s,
  /^.*\/(?:site|dist)-packages\//s,
  /^.*\/typeshed-fallback\/(?:stdlib|stubs\/[^/]+)\//s,
  /^.*\/lib\/python3(?:\.\d+)?t?\//s,
  /^.*\/pkg\/mod\/(?=[^@]{0,300}@v\d)/s,
  /^(?:\/usr|\/opt|\/snap|\/nix\/store|\/Library)\/(?:[^/]+\/){0,3}go(?:lang)?(?:[-@]?\d[\w.]*)?\/(?:[^/]+\/){0,2}src\//,
  /^.*\/go-?1\.\d[\w.]*\/(?:go\/)?src\//s,
  /^.*\/toolchain@v[^/]+\/src\//s,
  /^.*\/registry\/src\/[^/]+-[0-9a-f]{16}\//s,
  /^.*\/rustlib\/src\/rust\/library\//s,
  /^\/usr\/(?:local\/)?(?:include|lib(?:32|64|exec)?|share)\//,
  /^\/nix\/store\/[^/]+\//,
  /^\/(?:opt\/homebrew|home\/linuxbrew\/\.linuxbrew)\/Cellar\/[^/]+\/[^/]+\//,
  /^\/(?:Library|Applications\/Xcode\.app\/Contents)\/Developer\//,
]
