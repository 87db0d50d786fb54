// The version all surfaces announce. The package refers to itself by name, because the path to package.json is another
// one from a bundle, from one of its chunks and from the sources.
import { createRequire } from 'node:module'

export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('alidade/package.json')
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
