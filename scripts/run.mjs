// Runs a TypeScript file of this project on Node 20, which cannot read types itself: bundles it with esbuild
// into the cache (dependencies stay external) and imports the result. Arguments after the file are passed on.
import { mkdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const [file, ...rest] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.mjs FILE.ts [arguments]')
  process.exit(2)
}
const project = resolve(fileURLToPath(import.meta.url), '../..')
// Inside node_modules, so that the bundle finds the external packages from where it lies.
const folder = join(project, 'node_modules/.cache/alidade-scripts')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, `${basename(file, '.ts')}-${process.pid}.mjs`)
await build({
  entryPoints: [resolve(file)],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
})
process.argv = [process.argv[0], resolve(file), ...rest]
process.on('exit', () => {
  try {
    rmSync(outfile, { force: true })
  } catch {
    // The cache may already be gone; nothing depends on it.
  }
})
await import(pathToFileURL(outfile).href)
