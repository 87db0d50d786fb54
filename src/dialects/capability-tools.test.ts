import { expect, test } from 'vitest'
import { operations } from '../operations/index.js'
import { capabilityTools } from './capability-tools.js'

const all = capabilityTools({ isOffered: () => true, effects: ['read', 'propose'] })

test('R-160 no tool of the plugin sends a model to a name it is not offered', () => {
  const foreign = operations.map(({ name }) => name).filter(name => !all.some(tool => tool.name === name))
  for (const { name, description, input } of all) {
    const texts = [description, ...Object.values(input.shape).map(field => field.description ?? '')]
    for (const other of foreign)
      expect(`${name}: ${texts.join(' ')}`).not.toMatch(new RegExp(`\\b${other}\\b`))
  }
})

test('R-149 what a server lacks has no tool; diagnostics always have one', () => {
  const none = capabilityTools({ isOffered: ({ lsp }) => lsp === null, effects: ['read', 'propose'] })
  expect(none.map(({ name }) => name)).toEqual(['lsp_diagnostics'])
  const named = ['lsp_diagnostics', 'lsp_hover', 'lsp_goto_definition', 'lsp_references', 'lsp_rename']
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
})
