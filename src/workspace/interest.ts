// Which files of the workspace are kept an eye on, by their names: sources, and what servers must be told of besides.
import type { ServerDefinition } from '../servers/definition.js'
import type { Routes } from './routes.js'

/** `routes` may be replaced; what servers watch is the same for all orders of the definitions. */
export function interestIn(
  routes: Pick<Routes, 'hasExtension'>,
  definitions: readonly Pick<ServerDefinition, 'watches'>[],
): (name: string) => boolean {
  const names = new Set(definitions.flatMap(definition => definition.watches))
  const patterns = [...names].filter(name => name.includes('*')).map(name => name.split('*'))
  return name => {
    const dot = name.lastIndexOf('.')
    if (dot >= 0 && routes.hasExtension(name.slice(dot).toLowerCase())) return true
    return (
      names.has(name) ||
      patterns.some(([head = '', tail = '']) => name.startsWith(head) && name.endsWith(tail))
    )
  }
}
