import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedact } from './redact.js'

const redact = createRedact({ root: '/home/ada/project', home: '/home/ada' })

const secrets = [
  'AKIAIOSFODNN7EXAMPLE',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'github_pat_11ABCDEFG0123456789_abcdefghijklmnop',
  'sk-proj-abcdef0123456789abcdef',
  'xoxb-123456789012-abcdefghijkl',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl',
  'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY',
  'hV7s9Q2mK4xZ8wB1nL6pR3tY5',
  '-----BEGIN RSA PRIVATE KEY----- MIIEow -----END RSA PRIVATE KEY-----',
]

test('E06 a secret is taken out wherever it stands in a text', () => {
  const around = fc.stringMatching(/^[a-z ]{0,30}$/)
  fc.assert(
    fc.property(fc.constantFrom(...secrets), around, around, (secret, before, after) => {
      const kept = redact(`${before} ${secret} ${after}`, 500)
      expect(kept).not.toContain(secret)
      expect(kept).toContain('[redacted]')
    }),
  )
})

test('E06 a secret is taken out where it is the whole text, or a part of a path', () => {
  for (const secret of secrets) {
    expect(redact(secret, 500)).not.toContain(secret)
    expect(redact(`src/${secret}.ts`, 500)).not.toContain(secret)
  }
})

test.each([
  ['password = "hunter2"', 'hunter2'],
  ["DB_PASSWORD: 'correct horse'", 'correct horse'],
  ['api_key=abc123def', 'abc123def'],
  ['clone of https://ada:s3same@example.org/x failed', 's3same'],
  ['Authorization: Bearer abcdefghijkl', 'abcdefghijkl'],
  [`Type '"open sesame"' is not assignable to type 'number'.`, 'open sesame'],
  [`Type '{ word: "open sesame"; }' is missing`, 'open sesame'],
  [`Type "Literal['open sesame']" is not assignable to "int"`, 'open sesame'],
  ['cannot use "open sesame" (untyped string constant) as int value', 'open sesame'],
])('E06 %s loses what is secret or quoted from the source', (text, secret) => {
  expect(redact(text, 500)).not.toContain(secret)
})

test.each([
  'src/operations/find-references.ts',
  'BridgeError.constructor#2',
  "Property 'area' does not exist on type 'Shape'.",
  "Type '{ password: string; }' is missing the following properties",
  'textDocument/semanticTokens/full',
  '20260115_add_customer_table_v2.sql',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'getUserAccountInformationFromDatabaseV2',
  '2030-01-01T00:00:00.000Z',
  'p:0123456789ab',
])('%s stays as it is', text => {
  expect(redact(text, 500)).toBe(text)
})

test.each([
  ['cannot open /home/ada/project/src/a.ts', 'cannot open src/a.ts'],
  ['no module in file:///home/ada/project/lib', 'no module in lib'],
  ['spawn /usr/local/bin/gopls ENOENT', 'spawn external:gopls ENOENT'],
  ["ENOENT: '/home/ada/.ssh/config'", "ENOENT: 'external:config'"],
  ['C:\\Users\\ada\\x.exe failed', 'external:x.exe failed'],
  ['ratio a/b is off', 'ratio a/b is off'],
])('O7 %s keeps no path of this machine', (text, kept) => {
  expect(redact(text, 500)).toBe(kept)
})

test('E07 what is too long is cut and named by its hash', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 1000 }),
      fc.integer({ min: 100, max: 300 }),
      (text, most) => {
        const kept = redact(text, most)
        expect(kept.length).toBeLessThanOrEqual(most)
      },
    ),
  )
  expect(redact('x'.repeat(1_000_000), 200)).toMatch(/^x+\u2026 sha256:[0-9a-f]{64}$/)
})

test('E08 a control character or line feed never survives', () => {
  expect(redact('a\nb\u0000\u001b[31mc\u202e', 100)).toBe('a bc')
})
