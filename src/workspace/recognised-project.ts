// Whether a file belongs to a project whose language is recognised: by the marker files between it and the root. For
// presets that detect languages by project; what somebody registered by name needs no marker.
import { join } from 'node:path'
import { BridgeError } from '../errors.js'
import type { RootFacts } from '../servers/definition.js'
import { projectKinds } from '../servers/project-markers.js'
import { foldersUpwards } from '../supervisor/roots.js'
import type { Located } from './path-gate.js'
import type { Routes } from './routes.js'

export interface RecognisedOptions {
  readonly root: string
  readonly routes: Pick<Routes, 'languageOf' | 'languages' | 'forFile'>
  readonly exists: RootFacts['exists']
}

export function requireProject(file: Located, { root, routes, exists }: RecognisedOptions): void {
  const language = routes.languageOf(file.relative)
  const isKnown = language !== undefined && routes.languages().includes(language)
  if (isKnown && routes.forFile(file.relative).registered.length > 0) return
  const folders = foldersUpwards(file.absolute, root)
  const found = projectKinds.filter(({ markers }) =>
    folders.some(folder => markers.some(marker => exists(join(folder, marker)))),
  )
  const [first] = found
  if (first === undefined) {
    throw new BridgeError({
      kind: 'NoServerForExtension',
      message:
        'no language detected in workspace \u2014 LSP navigation requires a recognised project (go.mod, etc.)',
      hint: `A project is recognised by ${projectKinds.flatMap(({ markers }) => markers).join(', ')}.`,
    })
  }
  if (isKnown && found.some(kind => kind.language === language)) return
  // The file's own language where it has one: a Go file beside a package.json belongs to no Go project.
  const meant = language ?? first.language
  throw new BridgeError({
    kind: isKnown || language === undefined ? 'NoServerForExtension' : 'LanguageNotEnabled',
    message: `LSP not configured for ${meant}`,
    hint: hintFor(meant, isKnown),
  })
}

function hintFor(language: string, isKnown: boolean): string {
  const markers = projectKinds.find(kind => kind.language === language)?.markers ?? []
  if (isKnown && markers.length > 0) return `No project of it was found: it needs ${markers.join(' or ')}.`
  return 'Register a server for it under "servers" in the configuration, or use text search.'
}
