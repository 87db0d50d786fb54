// From a file's name to the servers that may answer for it: one language per extension, registered servers first and
// only within their scope, and an error that says what would do when nobody answers.
import { expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import { customServer } from '../servers/custom.js'
import { serverDefinitions } from '../servers/index.js'
import { Routes, type RoutesOptions, type ScopedRegistration } from './routes.js'

test('R-23 an extension leads to its language, its id in the protocol and the known servers in order', () => {
  const routes = routesWith({})
  expect(routes.forFile('src/a.ts')).toMatchObject({
    language: 'typescript',
    languageId: 'typescript',
    registered: [],
  })
  const inOrder = routes.forFile('src/a.ts').definitions.map(({ id }) => id)
  expect(inOrder.slice(0, 2)).toEqual(['typescript', 'typescript-language-server'])
  expect(routes.forFile('src/a.tsx').languageId).toBe('typescriptreact')
  expect(routes.forFile('include/shape.hpp')).toMatchObject({ language: 'c', languageId: 'cpp' })
  expect(routes.forFile('deep/er/main.GO')).toMatchObject({ language: 'go' })
  expect(routes.languageOf('MAIN.PY')).toBe('python')
  expect(routes.languageOf('Makefile')).toBeUndefined()
})

test.each([
  ['main.zig', '.zig'],
  ['Makefile', 'Makefile'],
  ['.ts', '.ts'],
  ['archive.ts.gz', '.gz'],
])('R-147 nobody answers for %s', (file, named) => {
  const error = failureOf(() => routesWith({}).forFile(file))
  expect(error.kind).toBe('NoServerForExtension')
  expect(error.message).toContain(named)
  expect(error.hint).toContain('.go')
  expect(error.hint).toContain('"servers"')
})

test('K09 the longest extension decides, and the whole name before it', () => {
  const blade = registration('blade', 'blade', ['.blade.php'], [])
  const routes = routesWith({ registered: [blade] })
  expect(routes.languageOf('views/page.blade.php')).toBe('blade')
  expect(routes.languageOf('views/blade.php')).toBe('php')
  expect(routes.languageOf('views/page.other.php')).toBe('php')
  expect(routesWith({}).languageOf('views/page.blade.php')).toBe('php')
  expect(routes.languageOf('src/types.d.ts')).toBe('typescript')
  expect(routes.languageOf('.blade.php')).toBe('php')
  expect(routes.forFile('images/Dockerfile')).toMatchObject({ language: 'dockerfile' })
  expect(routes.forFile('images/web.dockerfile')).toMatchObject({ language: 'dockerfile' })
  expect(routes.languageOf('images/mydockerfile')).toBeUndefined()
})

test('contract 5 a server that only somebody who chooses it gets is not found by itself', () => {
  const [linter] = serverDefinitions.filter(({ onlyWhenChosen }) => onlyWhenChosen !== undefined)
  if (linter === undefined) throw new Error('there is no such server')
  const [extension = ''] = Object.keys(linter.extensions)
  const ids = (routes: Routes) => routes.forFile(`a${extension}`).definitions.map(({ id }) => id)
  expect(ids(routesWith({}))).not.toContain(linter.id)
  expect(() => routesWith({ definitions: [linter] }).forFile(`a${extension}`)).toThrow('no server is known')
  const chosen = { ...registration(linter.id, linter.language, [extension], []), definition: linter }
  const routes = routesWith({ registered: [chosen] })
  expect(routes.forFile(`a${extension}`).registered.map(({ name }) => name)).toEqual([linter.id])
})

test('O9 data declares no symbols, unless a server somebody registered says otherwise', () => {
  const routes = routesWith({})
  expect(['typescript', 'ruby', 'json', 'yaml'].map(language => routes.declaresSymbols(language))).toEqual([
    true,
    true,
    false,
    false,
  ])
  const registered = [registration('my-json', 'json', ['.json'], [])]
  expect(routesWith({ registered }).declaresSymbols('json')).toBe(true)
})

test('R-147 a language that is not enabled is told apart from one that is unknown', () => {
  const routes = routesWith({ languages: ['go', 'rust'] })
  expect(routes.forFile('main.go').language).toBe('go')
  const error = failureOf(() => routes.forFile('main.py'))
  expect(error.kind).toBe('LanguageNotEnabled')
  expect(error.message).toContain('go, rust')
  expect(error.hint).toContain('"languages"')
  expect(failureOf(() => routes.forLanguage('python')).kind).toBe('LanguageNotEnabled')
  expect(failureOf(() => routes.forFile('main.zig')).kind).toBe('NoServerForExtension')
  expect(routes.languages()).toEqual(['go', 'rust'])
})

test('contract 5 a registered server that lists its extensions answers for these files of its language alone', () => {
  const shop = { ...registration('shop', 'typescript', ['.ts'], []), extensions: ['.ts', '.D.MTS'] }
  const routes = routesWith({ registered: [shop] })
  const registeredFor = (file: string) => routes.forFile(file).registered.map(({ name }) => name)
  expect(registeredFor('src/a.ts')).toEqual(['shop'])
  expect(registeredFor('src/a.d.mts')).toEqual(['shop'])
  expect(registeredFor('src/a.js')).toEqual([])
  expect(routes.forLanguage('typescript').registered).toEqual([shop])
})

test('K09 registered servers claim an extension before the known ones, and answer only within their scope', () => {
  const services = registration('services', 'go', ['.go'], ['services/**', 'tools/*.go'])
  const everywhere = registration('everywhere', 'go', ['.go'], [])
  const routes = routesWith({ registered: [services, everywhere] })
  const registeredFor = (file: string) => routes.forFile(file).registered.map(({ name }) => name)
  expect(registeredFor('services/shop/main.go')).toEqual(['services', 'everywhere'])
  expect(registeredFor('tools/gen.go')).toEqual(['services', 'everywhere'])
  expect(registeredFor('tools/deep/gen.go')).toEqual(['everywhere'])
  expect(registeredFor('services/.hidden/main.go')).toEqual(['services', 'everywhere'])
  expect(registeredFor('main.go')).toEqual(['everywhere'])
  expect(routes.forFile('main.go').definitions.map(({ id }) => id)).toEqual(['gopls'])
  expect(routes.forLanguage('go').registered.map(({ name }) => name)).toEqual(['services', 'everywhere'])
})

test('K09 who registers an extension decides its language', () => {
  const routes = routesWith({ registered: [registration('deno', 'deno', ['.ts', '.zig'], [])] })
  expect(routes.forFile('a.ts')).toMatchObject({ language: 'deno', definitions: [] })
  expect(routes.forFile('a.js').language).toBe('typescript')
  expect(routes.forFile('a.zig').language).toBe('deno')
  expect([...routes.extensionsOf('deno')]).toEqual(['.ts', '.zig'])
  expect(routes.extensionsOf('typescript').has('.ts')).toBe(false)
  expect(routes.extensions.has('.zig')).toBe(true)
})

test('K09 a server that is registered with extensions in capitals answers for them', () => {
  const routes = routesWith({ registered: [registration('fortran', 'fortran', ['.F90'], [])] })
  expect(routes.forFile('solve.F90').language).toBe('fortran')
  expect(routes.forFile('solve.f90').language).toBe('fortran')
})

function routesWith(options: Partial<RoutesOptions>): Routes {
  return new Routes({ definitions: serverDefinitions, registered: [], languages: [], ...options })
}

function registration(
  name: string,
  language: string,
  extensions: readonly string[],
  scope: readonly string[],
): ScopedRegistration {
  return {
    name,
    definition: customServer({ name, language, extensions, rootMarkers: [] }),
    origin: 'the user',
    command: name,
    args: [],
    endpoint: undefined,
    scope,
    environment: {},
    settings: {},
    initializationOptions: {},
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
