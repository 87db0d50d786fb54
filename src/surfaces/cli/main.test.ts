// The executable as a user meets it: bundled, started as a process, judged by its streams and its exit code.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Repository, repository } from '../../../test/repository.js'

// Processes of their own, some with a language server: slow only where the machine is busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const project = resolve(import.meta.dirname, '../../..')
// Inside the project, so that packages and the project's own name are found from where the bundle lies.
const bundle = join(project, `.cache/cli-test-${process.pid}`)
let workspace = ''
let state = ''

beforeAll(async () => {
  await build({
    entryPoints: { cli: join(project, 'src/surfaces/cli/main.ts') },
    outdir: bundle,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  })
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'alidade-cli-')))
  state = await mkdtemp(join(tmpdir(), 'alidade-state-'))
  await mkdir(join(workspace, 'src'))
  await writeFile(join(workspace, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
  await writeFile(join(workspace, 'src/shapes.ts'), 'export function area(r: number) {\n  return r * r\n}\n')
  await writeFile(
    join(workspace, 'src/main.ts'),
    "import { area } from './shapes'\n\nexport const a: string = area(2)\n",
  )
})

afterAll(async () => {
  for (const folder of [bundle, workspace, state]) await rm(folder, { recursive: true, force: true })
})

test('contract 2: --version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('contract 2: commands have help with an example', async () => {
  const { stdout } = await run(['--help'])
  for (const name of ['find-references', 'status', 'trust', 'mcp']) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    const help = await run([name, '--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(`Example:\n  alidade ${name}`)
    expect(help.stdout).toContain('--no-daemon')
  }
})

test('contract 2: wrong usage ends with 2, says the nearest name, and keeps stdout clean', async () => {
  const command = await run(['find-refrences', 'x'])
  expect(command).toMatchObject({ code: 2, stdout: '' })
  expect(command.stderr).toContain('Did you mean find-references?')
  const option = await run(['status', '--wacth'])
  expect(option).toMatchObject({ code: 2, stdout: '' })
  expect(option.stderr).toContain('Did you mean --watch?')
  expect(await run([])).toMatchObject({ code: 2, stdout: '' })
})

test('contract 3.2: with --json a failure is an object on stdout', async () => {
  const missing = await run(['get-diagnostics', 'nothing.ts', '--json'])
  expect(missing).toMatchObject({ code: 3, stderr: '' })
  expect(JSON.parse(missing.stdout)).toMatchObject({ ok: false, kind: 'FileNotFound' })
  const usage = await run(['get-diagnostics', '--json', '--nonsense'])
  expect(usage).toMatchObject({ code: 2, stderr: '' })
  expect(JSON.parse(usage.stdout)).toMatchObject({ ok: false, kind: 'InvalidArguments' })
})

test('contract 7: context prints a note within its budget, and evidence finds every item again', async () => {
  const note = await run(['context', 'src/main.ts', '--budget', '400'])
  expect(note).toMatchObject({ code: 0, stderr: '' })
  expect(note.stdout).toMatch(/^context for src\/main\.ts, \d items \[complete;/)
  expect(note.stdout).toContain('src/shapes.ts:1  function area(r: number): number')
  const { stdout } = await run(['context', 'src/main.ts', '--json'])
  const { result, evidence } = JSON.parse(stdout)
  expect(result.tokens).toBeLessThanOrEqual(result.budget)
  for (const { record } of result.items) {
    const found = await run(['evidence', 'tail', '--id', record.id])
    expect(found.stdout.trim().split('\n')).toHaveLength(1)
    expect(found.stdout).toContain(`${record.id} ${record.target.file}`)
    expect(found.stdout).toContain(`${record.query_type} by typescript-go`)
    expect(found.stdout).toContain(evidence)
  }
})

test('contract 2: typed paths are relative to the folder, printed ones to the root', async () => {
  const options = { cwd: join(workspace, 'src') }
  const found = await run(['find-references', 'shapes.ts:1:17', '--root', '..'], options)
  expect(found).toMatchObject({ code: 0, stderr: '' })
  expect(found.stdout).toMatch(/^3 references to area \(src\/shapes\.ts:1:17\) in 2 files \[complete;/)
  expect(found.stdout).not.toContain('\x1b')
})

test('contract 2: errors found end with 1, none with 0', async () => {
  const wrong = await run(['get-diagnostics', 'src/main.ts', '--json'])
  expect(wrong).toMatchObject({ code: 1, stderr: '' })
  expect(JSON.parse(wrong.stdout).result.files[0]).toMatchObject({
    file: 'src/main.ts',
    verdict: 'settled',
    diagnostics: [{ severity: 'error', line: 3 }],
  })
  expect(await run(['get-diagnostics', 'src/shapes.ts'])).toMatchObject({ code: 0, stderr: '' })
})

test('contract 2: status says which server would answer and why, and starts none', async () => {
  const status = await run(['status', '--json'])
  expect(status).toMatchObject({ code: 0, stderr: '' })
  const { ok, result } = JSON.parse(status.stdout)
  expect({ ok, result }).toMatchObject({
    ok: true,
    result: {
      root: workspace,
      trusted: false,
      servers: [],
      languages: [{ language: 'typescript', files: 2 }],
    },
  })
  expect(result.languages[0].candidates[0]).toMatchObject({ id: 'typescript', how: 'embedded' })
})

test('contract 5: trust is given, seen and taken back', async () => {
  const trusted = await run(['trust', 'src/..'])
  expect(trusted).toMatchObject({ code: 0, stderr: '' })
  expect(trusted.stdout).toContain(`trusted: ${workspace}\n`)
  expect((await run(['status'])).stdout).toContain(`root ${workspace}, trusted,`)
  expect((await run(['trust', '--revoke'])).stdout).toBe(`no longer trusted: ${workspace}\n`)
  expect((await run(['trust', '--revoke'])).stdout).toBe(`was not trusted: ${workspace}\n`)
})

test('contract 2: SIGTERM ends a command that waits, with 143', async () => {
  const child = start(['status', '--watch'])
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(143)
})

test('contract 2: a reader that leaves early is no fault', async () => {
  const child = start(['find-symbol', '', '--limit', '1000', '--json'])
  child.stdout.destroy()
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

describe('contract 6: check', () => {
  const shapes = 'export function area(r: number) {\n  return r * r\n}\n'
  let repo: Repository
  beforeAll(() => {
    repo = repository()
    repo.write('tsconfig.json', '{ "compilerOptions": { "strict": true } }')
    repo.write('shapes.ts', shapes)
    repo.write('main.ts', "import { area } from './shapes'\n\nexport const a = area(2)\n")
    repo.commit()
  })
  afterAll(() => repo[Symbol.dispose]())
  const check = (...typed: readonly string[]) => run(['check', ...typed], { cwd: repo.root })

  test('exit code 0: nothing changed, or nothing that breaks anything', async () => {
    expect(await check()).toMatchObject({ code: 0, stderr: '' })
    repo.write('shapes.ts', `// a comment\n${shapes}`)
    const { code, stdout } = await check()
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^check: clean: 1 file/),
    })
  })

  test('exit code 1: a signature that breaks its callers, told with their lines', async () => {
    repo.write('shapes.ts', shapes.replace('r: number', 'r: number, unit: string'))
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^check: new_errors: 1 new error in 1 file, 2 files checked, scope dependents/),
      'main.ts: new_errors',
      '  3:18 error [ts 2554]: Expected 2 arguments, but got 1.',
      '      export const a = area(2)',
      'clean: shapes.ts',
      '',
    ])
    const json = await check('shapes.ts', '--since', 'HEAD', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      result: {
        class: 'new_errors',
        scope: 'dependents',
        files: [{ file: 'shapes.ts' }, { file: 'main.ts' }],
      },
      completeness: { verdict: 'complete' },
    })
  })

  test('exit code 2: what makes no sense, and 3: what could not be established', async () => {
    expect(await check('--since', 'no-such-revision')).toMatchObject({ code: 2, stdout: '' })
    const config = join(state, 'stopped.jsonc')
    await writeFile(
      config,
      '{ "servers": { "typescript": { "language": "typescript", "command": "false" } } }',
    )
    const stopped = await check('--config', config, '--timeout', '10000')
    expect(stopped).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^check: lsp_unavailable: 1 file/),
    })
  })

  test('a change begun by one process is judged by another', async () => {
    repo.write('shapes.ts', shapes)
    const begun = await run(['begin-change', 'shapes.ts', '--no-prepare', '--json'], { cwd: repo.root })
    const { change } = JSON.parse(begun.stdout).result
    repo.write('shapes.ts', shapes.replace('number', 'string'))
    const { code, stdout } = await check('--change', change)
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`baseline change ${change}`),
    })
    const again = await run(['check-change', '--change', change], { cwd: repo.root })
    expect(again).toMatchObject({ code: 1, stdout })
  })
})

async function run(typed: readonly string[], options: { readonly cwd?: string } = {}) {
  const child = start(typed, options)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

function start(
  typed: readonly string[],
  { cwd = workspace }: { readonly cwd?: string } = {},
): ChildProcessWithoutNullStreams {
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    XDG_STATE_HOME: state,
    // Colour is forced on by some test runners; the executable must not fall for it.
    FORCE_COLOR: '1',
  }
  return spawn(process.execPath, [join(bundle, 'cli.js'), ...typed], { cwd, env })
}
