// Which program answers for a language, in which order it is looked for, and which one is never started: all decided
// here, on real files, before anything runs.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeDefinition } from '../../test/fake-definition.js'
import { BridgeError } from '../errors.js'
import type { ServerDefinition } from '../servers/definition.js'
import { definitionsInOrder } from '../servers/index.js'
import { rustAnalyzer } from '../servers/rust-analyzer.js'
import { type DiscoveryOptions, findCandidates, type RegisteredServer } from './discovery.js'

let top: string
let workspace: string

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-discovery-')))
  workspace = join(top, 'workspace')
  mkdirSync(workspace)
})

afterEach(() => rmSync(top, { recursive: true, force: true }))

test('R-20 registered first, then the own copy of a trusted project, the embedded one, and PATH', () => {
  const found = find({
    trusted: true,
    registered: [registered({ command: program('custom/server') })],
    definitions: [everywhere('alpha'), everywhere('beta')],
    environment: { PATH: folders('bin') },
  })
  expect(found).toEqual([
    'server: registered by the user',
    "alpha: the project's own copy",
    "beta: the project's own copy",
    'alpha: embedded',
    'beta: embedded',
    'alpha: found on PATH',
    'beta: found on PATH',
  ])
})

test("contract 5 an untrusted workspace's own copy is not even looked for", () => {
  const own = () => {
    throw new Error('looked into the workspace')
  }
  const definition = { ...everywhere('alpha'), project: own }
  expect(find({ definitions: [definition], environment: { PATH: folders('bin') } })).toEqual([
    'alpha: embedded',
    'alpha: found on PATH',
  ])
})

test('C29 in the order of the seeds a definition comes with all its copies before the next', () => {
  program('bin/alpha')
  const found = find({
    embeddedFirst: false,
    definitions: [server('alpha', { command: 'alpha' }), everywhere('beta')],
    environment: { PATH: folders('bin') },
  })
  expect(found).toEqual(['alpha: found on PATH', 'beta: embedded', 'beta: found on PATH'])
  const seeds = definitionsInOrder('seed').filter(({ language }) => language === 'python')
  expect(seeds.map(({ id }) => id).slice(0, 2)).toEqual(['pylsp', 'pyright'])
})

test('R-22, K10 without auto-detection only what is registered is found', () => {
  const options = { autodetect: false, definitions: [everywhere('alpha')] }
  expect(find({ ...options, registered: [registered({ command: program('custom/server') })] })).toEqual([
    'server: registered by the user',
  ])
  const error = failureOf(() => find(options))
  expect(error.kind).toBe('ServerUnavailable')
  expect(error.message).toContain('auto-detection is off')
})

test('S01 what is nowhere is unavailable, with the way to install it', () => {
  const definitions = [
    server('alpha', { command: 'alpha-server' }),
    server('beta', { command: 'beta-server' }),
  ]
  const error = failureOf(() => find({ definitions, environment: { PATH: folders('bin') } }))
  expect(error.kind).toBe('ServerUnavailable')
  expect(error.message).toContain('alpha-server, beta-server')
  expect(error.hint).toBe('Install it: install alpha')
  expect(failureOf(() => find({ definitions: [] })).kind).toBe('NoServerForExtension')
})

test('S01 a registered command that does not exist stays a candidate, so that starting it tells what is missing', () => {
  const { command } = only({ registered: [registered({ command: 'no-such-server' })] })
  expect(command).toBe('no-such-server')
})

test('S02, S03 what cannot be run is passed over', () => {
  program('bin/alpha')
  chmodSync(join(top, 'bin/alpha'), 0o644)
  mkdirSync(join(top, 'second/alpha'), { recursive: true })
  mkdirSync(join(top, 'third'))
  symlinkSync('nowhere', join(top, 'third/alpha'))
  const expected = program('fourth/alpha')
  const { command } = only({
    definitions: [server('alpha', { command: 'alpha' })],
    environment: { PATH: folders('bin', 'second', 'third', 'fourth') },
  })
  expect(command).toBe(expected)
})

test('S09 a relative entry of PATH is never searched', () => {
  program('workspace/bin/alpha')
  const before = process.cwd()
  process.chdir(workspace)
  try {
    for (const path of ['bin', '', '.:./bin', `${delimiter}bin`]) {
      const options = { definitions: [server('alpha', { command: 'alpha' })], environment: { PATH: path } }
      expect(failureOf(() => find({ ...options, trusted: true })).kind).toBe('ServerUnavailable')
      const named = registered({ command: 'alpha', environment: { PATH: path } })
      expect(only({ trusted: true, registered: [named] })).toMatchObject({
        command: 'alpha',
        environment: { PATH: '' },
      })
    }
  } finally {
    process.chdir(before)
  }
  expect(
    failureOf(() => find({ definitions: [server('alpha', { command: 'alpha' })], environment: {} })).kind,
  ).toBe('ServerUnavailable')
})

test('S09 a program inside an untrusted workspace is refused, by whatever name it is reached', () => {
  const inside = program('workspace/node_modules/.bin/alpha')
  mkdirSync(join(top, 'bin'))
  symlinkSync(inside, join(top, 'bin/alpha'))
  const definition = server('alpha', { command: 'alpha' })
  const attempts: Partial<DiscoveryOptions>[] = [
    { definitions: [definition], environment: { PATH: dirname(inside) } },
    { definitions: [definition], environment: { PATH: join(top, 'bin') } },
    { registered: [registered({ command: inside, definition })] },
    { registered: [registered({ command: join(top, 'bin/alpha'), definition })] },
    { registered: [registered({ command: './node_modules/.bin/alpha', definition })] },
    { registered: [registered({ command: 'alpha', definition, environment: { PATH: dirname(inside) } })] },
  ]
  for (const attempt of attempts) {
    const error = failureOf(() => find(attempt))
    expect(error.kind).toBe('NotTrusted')
    expect(error.message).toContain('inside the workspace')
    expect(error.hint).toContain(`alidade trust ${workspace}`)
    expect(find({ ...attempt, trusted: true })).toHaveLength(1)
  }
})

test('S09 a server that runs in a part of the workspace may not be a program of another part', () => {
  const inside = program('workspace/tools/alpha')
  const error = failureOf(() =>
    find({
      root: join(workspace, 'services'),
      definitions: [server('alpha', { command: 'alpha' })],
      environment: { PATH: dirname(inside) },
    }),
  )
  expect(error.kind).toBe('NotTrusted')
})

test('S09 a sibling that is only called alike is not inside', () => {
  const beside = program('workspace-tools/alpha')
  const { command } = only({
    definitions: [server('alpha', { command: 'alpha' })],
    environment: { PATH: dirname(beside) },
  })
  expect(command).toBe(beside)
})

test("S09 an untrusted workspace's program does not hide the one behind it on PATH", () => {
  const inside = program('workspace/node_modules/.bin/alpha')
  const behind = program('bin/alpha')
  const options = {
    definitions: [server('alpha', { command: 'alpha' })],
    environment: { PATH: [dirname(inside), dirname(behind)].join(delimiter) },
  }
  expect(only(options).command).toBe(behind)
  expect(only({ ...options, trusted: true }).command).toBe(inside)
})

test('contract 5 a server without a limited form is refused, and the next one is taken', () => {
  const refused = {
    ...everywhere('alpha'),
    limited: { kind: 'refused' as const, reason: 'it runs anything' },
  }
  const environment = { PATH: folders('bin') }
  const error = failureOf(() => find({ definitions: [refused], environment }))
  expect(error.kind).toBe('NotTrusted')
  expect(error.message).toContain('it runs anything')
  expect(find({ definitions: [refused, everywhere('beta')], environment })).toEqual([
    'beta: embedded',
    'beta: found on PATH',
  ])
  expect(find({ definitions: [refused], environment, trusted: true })).toHaveLength(3)
})

test('contract 5 in an untrusted workspace the limited form is laid over, and what it costs is carried along', () => {
  const definition = server('alpha', {
    command: program('bin/alpha'),
    args: ['serve'],
    settings: { alpha: { check: true, level: 1 } },
    initializationOptions: { macros: { enable: true }, list: [1, 2] },
    environment: { ALPHA_HOME: '/alpha' },
    limited: {
      kind: 'reduced',
      args: ['--no-plugins'],
      settings: { alpha: { check: false } },
      initializationOptions: { macros: { enable: false } },
      environment: { ALPHA_OFFLINE: '1' },
      costs: ({ root }) => `macros of ${root} are not run`,
    },
  })
  const environment = { PATH: '/usr/bin', HOME: '/home', API_TOKEN: 'secret' }
  expect(only({ definitions: [definition], environment })).toMatchObject({
    args: ['serve', '--no-plugins'],
    settings: { alpha: { check: false, level: 1 } },
    initializationOptions: { macros: { enable: false }, list: [1, 2] },
    environment: { ALPHA_HOME: '/alpha', ALPHA_OFFLINE: '1', HOME: '/home' },
    limitedCosts: `macros of ${workspace} are not run`,
  })
  const trusted = only({ definitions: [definition], environment, trusted: true })
  expect(trusted).toMatchObject({
    args: ['serve'],
    settings: { alpha: { check: true, level: 1 } },
    initializationOptions: { macros: { enable: true } },
    limitedCosts: undefined,
  })
  expect(trusted.environment).not.toHaveProperty('ALPHA_OFFLINE')
  expect(trusted.environment).not.toHaveProperty('API_TOKEN')
})

test('R-24 a registration lays its own parts over what the definition says', () => {
  const definition = server('alpha', {
    command: 'alpha',
    args: ['serve'],
    settings: { alpha: { check: true, level: 1 } },
    initializationOptions: { macros: true },
  })
  const expected = program('special/alpha')
  const named = only({
    definitions: [definition],
    registered: [
      registered({
        definition,
        environment: { PATH: dirname(expected), ALPHA: '1' },
        settings: { alpha: { level: 2 } },
        initializationOptions: { macros: false },
      }),
    ],
    environment: { PATH: '/usr/bin' },
  })
  expect(named).toMatchObject({
    command: expected,
    args: ['serve'],
    environment: { ALPHA: '1' },
    settings: { alpha: { check: true, level: 2 } },
    initializationOptions: { macros: false },
  })
  expect(only({ registered: [registered({ definition, args: [] })] }).args).toEqual([])
})

test('R-25 an endpoint is connected to, also from an untrusted workspace', () => {
  const endpoint = { kind: 'tcp' as const, host: '127.0.0.1', port: 4389 }
  expect(only({ registered: [registered({ endpoint })] }).endpoint).toEqual(endpoint)
})

test('S09 rust-analyzer is refused where a cargo configuration of the workspace could make it run code', () => {
  const root = join(workspace, 'crates')
  mkdirSync(root)
  const program = join(top, 'bin/rust-analyzer')
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const options = { root, definitions: [rustAnalyzer], environment: { PATH: folders('bin') } }
  expect(find(options)).toEqual(['rust-analyzer: found on PATH'])
  mkdirSync(join(workspace, '.cargo'))
  writeFileSync(join(workspace, '.cargo/config.toml'), '[env]\n')
  expect(failureOf(() => find(options))).toMatchObject({
    kind: 'NotTrusted',
    message: expect.stringContaining('.cargo/config.toml'),
  })
  expect(find({ ...options, trusted: true })).toEqual(['rust-analyzer: found on PATH'])
})

test('R-20 a known server chosen by its name is the embedded copy', () => {
  const definition = everywhere('alpha')
  expect(candidates({ registered: [registered({ definition })] })[0]).toMatchObject({
    how: 'registered by the user',
    command: process.execPath,
    args: ['alpha.js'],
  })
})

function find(options: Partial<DiscoveryOptions>): string[] {
  return candidates(options).map(({ definition, how }) => `${definition.id}: ${how}`)
}

function only(options: Partial<DiscoveryOptions>) {
  const [first, ...others] = candidates(options)
  expect(others).toEqual([])
  if (first === undefined) throw new Error('no candidate')
  return first
}

function candidates(options: Partial<DiscoveryOptions>) {
  return findCandidates({
    language: 'words',
    workspaceRoot: workspace,
    root: workspace,
    trusted: false,
    registered: [],
    definitions: [],
    autodetect: true,
    embeddedFirst: true,
    environment: {},
    ...options,
  })
}

/** An executable file of this name; returns its path. */
function program(name: string): string {
  const file = join(top, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  return file
}

function folders(...names: readonly string[]): string {
  return names.map(name => join(top, name)).join(delimiter)
}

function server(id: string, parts: Partial<ServerDefinition>): ServerDefinition {
  return fakeDefinition({
    id,
    title: `The ${id} server`,
    language: 'words',
    extensions: { '.words': 'words' },
    command: id,
    install: `install ${id}`,
    ...parts,
  })
}

/** One that can be had in every way. */
function everywhere(id: string): ServerDefinition {
  program(`bin/${id}`)
  return server(id, {
    command: id,
    embedded: () => ({ command: process.execPath, args: [`${id}.js`], version: '1' }),
    project: root => ({ command: join(root, id), args: [] }),
  })
}

function registered(parts: Partial<RegisteredServer>): RegisteredServer {
  return {
    definition: server('server', {}),
    origin: 'the user',
    command: undefined,
    args: undefined,
    endpoint: undefined,
    environment: {},
    settings: {},
    initializationOptions: {},
    ...parts,
  }
}

function failureOf(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing failed')
}
