// A server somebody registered that has no definition here: run as described, believed only as far as it can be shown.
import { defineServer, type ServerDefinition } from './definition.js'

export interface CustomServer {
  readonly name: string
  readonly language: string
  readonly extensions: readonly string[]
  readonly rootMarkers: readonly string[]
}

export function customServer({ name, language, extensions, rootMarkers }: CustomServer): ServerDefinition {
  return defineServer({
    id: name,
    title: name,
    language,
    extensions: Object.fromEntries(extensions.map(extension => [extension, language])),
    command: name,
    args: [],
    install: `install ${name}, or correct its command in the configuration`,
    root: rootMarkers.length === 0 ? { kind: 'workspace' } : { kind: 'nearest', markers: rootMarkers },
    readiness: {
      kind: 'unproven',
      reason: 'nothing is known about when this server has seen the whole workspace',
    },
    diagnostics: {
      kind: 'standard',
      quietMs: 0,
      reason: 'Pulled where it offers that, otherwise pushed with a version.',
    },
    limited: {
      kind: 'refused',
      reason: 'nothing is known about what this server runs of the code it looks at',
    },
    watches: [],
    quirks: {},
  })
}
