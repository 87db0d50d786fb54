import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LoadOptions, loadSettings, serversFor } from './load.js'
import { foreignWriter } from './read.js'
import { notTrusted } from './registered.js'
import { languageEnabled } from './resolve.js'
import { parseEndpoint } from './schema.js'
import { TrustStore } from './trust.js'

let base = ''
let root = ''
let env: Record<string, string> = {}

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'alidade-load-')))
  root = join(base, 'workspace')
  await mkdir(root)
  env = { XDG_CONFIG_HOME: join(base, 'config'), XDG_STATE_HOME: join(base, 'state') }
})
afterEach(() => rm(base, { recursive: true, force: true }))

const load = (options: Partial<LoadOptions> = {}) => loadSettings({ root, env, flags: {}, ...options })
const trust = () => new TrustStore({ env }).trust(root)

async function write(path: string, content: unknown): Promise<string> {
  const full = join(base, path)
  await mkdir(dirname(full), { recursive: true })
  await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content))
  return full
}

const user = (content: unknown) => write('config/alidade/config.jsonc', content)
const workspace = (content: unknown, name = '.alidade/lsp.json') => write(`workspace/${name}`, content)

describe('contract 5: the order of the files', () => {
  test('nothing at all gives the default preset and no servers', async () => {
    const loaded = await load()
    expect(loaded.settings).toEqual({
      enabled: true,
      languages: [],
      prewarm: [],
      idleSeconds: 600,
      timeoutMs: 55_000,
      restart: loaded.preset.restart,
      limitKb: 40,
      frameLimitMb: 64,
      policy: { sensitivity: 'ordinary', envelope: {}, rules: [], workspaceRules: [] },
    })
    expect(loaded).toMatchObject({ servers: [], sources: [], withheld: [], workspaceConfig: undefined })
    expect(loaded.preset.name).toBe('default')
  })

  test('later wins: user, workspace, agent, flags; an untouched key stays', async () => {
    const path = await user({
      timeout_ms: 1,
      idle_seconds: 1,
      limit_kb: 1,
      frame_limit_mb: 1,
      restart: { max: 1 },
    })
    const own = await workspace({
      timeout_ms: 2,
      idle_seconds: 2,
      limit_kb: 2,
      restart: { backoff_ms: [90_000] },
    })
    const agents = await write(
      'config/alidade/agents.yaml',
      'agents: [{id: a, lsp: {idle_teardown_secs: 3}}]',
    )
    const loaded = await load({ agent: 'a', flags: { timeout_ms: 4, limit_kb: undefined } })
    expect(loaded.settings).toMatchObject({ timeoutMs: 4, idleSeconds: 3, limitKb: 2, frameLimitMb: 1 })
    expect(loaded.settings.restart).toMatchObject({ max: 1, backoffMs: [90_000], maxBackoffMs: 90_000 })
    expect(loaded.preset).toMatchObject({
      idle: { seconds: 3 },
      limitKb: 2,
      restart: loaded.settings.restart,
    })
    expect(loaded.sources).toEqual([path, own, agents])
    expect(loaded.workspaceConfig).toMatchObject({
      path: own,
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
  })

  test('a preset gives the values, the configuration turns single knobs', async () => {
    const { settings, preset } = await load({ flags: { preset: 'single-tool', limit_kb: 7 } })
    expect(preset).toMatchObject({ name: 'single-tool', tools: { kind: 'lsp' }, limitKb: 7 })
    expect(settings.restart).toMatchObject({ max: 3, trigger: 'on-call' })
    expect((await load({ flags: { preset: 'governed' } })).settings.idleSeconds).toBe(0)
  })

  test('.alidade comes before .syndicate, and --config stands in for the user file', async () => {
    await user({ timeout_ms: 1, limit_kb: 1 })
    await workspace({ idle_seconds: 5 }, '.syndicate/lsp.json')
    expect((await load()).settings.idleSeconds).toBe(5)
    await workspace({ idle_seconds: 6 })
    expect((await load()).settings.idleSeconds).toBe(6)
    const configFile = await write('elsewhere.yaml', 'timeout_ms: 9')
    const { settings, sources } = await load({ configFile })
    expect(settings).toMatchObject({ timeoutMs: 9, limitKb: 40 })
    expect(sources).toEqual([configFile, join(root, '.alidade/lsp.json')])
    await expect(load({ configFile: join(base, 'none') })).rejects.toThrow('does not exist')
  })

  test('YAML is read too, and two user files are one too many', async () => {
    await write('config/alidade/config.yaml', 'timeout_ms: 12')
    expect((await load()).settings.timeoutMs).toBe(12)
    await user({})
    await expect(load()).rejects.toThrow('there are two configuration files')
  })

  test('K01 K02 errors name the file as it is known', async () => {
    const path = await user('{\n  "tiemout_ms": 1 }')
    await expect(load()).rejects.toThrow(`${path}:2:3: unknown key "tiemout_ms"; did you mean "timeout_ms"?`)
    await rm(path)
    await workspace('{"agents": []}')
    await expect(load()).rejects.toThrow('.alidade/lsp.json:1:2: unknown key "agents"')
    await rm(join(root, '.alidade'), { recursive: true })
    const flags: object = { preset: 'fulll' }
    await expect(load({ flags })).rejects.toThrow(
      /^command line: preset must be one of .*did you mean "full"\?$/,
    )
  })

  test('K05 a workspace file that leads out of the workspace is not read', async () => {
    const secret = await write('secret.json', '{"password": 1}')
    await mkdir(join(root, '.alidade'))
    await symlink(secret, join(root, '.alidade/lsp.json'))
    await expect(load()).rejects.toThrow('.alidade/lsp.json is a link that leads out of the workspace')
    await rm(join(root, '.alidade'), { recursive: true })
    await write('out/lsp.json', '{"password": 1}')
    await symlink(join(base, 'out'), join(root, '.alidade'))
    await expect(load()).rejects.toThrow('leads out of the workspace')
  })
})

const gopls = { language: 'go', command: 'gopls' }

describe('R-20 R-24 R-25 registered servers', () => {
  test('R-20 flags come before the user, the user before the workspace; a name is taken once', async () => {
    await user({ servers: { user: gopls, both: { ...gopls, command: 'mine' } } })
    await workspace({ servers: { own: gopls, both: { ...gopls, command: 'theirs' } } })
    await trust()
    const { servers, withheld } = await load({ flags: { servers: { flag: gopls } } })
    expect(servers.map(({ name, origin }) => [name, origin])).toEqual([
      ['flag', 'flag'],
      ['user', 'user'],
      ['both', 'user'],
      ['own', 'workspace'],
    ])
    expect(servers[2]?.command).toBe('mine')
    expect(withheld).toEqual([])
  })

  test('every part arrives, and what is absent has its default', async () => {
    const path = await user({
      servers: {
        go: {
          ...gopls,
          args: ['serve'],
          scope: ['services/**'],
          extensions: ['.go', '.tmpl.go'],
          root_markers: ['go.work'],
          initialization_options: { a: [1, null] },
          settings: { gopls: { b: true } },
          env: { GOFLAGS: '-mod=readonly' },
        },
        rust: { language: 'rust', endpoint: '127.0.0.1:4389' },
      },
    })
    expect((await load()).servers).toEqual([
      {
        name: 'go',
        language: 'go',
        origin: 'user',
        declaredAt: `${path}:1:13`,
        command: 'gopls',
        args: ['serve'],
        endpoint: undefined,
        scope: ['services/**'],
        extensions: ['.go', '.tmpl.go'],
        listsExtensions: true,
        rootMarkers: ['go.work'],
        initializationOptions: { a: [1, null] },
        settings: { gopls: { b: true } },
        environment: { GOFLAGS: '-mod=readonly' },
      },
      expect.objectContaining({
        name: 'rust',
        command: undefined,
        args: undefined,
        endpoint: { kind: 'tcp', host: '127.0.0.1', port: 4389 },
        scope: ['**'],
        extensions: ['.rs'],
        rootMarkers: [],
        environment: {},
      }),
    ])
  })

  test('R-24 a registration without its parts is refused', async () => {
    const path = await user({ servers: { go: { language: 'go' }, zig: { language: 'zig', command: 'zls' } } })
    await expect(load()).rejects.toMatchObject({
      kind: 'InvalidArguments',
      message: [
        `${path}:1:13: servers.go has neither command nor endpoint`,
        `${path}:1:36: servers.zig must list its extensions: the language "zig" is not a known one`,
      ].join('\n'),
    })
    await user({ servers: { go: { command: 'gopls' } } })
    await expect(load()).rejects.toThrow('servers.go.language is missing')
  })

  test('a known server is chosen by its name, in either file; an unknown one is not', async () => {
    const known = { names: ['gopls', 'pyright'], extensionsOf: () => ['.x'] }
    await user({ servers: { gopls: { language: 'go', settings: { gopls: {} } } } })
    await workspace({ servers: { pyright: { language: 'python' } } })
    const { servers, withheld } = await load({ known })
    expect(servers).toMatchObject([
      { name: 'gopls', command: undefined, extensions: [] },
      { name: 'pyright', origin: 'workspace' },
    ])
    expect(withheld).toEqual([])
    await workspace({ servers: { pyrihgt: { language: 'python' } } })
    await expect(load({ known })).rejects.toThrow('did you mean the known server "pyright"?')
  })

  test('R-25 endpoints: host and port, bracketed IPv6, or a socket by absolute path', () => {
    expect(parseEndpoint('localhost:80')).toEqual({ kind: 'tcp', host: 'localhost', port: 80 })
    expect(parseEndpoint('[::1]:65535')).toEqual({ kind: 'tcp', host: '::1', port: 65_535 })
    expect(parseEndpoint('unix:/run/x.sock')).toEqual({ kind: 'unix', path: '/run/x.sock' })
    const wrong = [
      '',
      ':80',
      'h:',
      'h:0',
      'h:65536',
      'h:1x',
      '::1:80',
      'unix:x',
      `unix:/${'x'.repeat(107)}`,
      '-h:1',
      'a b:1',
    ]
    for (const text of wrong) expect(parseEndpoint(text), text).toBeUndefined()
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        expect(parseEndpoint(`${host}:${port}`)).toEqual({ kind: 'tcp', host, port })
      }),
    )
  })

  test('R-22 unattended, governed knows the registrations of the operator alone', async () => {
    await user({ servers: { mine: gopls } })
    await workspace({ servers: { theirs: gopls } })
    await trust()
    const names = (loaded: Parameters<typeof serversFor>[0], interactive: boolean) =>
      serversFor(loaded, { interactive }).map(server => server.name)
    const governed = await load({ flags: { preset: 'governed' } })
    expect(names(governed, false)).toEqual(['mine'])
    expect(names(governed, true)).toEqual(['mine', 'theirs'])
    expect(names(await load(), false)).toEqual(['mine', 'theirs'])
  })
})

describe('R-40 R-41 R-42 R-44 C32 agents', () => {
  const agents = `
agents:
  - id: cody
    model: whatever the host likes
    lsp:
      enabled: true
      languages: [rust]
      prewarm: [rust]
      idle_teardown_secs: 60
  - id: ada
    lsp: { enabled: true, languages: [go, python] }
  - id: bare
  - id: empty
    lsp: {}
`

  test('R-44 two agents of one file each get their own values', async () => {
    await write('config/alidade/agents.yaml', agents)
    expect((await load({ agent: 'cody' })).settings).toMatchObject({
      enabled: true,
      languages: ['rust'],
      prewarm: ['rust'],
      idleSeconds: 60,
    })
    expect((await load({ agent: 'ada' })).settings).toMatchObject({
      enabled: true,
      languages: ['go', 'python'],
      prewarm: [],
      idleSeconds: 600,
    })
  })

  test.each(['bare', 'empty'])(
    'R-40 R-41 C32 the agent "%s" is not enabled, and the rest has its defaults',
    async agent => {
      await write('config/alidade/agents.yaml', agents)
      expect((await load({ agent, flags: { preset: 'single-tool' } })).settings).toMatchObject({
        enabled: false,
        languages: [],
        prewarm: [],
        idleSeconds: 600,
      })
    },
  )

  test('C32 without --agent the choice of a preset is the opt-in', async () => {
    await write('config/alidade/agents.yaml', agents)
    const loaded = await load({ flags: { preset: 'single-tool' } })
    expect(loaded.settings.enabled).toBe(true)
    expect(loaded.sources).toEqual([])
  })

  test('R-42 an empty list allows every language, another only its own', async () => {
    await write('config/alidade/agents.yaml', agents)
    const { settings } = await load({ agent: 'cody' })
    expect(languageEnabled(settings, 'rust')).toBe(true)
    expect(languageEnabled(settings, 'go')).toBe(false)
    expect(languageEnabled((await load()).settings, 'go')).toBe(true)
  })

  test('R-42 what an agent may not use is not warmed for it', async () => {
    await user({ prewarm: ['go', 'rust'] })
    await write('config/alidade/agents.yaml', 'agents: [{id: a, lsp: {enabled: true, languages: [rust]}}]')
    expect((await load({ agent: 'a' })).settings.prewarm).toEqual(['rust'])
    expect((await load()).settings.prewarm).toEqual(['go', 'rust'])
  })

  test("--config may be a host's agents file, beside the user's file, or hold both", async () => {
    await user({ timeout_ms: 5 })
    const host = await write('agents.yaml', `version: 1\n${agents}`)
    const loaded = await load({ configFile: host, agent: 'cody' })
    expect(loaded.settings).toMatchObject({ timeoutMs: 5, languages: ['rust'] })
    expect(loaded.sources).toEqual([join(base, 'config/alidade/config.jsonc'), host])
    const both = await write('both.yaml', `limit_kb: 3\n${agents}`)
    const combined = await load({ configFile: both, agent: 'cody' })
    expect(combined.settings).toMatchObject({ timeoutMs: 55_000, limitKb: 3, languages: ['rust'] })
    expect(combined.sources).toEqual([both])
    const typo = await write('typo.yaml', `limit_kb: 3\nlangauges: []\n${agents}`)
    await expect(load({ configFile: typo, agent: 'cody' })).rejects.toThrow(
      `${typo}:2:1: unknown key "langauges"`,
    )
  })

  test('an unknown agent, a second one of that id, a missing file and an unknown key are refused', async () => {
    await expect(load({ agent: 'cody' })).rejects.toThrow('agents.yaml does not exist')
    const path = await write('config/alidade/agents.yaml', agents)
    await expect(load({ agent: 'codi' })).rejects.toThrow(`${path} has no agent "codi"; did you mean "cody"?`)
    await write('config/alidade/agents.yaml', 'agents:\n  - id: a\n  - id: a\n')
    await expect(load({ agent: 'a' })).rejects.toThrow(`${path}:3:9: a second agent has the id "a"`)
    await write('config/alidade/agents.yaml', 'agents:\n  - id: a\n    lsp:\n      enabld: true\n')
    await expect(load({ agent: 'a' })).rejects.toThrow(
      `${path}:4:7: unknown key "enabld" in agents[0].lsp; did you mean "enabled"?`,
    )
  })
})

describe('K06 a user file that others could have written', () => {
  test('may not name a command, and says how to mend it', async () => {
    const path = await user(
      '{\n "preset": "full",\n "servers": {"go": {"language": "go",\n "command": "x"}}}',
    )
    await chmod(path, 0o666)
    await expect(load()).rejects.toMatchObject({
      kind: 'InvalidArguments',
      message: [
        `${path}:2:2: preset is refused in this file: every user may write to it`,
        `${path}:4:2: servers.go.command is refused in this file: every user may write to it`,
      ].join('\n'),
      hint: expect.stringContaining('chmod go-w'),
    })
    await chmod(path, 0o600)
    expect((await load()).servers).toHaveLength(1)
    await expect(load({ configFile: path })).resolves.toBeDefined()
    await chmod(path, 0o602)
    await expect(load({ configFile: path })).rejects.toThrow('refused')
  })

  test.each<[string, object]>([
    ['knobs', { knobs: { edits: 'apply' } }],
    ['policy', { policy: { rules: [{ decision: 'allow' }] } }],
  ])('may not say what a model may do by %s', async (key, configuration) => {
    const path = await user(configuration)
    await chmod(path, 0o666)
    await expect(load()).rejects.toThrow(`${key} is refused in this file: every user may write to it`)
    await expect(load({ configFile: path })).rejects.toThrow(`${key} is refused`)
    await chmod(path, 0o600)
    await expect(load()).resolves.toBeDefined()
  })

  test('may not enable an agent, be it as agents.yaml or as --config, alone or with settings', async () => {
    const block = { agents: [{ id: 'coder', lsp: { enabled: true } }] }
    const path = await write('config/alidade/agents.yaml', block)
    const both = await write('both.yaml', { timeout_ms: 7, ...block })
    for (const file of [path, both]) await chmod(file, 0o602)
    const refused = 'agents is refused in this file: every user may write to it'
    await expect(load({ agent: 'coder' })).rejects.toThrow(`${path}:1:2: ${refused}`)
    await expect(load({ agent: 'coder', configFile: path })).rejects.toThrow(refused)
    await expect(load({ agent: 'coder', configFile: both })).rejects.toThrow(refused)
    await chmod(path, 0o600)
    expect((await load({ agent: 'coder' })).settings.enabled).toBe(true)
  })

  test('may still set what harms nobody', async () => {
    await chmod(await user({ timeout_ms: 7 }), 0o666)
    expect((await load()).settings.timeoutMs).toBe(7)
  })

  test('a stranger as owner counts, root does not', async () => {
    const stats = await stat(await user({}))
    expect(foreignWriter(stats, stats.uid)).toBeUndefined()
    expect(foreignWriter(Object.assign(stats, { uid: 1234 }), 1000)).toBe('it belongs to another user')
    expect(foreignWriter(Object.assign(stats, { uid: 0 }), 1000)).toBeUndefined()
    expect(foreignWriter(Object.assign(stats, { uid: 1234 }), null)).toBeUndefined()
  })

  test.runIf(process.getuid?.() === 0)('a file that was given to another user is refused', async () => {
    await chown(await user({ servers: { go: gopls } }), 12_345, 12_345)
    await expect(load()).rejects.toThrow(
      'servers.go.command is refused in this file: it belongs to another user',
    )
  })
})

describe('K07 C26 what a workspace may say', () => {
  const file =
    '{\n  "servers": {\n    "evil": {\n      "language": "go",\n      "command": "/bin/evil",\n      "args": ["-x"]\n    }\n  }\n}'

  test('K07 untrusted, an entry with a command is withheld with its keys and places', async () => {
    await workspace(file)
    const { servers, withheld, trust: verdict } = await load()
    expect(servers).toEqual([])
    expect(verdict).toEqual({ trusted: false, reason: 'never trusted' })
    expect(withheld).toEqual([
      {
        server: 'evil',
        language: 'go',
        keys: [
          { key: 'servers.evil.command', place: '.alidade/lsp.json:5:7' },
          { key: 'servers.evil.args', place: '.alidade/lsp.json:6:7' },
        ],
        reason: 'the workspace was never trusted',
      },
    ])
    const [first] = withheld
    const error = first && notTrusted(first, root)
    expect(error?.kind).toBe('NotTrusted')
    expect(error?.message).toContain('servers.evil.command (.alidade/lsp.json:5:7)')
    expect(error?.hint).toContain(`alidade trust ${root}`)
  })

  test('K07 trusted it counts, until the file changes', async () => {
    await workspace(file)
    await trust()
    expect((await load()).servers).toMatchObject([
      { name: 'evil', command: '/bin/evil', origin: 'workspace' },
    ])
    await workspace(file.replace('/bin/evil', '/bin/worse'))
    const { servers, withheld } = await load()
    expect(servers).toEqual([])
    expect(withheld[0]?.reason).toBe('its configuration changed since it was trusted')
  })

  test.each([
    { command: 'x' },
    { endpoint: 'h:1' },
    { env: { A: 'b' } },
    { initialization_options: {} },
    { settings: { gopls: { buildFlags: ['-toolexec=evil'] } } },
  ])('K07 %j alone is enough', async extra => {
    await workspace({ servers: { gopls: { language: 'go', ...extra } } })
    const { servers, withheld } = await load()
    expect(servers).toEqual([])
    expect(withheld.flatMap(entry => entry.keys.map(({ key }) => key))).toEqual([
      `servers.gopls.${Object.keys(extra)[0]}`,
    ])
  })

  test('choosing a known server, and bounds on it, is free', async () => {
    const entry = { language: 'python', scope: ['tools/**'], root_markers: ['setup.py'], extensions: ['.py'] }
    await workspace({ servers: { pylsp: entry }, languages: ['python'], timeout_ms: 9 })
    const { servers, withheld, settings } = await load()
    expect(servers).toMatchObject([
      { name: 'pylsp', language: 'python', scope: ['tools/**'], origin: 'workspace' },
    ])
    expect(withheld).toEqual([])
    expect(settings).toMatchObject({ languages: ['python'], timeoutMs: 9 })
  })

  test('untrusted, it may neither choose the preset nor widen the languages', async () => {
    await user({ preset: 'governed', languages: ['go', 'rust'] })
    await workspace({ preset: 'full', languages: [] })
    const { preset, settings, withheld } = await load()
    expect(preset.name).toBe('governed')
    expect(settings.languages).toEqual(['go', 'rust'])
    expect(withheld.map(entry => [entry.server, entry.keys[0]?.key])).toEqual([
      [undefined, 'preset'],
      [undefined, 'languages'],
    ])
    await workspace({ languages: ['python'] })
    expect((await load()).settings.languages).toEqual(['go', 'rust'])
    await workspace({ languages: ['rust'] })
    expect((await load()).settings.languages).toEqual(['rust'])
    await workspace({ preset: 'full', languages: [] })
    await trust()
    expect(await load()).toMatchObject({
      preset: { name: 'full' },
      settings: { languages: [] },
      withheld: [],
    })
  })

  test('a record of trust that is damaged trusts nobody, and nothing crashes', async () => {
    await workspace(file)
    await write('state/alidade/trust.json', 'damaged')
    expect((await load()).withheld[0]?.reason).toBe('the record of trust cannot be read')
  })
})

describe('K08 variables in env', () => {
  const withEnv = (value: string) => user({ servers: { go: { ...gopls, env: { A: value } } } })
  const expanded = async () => (await load()).servers[0]?.environment.A

  test('are taken from our environment, also when they are empty', async () => {
    Object.assign(env, { HERE: 'x', EMPTY: '' })
    await withEnv(`$HERE \${HERE}/\${EMPTY}/$\${HERE} $`)
    expect(await expanded()).toBe(`$HERE x//\${HERE} $`)
    // What comes out of a variable is not looked at again.
    Object.assign(env, { HERE: `\${EMPTY}` })
    await withEnv(`\${HERE}`)
    expect(await expanded()).toBe(`\${EMPTY}`)
  })

  test('are an error when missing or malformed, with the place', async () => {
    const path = await withEnv(`a \${NOT_SET_ANYWHERE}`)
    await expect(load()).rejects.toThrow(
      new RegExp(`^${path}:1:\\d+: servers.go.env.A uses \\$\\{NOT_SET_ANYWHERE\\}, which is not set$`),
    )
    for (const value of [`\${`, `\${}`, `\${a b}`, `\${toString`]) {
      await withEnv(value)
      await expect(load(), value).rejects.toThrow('begins no variable')
    }
    await withEnv(`\${toString}`)
    await expect(load()).rejects.toThrow('which is not set')
  })

  test('are never read for a workspace that is not trusted', async () => {
    await workspace({ servers: { go: { ...gopls, env: { A: `\${NOT_SET_ANYWHERE}` } } } })
    expect((await load()).withheld).toHaveLength(1)
  })
})

describe('R-05 a rule that could never hold is an error', () => {
  const known = {
    names: [],
    extensionsOf: () => undefined,
    languages: new Map([
      ['typescript', 'typescript'],
      ['javascript', 'typescript'],
      ['python', 'python'],
    ]),
  }
  const rule = (condition: object) => ({ policy: { rules: [{ decision: 'deny', ...condition }] } })

  test.each<[string, object, RegExp]>([
    [
      'an operation that does not exist',
      rule({ operations: ['aply_edit'] }),
      /operations\[0\] names no operation; the nearest is "apply_edit"/,
    ],
    [
      'one for the tools',
      { knobs: { operations: ['find-symbols'] } },
      /operations\[0\] names no operation; the nearest is "find_symbol"/,
    ],
    [
      'a misspelt language',
      rule({ languages: ['pyhton'] }),
      /"pyhton" is no language; did you mean "python"/,
    ],
    ['a kind of files', rule({ languages: ['javascript'] }), /"javascript" counts as "typescript" here/],
    [
      'a language of the envelope',
      { policy: { envelope: { languages: ['pyton'] } } },
      /policy\.envelope\.languages\[0\] would never hold/,
    ],
  ])('%s', async (_, content, message) => {
    await user(content)
    await expect(load({ known })).rejects.toMatchObject({
      kind: 'InvalidArguments',
      message: expect.stringMatching(message),
    })
  })

  test('an operation may be spelt as on the command line', async () => {
    await user(rule({ operations: ['apply-edit', 'find_symbol'] }))
    const { settings } = await load({ known })
    expect(settings.policy.rules).toMatchObject([{ operations: ['apply_edit', 'find_symbol'] }])
  })

  test('a language that somebody registers, or that resembles no other, stands', async () => {
    const servers = { own: { language: 'pythno', command: '/bin/own', extensions: ['.own'] } }
    await user({ servers, ...rule({ languages: ['pythno', 'cobol'] }) })
    expect((await load({ known })).settings.policy.rules).toHaveLength(1)
  })
})
