// What a server calls the language of a file, by its extension.
import { extname } from 'node:path'
import type { ServerDefinition } from '../servers/definition.js'

/** Undefined for a file that is none of its sources. */
export function languageIdOf(
  { extensions }: Pick<ServerDefinition, 'extensions'>,
  path: string,
): string | undefined {
  const wanted = extname(path).toLowerCase()
  return Object.entries(extensions).find(([extension]) => extension.toLowerCase() === wanted)?.[1]
}
