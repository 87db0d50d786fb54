// The version all surfaces announce. The package refers to itself by name, because the path to package.json is another
// one from a bundle, from one of its chunks and from the sources.
import { createRequire } from 'node:module'
import { property } from '../json.js'

export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('alidade/package.json')
  const found = property(manifest, 'version')
  return typeof found === 'string' ? found : '0.0.0'
}
