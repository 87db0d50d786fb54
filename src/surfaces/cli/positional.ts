// What is typed without a flag: a place in a file, several files, a query or a handle, whichever the operation is about.
// Nothing here knows a single operation by name.
import { resolve } from 'node:path'
import type { Operation } from '../../operations/operation.js'
import type { Positional } from './command.js'
import { usageError } from './failure.js'
import { dashed, type InputShape, isPath, shapeOf } from './input-shape.js'
import { parseTarget, type TargetSurroundings } from './target-argument.js'

export function positionalOf(operation: Operation): Positional | undefined {
  const shape = shapeOf(operation)
  const { properties, required } = shape
  if (operation.on !== 'workspace') {
    const places = operation.on === 'symbol' || 'line' in properties
    const handle = 'handle' in properties ? ' Or a handle from an earlier answer.' : ''
    return {
      name: places ? 'target' : 'file',
      required: required.includes('file'),
      description: places
        ? `FILE, FILE:LINE or FILE:LINE:COLUMN, relative to the current folder.${handle}`
        : `The file, relative to the current folder.${handle}`,
      fills: 'target',
    }
  }
  if (isStrings(shape, 'files')) {
    return {
      name: 'files',
      // They may be given by flag as well; whether there must be any, the operation says.
      required: false,
      several: true,
      description: 'Files, relative to the current folder.',
      fills: 'files',
    }
  }
  const field = fieldIn(shape)
  if (field === undefined) return undefined
  return {
    name: dashed(field),
    required: required.includes(field),
    description: isPath(field)
      ? `The ${field}, relative to the current folder.`
      : (properties[field]?.description ?? ''),
    fills: { field },
  }
}

/** The input fields that were typed as arguments; says so when a flag says the same. */
export function fromPositionals(
  operation: Operation,
  words: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  surroundings: TargetSurroundings,
): Record<string, unknown> {
  const positional = positionalOf(operation)
  const [first] = words
  if (positional === undefined || first === undefined) return {}
  const shape = shapeOf(operation)
  const filled = fill(operation, positional, shape, [first, ...words.slice(1)], surroundings)
  for (const field of Object.keys(filled)) {
    if (!(field in shape.properties)) {
      throw usageError(
        `${dashed(operation.name)} is about a whole file, not about a place in it`,
        `Leave out what follows the file's name in ${first}.`,
      )
    }
    if (field in flags) {
      throw usageError(
        `both ${positional.name.toUpperCase()} and --${dashed(field)} say which ${field} is meant`,
        'Leave one of them out.',
      )
    }
  }
  return filled
}

function fill(
  operation: Operation,
  { fills }: Positional,
  { properties }: InputShape,
  words: readonly [string, ...string[]],
  surroundings: TargetSurroundings,
): Record<string, unknown> {
  const [first] = words
  const { cwd } = surroundings
  if (fills === 'target') {
    if ('handle' in properties && isHandle(first, surroundings)) return { handle: first }
    return { ...parseTarget(first, surroundings) }
  }
  if (fills === 'files') {
    const files = words.map(word => resolve(cwd, word))
    // One file asked for by name is refused when it is missing; one of many is only reported.
    return words.length === 1 && operation.input.shape.file !== undefined ? { file: files[0] } : { files }
  }
  return { [fills.field]: isPath(fills.field) ? resolve(cwd, first) : first }
}

/** Handles begin with their kind and a colon, which a file may do as well: one that exists wins. */
function isHandle(typed: string, { cwd, exists }: TargetSurroundings): boolean {
  return /^[spc]:[^\\/]/.test(typed) && !exists(resolve(cwd, typed))
}

/** What an operation without files is most about: what it cannot do without, else a handle or a file. */
function fieldIn(shape: InputShape): string | undefined {
  const isText = (name: string) => shape.properties[name]?.type === 'string'
  return shape.required.find(isText) ?? ['handle', 'file', 'folder', 'query'].find(isText)
}

function isStrings({ properties }: InputShape, field: string): boolean {
  return properties[field]?.type === 'array' && properties[field].items?.type === 'string'
}
