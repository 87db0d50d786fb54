// From the schema of an operation's input to the flags of its command, and from what was typed back to an input. Nothing
// here knows a single operation by name.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { messageOf } from '../../errors.js'
import type { Operation } from '../../operations/operation.js'
import type { Positional, TypedCommand } from './command.js'
import { usageError } from './failure.js'
import { dashed, isJson, isList, isPath, type Property, shapeOf } from './input-shape.js'
import { fromPositionals, positionalOf } from './positional.js'
import type { TargetSurroundings } from './target-argument.js'

export { dashed } from './input-shape.js'
export { positionalOf } from './positional.js'

export interface TypedWords extends Pick<TypedCommand, 'flags'> {
  /** What was typed without a flag: one word, or several. */
  readonly positional: string | readonly string[] | undefined
}

export interface TypingSurroundings extends TargetSurroundings {
  /** Reads stdin, given its number, or a file, given its path. */
  readonly read?: (file: string | number) => string
}

/** One flag per field that the positional argument does not make superfluous. */
export function optionsOf(operation: Operation): Option[] {
  const { properties } = shapeOf(operation)
  const positional = positionalOf(operation)
  const covered = fieldsOf(positional)
  return Object.entries(properties)
    .filter(([field]) => positional?.required !== true || !covered.includes(field))
    .flatMap(([field, property]) => {
      const options = optionFor(field, property)
      // Typed as an argument; the flag stays for scripts that know the fields by name.
      if (positional?.fills !== 'target' && covered.includes(field))
        for (const option of options) option.hideHelp()
      return options
    })
}

export function inputFrom(
  operation: Operation,
  typed: TypedWords,
  surroundings: TypingSurroundings,
): Record<string, unknown> {
  const { properties } = shapeOf(operation)
  const input: Record<string, unknown> = {}
  for (const [field, property] of Object.entries(properties)) {
    const value = typed.flags[attribute(field)]
    if (value === undefined) continue
    if (isPath(field)) input[field] = absolute(value, surroundings.cwd)
    else input[field] = isJson(property) ? jsonValue(field, property, String(value), surroundings) : value
  }
  const words = typed.positional === undefined ? [] : [typed.positional].flat()
  return { ...input, ...fromPositionals(operation, words, input, surroundings) }
}

/** What the argument may fill. */
function fieldsOf(positional: Positional | undefined): readonly string[] {
  if (positional === undefined) return []
  if (positional.fills === 'target') return ['file']
  return positional.fills === 'files' ? ['file', 'files'] : [positional.fills.field]
}

function optionFor(field: string, property: Property): Option[] {
  const flag = `--${dashed(field)}`
  const described = describe(field, property)
  if (property.type === 'boolean') {
    const yes = new Option(flag, described)
    const no = new Option(`--no-${dashed(field)}`, `Turn off: ${described}`)
    // Both are accepted; the one that would change nothing is not advertised.
    if (property.default === true) yes.hideHelp()
    if (property.default === false) no.hideHelp()
    return [yes, no]
  }
  const option = new Option(`${flag} <${placeholder(property)}>`, described)
  if (property.enum !== undefined) return [option.choices(property.enum)]
  if (!isList(property)) return [option.argParser(parserOf(property.type))]
  const parse = parserOf(property.items?.type)
  return [
    option.argParser((text: string, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      parse(text),
    ]),
  ]
}

function describe(field: string, property: Property): string {
  const { description = '', default: given, type } = property
  const text = isPath(field) ? 'Path, relative to the current folder.' : description
  const repeated = isList(property) ? ' May be repeated.' : ''
  const json = isJson(property) ? ` JSON, @FILE or - for stdin${shapeText(property)}.` : ''
  const fallback = given === undefined || type === 'boolean' ? '' : ` (default ${JSON.stringify(given)})`
  return `${text}${repeated}${json}${fallback}`
}

/** The fields of the objects it holds, those that may be left out with a question mark. */
function shapeText({ items, ...property }: Property): string {
  const { properties, required } = items ?? property
  if (typeof properties !== 'object' || properties === null) return ''
  const needed = Array.isArray(required) ? required : []
  const fields = Object.keys(properties).map(name => (needed.includes(name) ? name : `${name}?`))
  const one = `{${fields.join(', ')}}`
  return `: ${items === undefined ? one : `[${one}, ...]`}, paths relative to the root`
}

function placeholder(property: Property): string {
  if (property.enum !== undefined) return 'kind'
  if (isJson(property)) return 'json'
  const single = property.type === 'array' ? property.items?.type : property.type
  return single === 'string' ? 'text' : 'n'
}

function parserOf(type: string | undefined): (text: string) => unknown {
  return type === 'integer' || type === 'number' ? parseNumber : text => text
}

function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('It is not a number.')
  return value
}

/** Too long to type, most of the time, hence a file or a pipe. A single element needs no brackets. */
function jsonValue(
  field: string,
  { type }: Property,
  typed: string,
  surroundings: TypingSurroundings,
): unknown {
  const flag = `--${dashed(field)}`
  const text = referredTo(flag, typed, surroundings)
  try {
    const value: unknown = JSON.parse(text)
    return type === 'array' && !Array.isArray(value) ? [value] : value
  } catch (thrown) {
    throw usageError(
      `${flag} is not valid JSON: ${messageOf(thrown)}`,
      `Quote it for the shell, or give it as ${flag} @FILE, or as ${flag} - on stdin.`,
    )
  }
}

function referredTo(flag: string, typed: string, { cwd, read = readText }: TypingSurroundings): string {
  if (typed !== '-' && !typed.startsWith('@')) return typed
  try {
    return typed === '-' ? read(stdin) : read(resolve(cwd, typed.slice(1)))
  } catch (thrown) {
    throw usageError(
      `what ${flag} ${typed} names cannot be read: ${messageOf(thrown)}`,
      'After @ comes the name of a file, relative to the current folder; - is stdin.',
    )
  }
}

const stdin = 0

function readText(file: string | number): string {
  return readFileSync(file, 'utf8')
}

function absolute(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map(entry => absolute(entry, cwd))
  return typeof value === 'string' ? resolve(cwd, value) : value
}

/** How commander calls the value of a flag. */
function attribute(field: string): string {
  return new Option(`--${dashed(field)}`).attributeName()
}
