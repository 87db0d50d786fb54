// Every example is run as a stranger would run it, against the package as it is built, and must assert its own result.
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertStory, passiveTurn } from '../examples/passive-turn/passive-turn.js'

const project = resolve(import.meta.dirname, '..')
// Inside the project, so that packages are found from where it lies; a package of its own, so that `alidade` is it.
const folder = join(project, `.cache/examples-${process.pid}`)
const helpers = ['workspace.mjs', 'toy-server.mjs']
const examples = readdirSync(join(project, 'examples')).filter(
  name => name.endsWith('.mjs') && !helpers.includes(name),
)

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(project, 'package.json'), join(folder, 'package.json'))
  cpSync(join(project, 'examples'), join(folder, 'examples'), { recursive: true })
  await build({
    entryPoints: { cli: join(project, 'src/surfaces/cli/main.ts'), index: join(project, 'src/index.ts') },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  })
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('every example runs', () => {
  test.each(examples)('%s', { timeout: 60_000 }, async name => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'examples', name)])
    expect(stdout).not.toBe('')
  })

  test('R-01 R-09 R-200 governed-turn/turn.mjs: a passive turn with assembled context', {
    timeout: 120_000,
  }, async () => {
    const script = join(folder, 'examples/governed-turn/turn.mjs')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script])
    expect(stderr).toBe('')
    expect(stdout).toContain('== Put before the model, unasked ==\ncontext for src/cart.ts')
    expect(stdout).toContain("Cannot find name 'reduced'")
  })

  test('R-213 passive-turn: a broken edit, two corrections and the operator', {
    timeout: 120_000,
  }, async () => {
    const printed: string[] = []
    assertStory(await passiveTurn(text => printed.push(text)))
    expect(printed.join('\n')).toContain('=== What follows: operator')
  })

  test('R-140 R-110 R-160 R-155 there is one for each of these presets, and each asserts', () => {
    const texts = examples.map(name => readFileSync(join(project, 'examples', name), 'utf8'))
    for (const preset of ['single-tool', 'full', 'sandbox'])
      expect(texts.some(text => text.includes(`'${preset}'`))).toBe(true)
    expect(texts.some(text => text.includes('pluginBuilder'))).toBe(true)
    for (const text of texts) expect(text).toMatch(/assert\.\w+\(/)
    const page = readFileSync(join(project, 'examples/README.md'), 'utf8')
    for (const name of examples) expect(page).toContain(`node examples/${name}`)
  })
})
