import { expect, test } from 'vitest'
import type { RegisteredServer } from './config/registered.js'
import { registrationOf } from './registrations.js'
import { serverDefinitions } from './servers/index.js'

const entry: RegisteredServer = {
  name: 'go',
  language: 'go',
  origin: 'user',
  declaredAt: 'config.jsonc:1:1',
  command: 'gopls',
  args: ['serve'],
  endpoint: undefined,
  scope: ['**'],
  extensions: ['.go'],
  listsExtensions: false,
  rootMarkers: [],
  initializationOptions: {},
  settings: {},
  environment: {},
}

function registered(parts: Partial<RegisteredServer> = {}) {
  const listsExtensions = parts.extensions !== undefined
  return registrationOf({ ...entry, listsExtensions, ...parts }, serverDefinitions)
}

test('contract 5 a known server keeps its own extensions and roots where the entry gives none', () => {
  const known = serverDefinitions.find(({ command }) => command === 'gopls')
  expect(registered().definition).toEqual(known)
})

test('contract 5 the extensions an entry gives are those a known server serves, under the ids it knows', () => {
  const { definition, extensions } = registered({ extensions: ['.go', '.gox'] })
  expect(definition.extensions).toEqual({ '.go': 'go', '.gox': 'go' })
  expect(extensions).toEqual(['.go', '.gox'])
  const react = registered({ language: 'typescript', command: 'vtsls', extensions: ['.tsx'] })
  expect(react.definition.extensions).toEqual({ '.tsx': 'typescriptreact' })
})

test('contract 5 the root markers an entry gives mark the roots of a known server, in its own way', () => {
  expect(registered({ rootMarkers: ['go.work'] }).definition.root).toEqual({
    kind: 'outermost',
    markers: ['go.work'],
  })
  const other = registered({ language: 'typescript', command: 'vtsls', rootMarkers: ['package.json'] })
  expect(other.definition.root).toEqual({ kind: 'nearest', markers: ['package.json'] })
})

test('contract 5 a server nobody knows is run as it is described', () => {
  const { definition } = registered({
    name: 'zls',
    language: 'zig',
    command: 'zls',
    extensions: ['.zig'],
    rootMarkers: ['build.zig'],
  })
  expect(definition).toMatchObject({
    id: 'zls',
    extensions: { '.zig': 'zig' },
    root: { kind: 'nearest', markers: ['build.zig'] },
  })
})
