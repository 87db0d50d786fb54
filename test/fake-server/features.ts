// What the fake server can do when no rule says otherwise: one row per method, from which its capabilities, its
// answers and its refusals all follow.
import { createHash } from 'node:crypto'
import { linesOf, type Position } from './columns.js'
import { at, numberAt, stringAt } from './message.js'
import type { Json, Script } from './script.js'
import {
  definitions,
  diagnosticsOf,
  flat,
  type Location,
  occurrences,
  symbolsOf,
  type Word,
  wordAt,
} from './word-language.js'
import type { World } from './world.js'

export interface Feature {
  readonly capability: string
  readonly announced: Json
  readonly answer: (world: World, params: unknown) => unknown
}

/** The features a script's server announces or may register later, by method. */
export function featuresOf(script: Script): ReadonlyMap<string, Feature> {
  return new Map(Object.entries(script.diagnostics === 'pull' ? { ...features, ...pullFeatures } : features))
}

export function capabilitiesOf(script: Script): Record<string, Json> {
  const all: Record<string, Json> = { textDocumentSync: { openClose: true, change: 2, save: true } }
  for (const { capability, announced } of featuresOf(script).values()) all[capability] = announced
  if (script.positionEncoding !== undefined) all.positionEncoding = script.positionEncoding
  const laidOver = Object.entries({ ...all, ...script.capabilities })
  return Object.fromEntries(laidOver.filter(([, value]) => value !== null))
}

const features: Record<string, Feature> = {
  'textDocument/documentSymbol': {
    capability: 'documentSymbolProvider',
    announced: true,
    answer: (world, params) => symbolsOf(world.text(uriIn(params)) ?? '', world.encoding),
  },
  'workspace/symbol': {
    capability: 'workspaceSymbolProvider',
    announced: true,
    answer: (world, params) => {
      const query = (stringAt(params, 'query') ?? '').toLowerCase()
      return world.files().flatMap(({ uri, text }) =>
        flat(symbolsOf(text, world.encoding))
          .filter(({ name }) => name.toLowerCase().includes(query))
          .map(({ name, kind, selectionRange }) => ({
            name,
            kind,
            location: { uri, range: selectionRange },
          })),
      )
    },
  },
  'textDocument/definition': {
    capability: 'definitionProvider',
    announced: true,
    answer: (world, params) => {
      const word = wordIn(world, params)
      return word === undefined ? null : definitions(world.files(), word.name, world.encoding)
    },
  },
  'textDocument/references': {
    capability: 'referencesProvider',
    announced: true,
    answer: (world, params) => {
      const word = wordIn(world, params)
      if (word === undefined) return null
      const found = occurrences(world.files(), word.name, world.encoding)
      if (at(params, 'context', 'includeDeclaration') === true) return found
      const declared = definitions(world.files(), word.name, world.encoding).map(keyOf)
      return found.filter(location => !declared.includes(keyOf(location)))
    },
  },
  'textDocument/documentHighlight': {
    capability: 'documentHighlightProvider',
    announced: true,
    answer: (world, params) => {
      const word = wordIn(world, params)
      const file = { uri: uriIn(params), text: world.text(uriIn(params)) ?? '' }
      if (word === undefined) return null
      return occurrences([file], word.name, world.encoding).map(({ range }) => ({ range }))
    },
  },
  'textDocument/hover': {
    capability: 'hoverProvider',
    announced: true,
    answer: (world, params) => {
      const word = wordIn(world, params)
      if (word === undefined) return null
      const [defined] = definitions(world.files(), word.name, world.encoding)
      if (defined === undefined) return null
      const line = linesOf(world.text(defined.uri) ?? '')[defined.range.start.line] ?? ''
      return {
        contents: { kind: 'markdown', value: `\`\`\`fake\n${line.trim()}\n\`\`\`` },
        range: word.range,
      }
    },
  },
  'textDocument/completion': {
    capability: 'completionProvider',
    announced: {},
    answer: world => {
      const symbols = world.files().flatMap(file => flat(symbolsOf(file.text, world.encoding)))
      return [...new Set(symbols.map(({ name }) => name))].map(label => ({ label }))
    },
  },
  'textDocument/prepareRename': {
    capability: 'renameProvider',
    announced: { prepareProvider: true },
    answer: (world, params) => {
      const word = renamable(world, params)
      return word === undefined ? null : { range: word.range, placeholder: word.name }
    },
  },
  'textDocument/rename': {
    capability: 'renameProvider',
    announced: { prepareProvider: true },
    answer: (world, params) => {
      const word = renamable(world, params)
      if (word === undefined) return null
      const changes: Record<string, { range: Location['range']; newText: string }[]> = {}
      for (const { uri, range } of occurrences(world.files(), word.name, world.encoding)) {
        changes[uri] = [...(changes[uri] ?? []), { range, newText: stringAt(params, 'newName') ?? '' }]
      }
      return { changes }
    },
  },
}

const diagnosticProvider = { interFileDependencies: false, workspaceDiagnostics: true }

const pullFeatures: Record<string, Feature> = {
  'textDocument/diagnostic': {
    capability: 'diagnosticProvider',
    announced: diagnosticProvider,
    answer: (world, params) => {
      const items = diagnosticsOf(world.text(uriIn(params)) ?? '', world.encoding)
      // The result id follows from the result alone, so nothing has to be remembered to recognise it.
      const resultId = createHash('sha1').update(JSON.stringify(items)).digest('hex')
      if (stringAt(params, 'previousResultId') === resultId) return { kind: 'unchanged', resultId }
      return { kind: 'full', resultId, items }
    },
  },
  'workspace/diagnostic': {
    capability: 'diagnosticProvider',
    announced: diagnosticProvider,
    answer: world => ({
      items: world.files().map(({ uri, text }) => ({
        kind: 'full',
        uri,
        version: world.document(uri)?.version ?? null,
        items: diagnosticsOf(text, world.encoding),
      })),
    }),
  },
}

function wordIn(world: World, params: unknown): Word | undefined {
  const line = numberAt(params, 'position', 'line')
  const character = numberAt(params, 'position', 'character')
  const text = world.text(uriIn(params))
  if (line === undefined || character === undefined || text === undefined) return undefined
  const position: Position = { line, character }
  return wordAt(text, position, world.encoding)
}

/** The keywords of the language have no other name. */
function renamable(world: World, params: unknown): Word | undefined {
  const word = wordIn(world, params)
  return word?.name === 'def' || word?.name === 'class' ? undefined : word
}

function uriIn(params: unknown): string {
  return stringAt(params, 'textDocument', 'uri') ?? ''
}

function keyOf({ uri, range }: Location): string {
  return `${uri}#${range.start.line}:${range.start.character}`
}
