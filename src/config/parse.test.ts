import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { BridgeError } from '../errors.js'
import { parseConfiguration } from './parse.js'
import { parseJsonc } from './parse-jsonc.js'
import { parseYaml } from './parse-yaml.js'
import { readBounded } from './read.js'
import { configurationSchema } from './schema.js'
import { validate } from './validate.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alidade-parse-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const parse = (text: string, name = 'c.jsonc') =>
  parseConfiguration(
    Buffer.from(text),
    name,
    name.endsWith('.yaml') || name.endsWith('.yml') ? parseYaml : parseJsonc,
  )
const check = (text: string, name = 'c.jsonc') => validate(configurationSchema, parse(text, name))

function failure(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const messageOf = (text: string, name?: string) => failure(() => check(text, name)).message

describe('K01 what is no JSON or YAML is refused with file:line:column', () => {
  test.each([
    ['c.jsonc', '{\n  "preset" "full"\n}', 'c.jsonc:2:12: invalid JSON: colon expected at "\\"full\\""'],
    ['c.jsonc', '{"preset": "full"', 'c.jsonc:1:18: invalid JSON: close brace expected'],
    ['c.jsonc', '{"preset": full}', 'c.jsonc:1:12: invalid JSON: invalid symbol at "full"'],
    ['c.jsonc', '{} {}', 'c.jsonc:1:4: invalid JSON: end of file expected at "{"'],
    [
      'c.yaml',
      'preset: full\n\tlanguages: []',
      'c.yaml:2:1: invalid YAML: Tabs are not allowed as indentation',
    ],
    [
      'c.yaml',
      'languages: [go',
      'c.yaml:1:15: invalid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['c.yaml', 'a: "\x07"', 'c.yaml:1:5: invalid YAML: a control character'],
    [
      'c.yaml',
      'preset: full\n---\npreset: default',
      'c.yaml:2:1: invalid YAML: a second document begins here',
    ],
    [
      'c.jsonc',
      '{\n "preset": "full",\n "preset": "full" }',
      'c.jsonc:3:2: the key "preset" stands here a second time',
    ],
    ['c.yaml', 'preset: full\npreset: full', 'c.yaml:2:1: the key "preset" stands here a second time'],
    ['c.jsonc', '{"servers": {"__proto__": {}}}', 'c.jsonc:1:14: the key "__proto__" is not allowed'],
    ['c.yaml', '__proto__: {}', 'c.yaml:1:1: the key "__proto__" is not allowed'],
  ])('%s %j', (name, text, message) => {
    const error = failure(() => parse(text, name))
    expect(error.message).toBe(message)
    expect(error.kind).toBe('InvalidArguments')
    expect(error.hint).toBeTruthy()
  })

  test('a byte order mark moves no column, comments and trailing commas are read, UTF-16 is not', () => {
    expect(check('\ufeff{ // why\n "preset": "full", }')).toEqual({ preset: 'full' })
    expect(messageOf('\ufeff{"x": 1}')).toMatch(/^c\.jsonc:1:2: /)
    expect(check('\ufeffpreset: full', 'c.yaml')).toEqual({ preset: 'full' })
    const utf16 = Buffer.from('\ufeff{}', 'utf16le')
    expect(failure(() => parseConfiguration(utf16, 'c.json', parseJsonc)).message).toContain(
      'c.json is not UTF-8 text',
    )
  })

  test('a file of comments sets nothing', () => {
    expect(check('// nothing\n')).toEqual({})
    expect(check('', 'c.yaml')).toEqual({})
    expect(check('# nothing\n', 'c.yml')).toEqual({})
  })

  test('the same value is read from both formats', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 3, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }),
        value => {
          fc.pre(!JSON.stringify(value).includes('"__proto__":') && !JSON.stringify(value).includes('"<<":'))
          const expected: unknown = JSON.parse(JSON.stringify(value))
          expect(parse(JSON.stringify(value, null, 2)).value).toEqual(expected)
          expect(parse(stringify(expected, { aliasDuplicateObjects: false }), 'c.yaml').value).toEqual(
            expected,
          )
        },
      ),
    )
  })
})

describe('K02 an unknown key is refused with its place and the nearest valid key', () => {
  test('in JSONC', () => {
    const error = failure(() =>
      check(
        '// mine\n{\n  "servers": {\n    "go": {\n      "langauge": "go",\n      "language": "go"\n    }\n  }\n}',
      ),
    )
    expect(error.message).toBe('c.jsonc:5:7: unknown key "langauge" in servers.go; did you mean "language"?')
    expect(error.hint).toBe(
      'Rename it to "language". Valid keys here: language, command, args, endpoint, scope, extensions, root_markers, initialization_options, settings, env.',
    )
  })

  test('in YAML', () => {
    const error = failure(() =>
      check('# mine\nservers:\n  go:\n    language: go\n    rootMarkers: [go.mod]\n', 'c.yaml'),
    )
    expect(error.message).toBe(
      'c.yaml:5:5: unknown key "rootMarkers" in servers.go; did you mean "root_markers"?',
    )
  })

  test('without a near one, and several at once in the order of the file', () => {
    expect(messageOf('{"restart": {"banana": 1}, "tiemout_ms": 5,\n "limit_kb": 0}')).toBe(
      [
        'c.jsonc:1:14: unknown key "banana" in restart',
        'c.jsonc:1:28: unknown key "tiemout_ms"; did you mean "timeout_ms"?',
        'c.jsonc:2:14: limit_kb must be a whole number from 1 to 10240, not 0',
      ].join('\n'),
    )
  })

  test('a key from a stranger cannot command the terminal or fill the screen', () => {
    const message = messageOf(JSON.stringify({ [`\x1b[2J\u202e${'k'.repeat(5000)}`]: 1 }))
    expect(message).not.toMatch(/[\x1b\u202e]/)
    expect(message.length).toBeLessThan(200)
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`zzz${index}`, 1]))
    const lines = messageOf(JSON.stringify(many)).split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('and more')
  })
})

describe('K03 a wrong value is refused with its path and what is allowed', () => {
  test.each([
    ['{"timeout_ms": "10"}', '1:16: timeout_ms must be a whole number from 1 to 3600000, not a string'],
    ['{"timeout_ms": -5}', '1:16: timeout_ms must be a whole number from 1 to 3600000, not -5'],
    ['{"timeout_ms": 1e99}', '1:16: timeout_ms must be a whole number from 1 to 3600000, not 1e+99'],
    ['{"timeout_ms": 1e999}', '1:16: timeout_ms must be a whole number from 1 to 3600000, not Infinity'],
    ['{"timeout_ms": 1.5}', '1:16: timeout_ms must be a whole number from 1 to 3600000, not 1.5'],
    ['{"idle_seconds": null}', '1:18: idle_seconds must be a whole number from 0 to 604800, not null'],
    [
      '{"restart": {"backoff_ms": [1, -1]}}',
      '1:32: restart.backoff_ms[1] must be a whole number from 0 to 3600000, not -1',
    ],
    [
      '{"preset": "ful"}',
      '1:12: preset must be one of "default", "full", "governed", "single-tool", "plugin", "sandbox", not "ful"; did you mean "full"?',
    ],
    ['{"languages": "go"}', '1:15: languages must be a list of strings, not a string'],
    [
      '{"languages": ["../x"]}',
      '1:16: languages[0] must begin with a letter or digit and hold only letters, digits and . _ + -',
    ],
    ['[]', '1:1: the configuration must be an object, not a list'],
    ['{"servers": {"a/b": {"language": "go"}}}', '1:14: the name "a/b" must begin with a letter or digit'],
    ['{"servers": {"go": {"command": "gopls"}}}', '1:14: servers.go.language is missing'],
    [
      '{"servers": {"go": {"language": "go", "command": "x", "endpoint": "h:1"}}}',
      '1:67: servers.go.endpoint cannot stand beside command',
    ],
    ['{"servers": {"go": {"language": "go", "args": []}}}', '1:47: servers.go.args need a command'],
    [
      '{"servers": {"go": {"language": "go", "endpoint": "h"}}}',
      '1:51: servers.go.endpoint must be "host:port" or "unix:/absolute/path"',
    ],
    [
      '{"servers": {"go": {"language": "go", "command": "x", "extensions": ["go"]}}}',
      '1:70: servers.go.extensions[0] must begin with a dot',
    ],
    [
      '{"servers": {"go": {"language": "go", "settings": {"a": 1e999}}}}',
      '1:57: servers.go.settings.a must be plain JSON, with finite numbers only',
    ],
    [
      '{"servers": {"go": {"language": "go", "scope": ["../x"]}}}',
      '1:49: servers.go.scope[0] must not lead out of the workspace',
    ],
    [
      '{"servers": {"go": {"language": "go", "scope": ["a*a*a*b"]}}}',
      '1:49: servers.go.scope[0] may hold at most four wildcards',
    ],
  ])('%s', (text, message) => {
    expect(messageOf(text).startsWith(`c.jsonc:${message}`), messageOf(text)).toBe(true)
  })

  test('NaN and infinity of YAML are refused too', () => {
    expect(messageOf('timeout_ms: .nan', 'c.yaml')).toContain(
      'c.yaml:1:13: timeout_ms must be a whole number',
    )
    expect(messageOf('timeout_ms: .inf', 'c.yaml')).toContain('not Infinity')
  })

  test('a string in the wrong place is not repeated, as it may be a secret', () => {
    expect(messageOf('{"timeout_ms": "hunter2"}')).not.toContain('hunter2')
  })
})

describe('K04 only the core of YAML', () => {
  test('`no` is a word, not false', () => {
    expect(parse('a: no\nb: off\nc: true\nd: 0o17', 'c.yaml').value).toEqual({
      a: 'no',
      b: 'off',
      c: true,
      d: 15,
    })
    expect(parse('%YAML 1.1\n---\na: no', 'c.yaml').value).toEqual({ a: 'no' })
  })

  test.each([
    ['a: !!js/function "x"', 'c.yaml:1:18: the tag "tag:yaml.org,2002:js/function" is not allowed'],
    ['a: !!binary aGk=', 'c.yaml:1:13: the tag "tag:yaml.org,2002:binary" is not allowed'],
    ['base: &b {k: 1}\nc:\n  <<: *b', 'c.yaml:3:3: merge keys ("<<") are not supported'],
    ['a: *nowhere', 'c.yaml:1:4: no anchor "nowhere" stands before this alias'],
    ['a: &a [*a]', 'c.yaml:1:8: an alias to the value around it'],
    ['? [a]\n: 1', 'c.yaml:1:3: invalid YAML: With stringKeys, all keys must be strings'],
  ])('%j', (text, message) => {
    expect(failure(() => parse(text, 'c.yaml')).message).toBe(message)
  })

  test('a few aliases are read, and errors are placed where they are used', () => {
    const text = 'languages: &l [go]\nprewarm: *l\ntimeout_ms: &t x\nidle_seconds: *t'
    expect(parse(text, 'c.yaml').value).toMatchObject({ languages: ['go'], prewarm: ['go'] })
    expect(messageOf(text, 'c.yaml')).toContain('c.yaml:4:15: idle_seconds must be')
  })

  test('a bomb of aliases, of depth and of keys is defused quickly', () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
    ]
    expect(failure(() => parse(lines.join('\n'), 'c.yaml')).message).toContain('more than 100 aliases')
    for (const part of ['[', '{a: ', '- ', '? ']) {
      expect(failure(() => parse(part.repeat(200_000), 'c.yaml')).message, part).toContain(
        'nested more than 100 deep',
      )
    }
    const steps = Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n')
    expect(failure(() => parse(steps, 'c.yaml')).message).toContain('nested more than 100 deep')
    // A closing bracket inside a string closes nothing.
    expect(failure(() => parse('["]",'.repeat(5000), 'c.yaml')).message).toContain(
      'nested more than 100 deep',
    )
    const keys = Array.from({ length: 60_000 }, (_, n) => `k${n}: 1`).join('\n')
    expect(failure(() => parse(keys, 'c.yaml')).message).toMatch(
      /more than 50000 values|too many YAML tokens/,
    )
    for (const part of ['[', '{"a":']) {
      expect(failure(() => parse(part.repeat(200_000))).message, part).toContain('nested more than 100 deep')
    }
  })

  test('a hundred levels are still fine', () => {
    const nested = '['.repeat(99) + ']'.repeat(99)
    expect(() => parse(`{"a": ${nested}}`)).not.toThrow()
    expect(() => parse(`a: ${nested}`, 'c.yaml')).not.toThrow()
  })
})

describe('K05 reading is bounded and never hangs', () => {
  const read = (name: string) => readBounded(join(folder, name), { name })

  test('a pipe, a folder, a device and a socket are named for what they are', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await mkdir(join(folder, 'folder'))
    await symlink('/dev/zero', join(folder, 'zero'))
    const server = createServer()
    await new Promise<void>(resolve => server.listen(join(folder, 'socket'), resolve))
    await expect(read('pipe')).rejects.toThrow('pipe is a pipe, not a file')
    await expect(read('folder')).rejects.toThrow('folder is a folder, not a file')
    await expect(read('zero')).rejects.toThrow('zero is a device, not a file')
    await expect(read('socket')).rejects.toThrow('socket is a socket, not a file')
    await new Promise(resolve => server.close(resolve))
  })

  test('a gigabyte is refused unread, what claims to be empty is counted, nothing there is undefined', async () => {
    await writeFile(join(folder, 'big'), '')
    await truncate(join(folder, 'big'), 1024 ** 3)
    await expect(read('big')).rejects.toThrow('big is larger than 1024 KB')
    await writeFile(join(folder, 'exact'), 'x'.repeat(100))
    const options = { name: 'exact', limit: 100 }
    expect((await readBounded(join(folder, 'exact'), options))?.bytes.length).toBe(100)
    await expect(readBounded(join(folder, 'exact'), { ...options, limit: 99 })).rejects.toThrow('larger')
    await expect(read('none')).resolves.toBeUndefined()
    await expect(read('exact/below')).resolves.toBeUndefined()
  })

  test.runIf(process.platform === 'linux')(
    'a file of /proc, whose size is zero, is held to the bound too',
    async () => {
      await expect(readBounded('/proc/self/maps', { name: 'maps', limit: 10 })).rejects.toThrow('larger')
    },
  )
})
