// The examples run as a stranger would run them, on the source instead of what is built from it, and each asserts its own
// result.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('R-01 R-09 R-200 examples/governed-turn: a passive turn with assembled context', async () => {
  const { status, stdout, stderr } = await runExample('examples/governed-turn/turn.mjs')
  expect(stderr).toBe('')
  expect(stdout).toContain('== Put before the model, unasked ==\ncontext for src/cart.ts')
  expect(stdout).toContain("Cannot find name 'reduced'")
  expect(status).toBe(0)
}, 120_000)

async function runExample(file: string) {
  // Inside node_modules, so that the bundle finds the external packages from where it lies.
  const folder = resolve('node_modules/.cache/alidade-examples')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `example-${process.pid}.mjs`)
  try {
    await build({
      stdin: {
        // An example finds its files beside the script that was started.
        contents: `process.argv[1] = ${JSON.stringify(resolve(file))}\nawait import(${JSON.stringify(resolve(file))})`,
        resolveDir: resolve('.'),
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      alias: { alidade: resolve('src/index.ts') },
      packages: 'external',
      logLevel: 'silent',
    })
    return spawnSync(process.execPath, [outfile], { encoding: 'utf8' })
  } finally {
    rmSync(outfile, { force: true })
  }
}
