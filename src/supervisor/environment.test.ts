import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serverEnvironment } from './environment.js'

/** Written down once more, from the security rules and not from the code. */
const mustNeverPass = [
  /_?(TOKEN|KEY|SECRET|PASSWORD)$/i,
  /^AWS_/i,
  /^SSH_AUTH_SOCK$/i,
  /^NODE_OPTIONS$/i,
  /^LD_/i,
  /^BASH_ENV$/i,
  /^PYTHONSTARTUP$/i,
  /^GIT_CONFIG/i,
  /^GOFLAGS$/i,
  /^RUSTC_WRAPPER$/i,
  /^npm_/i,
  /^ALIDADE_/i,
]

const platforms = fc.constantFrom<NodeJS.Platform>('linux', 'darwin', 'win32')
const word = fc.stringMatching(/^[A-Za-z]{1,8}$/)
const harmlessName = fc.constantFrom(
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'GOPATH',
  'CARGO_HOME',
  'XDG_CACHE_HOME',
)
const forbiddenName = fc.oneof(
  fc
    .tuple(
      fc.oneof(word, harmlessName, fc.constant('LC')),
      fc.constantFrom('_TOKEN', '_KEY', '_SECRET', '_PASSWORD'),
    )
    .map(join),
  fc
    .tuple(
      fc.constantFrom('AWS_', 'LD_', 'GIT_CONFIG_', 'npm_', 'ALIDADE_', 'LC_'),
      word,
      fc.constantFrom('', '_KEY'),
    )
    .filter(([prefix, , suffix]) => prefix !== 'LC_' || suffix !== '')
    .map(join),
  fc.constantFrom('SSH_AUTH_SOCK', 'NODE_OPTIONS', 'BASH_ENV', 'PYTHONSTARTUP', 'GOFLAGS', 'RUSTC_WRAPPER'),
)
const anyName = fc.oneof(harmlessName, forbiddenName, word)
const environment = fc.dictionary(anyName, fc.string(), { maxKeys: 20 })

function join(parts: readonly string[]): string {
  return parts.join('')
}

describe('O11 what a server sees of our environment', () => {
  test('O11 nothing forbidden passes unless it was asked for by name', () => {
    fc.assert(
      fc.property(environment, environment, platforms, (base, extra, platform) => {
        const seen = serverEnvironment(base, extra, platform)
        for (const name of Object.keys(seen)) {
          if (Object.hasOwn(extra, name)) continue
          expect(mustNeverPass.filter(pattern => pattern.test(name))).toEqual([])
        }
      }),
    )
  })

  test('O11 a secret in our environment is in no value, whatever its variable is called', () => {
    const canary = 'canary-7f3a'
    const secretive = fc.dictionary(forbiddenName, fc.constant(canary), { maxKeys: 20 })
    fc.assert(
      fc.property(secretive, platforms, (base, platform) => {
        expect(Object.values(serverEnvironment(base, {}, platform))).not.toContain(canary)
      }),
    )
  })

  test('O11 what the definition or the user names always wins', () => {
    fc.assert(
      fc.property(environment, environment, platforms, (base, extra, platform) => {
        expect(serverEnvironment(base, extra, platform)).toMatchObject(extra)
      }),
    )
  })

  test('O11 Windows gets one variable per name, however it is spelled', () => {
    const seen = serverEnvironment(
      { Path: 'C:\\old', SystemRoot: 'C:\\Windows' },
      { PATH: 'C:\\new' },
      'win32',
    )
    expect(seen).toEqual({ PATH: 'C:\\new', SystemRoot: 'C:\\Windows' })
  })

  test('O11 toolchains stay findable', () => {
    const base = {
      HOME: '/h',
      GOPATH: '/g',
      RUSTUP_HOME: '/r',
      JAVA_HOME: '/j',
      LC_CTYPE: 'C.UTF-8',
      XDG_CACHE_HOME: '/c',
    }
    expect(serverEnvironment({ ...base, PATH: '/bin', EDITOR: 'vi' }, {}, 'linux')).toEqual({
      ...base,
      PATH: '/bin',
    })
  })
})

describe('S09 PATH leads nowhere into the workspace', () => {
  test('S09 empty and relative entries are left out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('/usr/bin', '', '.', 'node_modules/.bin', './bin', '/opt/x')),
        entries => {
          const path = serverEnvironment({ PATH: entries.join(':') }, {}, 'linux').PATH ?? ''
          const expected = entries.filter(entry => entry.startsWith('/'))
          expect(path).toBe(expected.join(':'))
        },
      ),
    )
  })

  test('S09 without a PATH there is still a system', () => {
    expect(serverEnvironment({}, {}, 'linux')).toEqual({ PATH: '/usr/local/bin:/usr/bin:/bin' })
  })
})

describe('O11 proxies keep their address and lose their password', () => {
  test.each([
    ['HTTPS_PROXY', 'http://user:secret@proxy.example:3128', 'http://proxy.example:3128'],
    ['http_proxy', 'user:se@cret@proxy.example:3128', 'proxy.example:3128'],
    [
      'GOPROXY',
      'https://a:secret@one.example|https://secret@two.example/x,direct',
      'https://one.example|https://two.example/x,direct',
    ],
    ['GOPROXY', 'https://plain.example/@v/,off', 'https://plain.example/@v/,off'],
  ])('O11 %s=%s', (name, value, expected) => {
    expect(serverEnvironment({ [name]: value }, {}, 'linux')[name]).toBe(expected)
  })
})
