import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadTokenizer } from './tokens.js'

test('contract 7 tokens are those of o200k_base; what looks like a control token is text', async () => {
  const count = await loadTokenizer()
  expect(count('hello world')).toBe(2)
  expect(count('')).toBe(0)
  expect(count('<|endoftext|>')).toBeGreaterThan(1)
  expect(await loadTokenizer()).toBe(count)
})

test('contract 7 the tokenizer is named in one file, which is only ever loaded when something is packed', () => {
  const source = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const code = files
    .filter(file => /\.m?ts$|\.mjs$/.test(file) && !/\.test\.ts$/.test(file))
    .map(file => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(source, file), 'utf8') }))
  const naming = (pattern: RegExp) => code.filter(({ text }) => pattern.test(text)).map(({ file }) => file)
  expect(naming(/gpt-tokenizer/)).toEqual(['context/o200k.mjs'])
  expect(naming(/from '[^']*o200k\.mjs'/)).toEqual([])
  expect(naming(/import\('\.\/o200k\.mjs'\)/)).toEqual(['context/tokens.ts'])
})
