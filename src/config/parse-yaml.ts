// YAML to a value, every key and value reported with its place. Only the core schema of YAML 1.2 is understood, in
// which `no` is a word and not false; tags and merge keys are refused, aliases are few (K04).
import {
  type Alias,
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { deepest, type Path, quote, type Recorder } from './recorder.js'

export function parseYaml(text: string, recorder: Recorder): unknown {
  refuseHostileShape(text, recorder)
  const document = parseDocument(text, {
    schema: 'core',
    version: '1.2',
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    // The parser compares each key with every one before it; a set does it below.
    uniqueKeys: false,
  })
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (error !== undefined) {
    const message = error.code === 'MULTIPLE_DOCS' ? 'a second document begins here' : error.message
    recorder.fail(error.pos[0], `invalid YAML: ${message}`, 'Correct the file at this place.', error)
  }
  // Nothing but comments is a file that sets nothing.
  if (document.contents === null || (isScalar(document.contents) && document.contents.source === ''))
    return {}
  return convert(document.contents, [], { document, recorder, open: new Set(), aliases: 0 })
}

const mostTokens = 200_000
const widestIndentation = 200
const mostAliases = 100

/**
 * The parser calls itself for each level. It survives an overflow of its stack, but V8 does not when that happens
 * while a regular expression is compiled: a million brackets could end the whole process. The lexer is a loop, so
 * the shape is judged on its tokens first. Blocks nest by indentation, or by several indicators in one line.
 */
function refuseHostileShape(text: string, recorder: Recorder): void {
  // The lexer uses some of these characters as marks of its own. YAML has no place for them anyway.
  const control = text.search(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/)
  if (control !== -1) recorder.fail(control, 'invalid YAML: a control character', 'Remove it.')
  let offset = 0
  let tokens = 0
  let brackets = 0
  let indicators = 0
  let atLineStart = true
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    tokens += 1
    if (tokens > mostTokens) recorder.fail(offset, 'too many YAML tokens', 'Remove what is not needed.')
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets += 1
    if (type === 'flow-seq-end' || type === 'flow-map-end') brackets -= 1
    if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') indicators += 1
    if (type === 'newline') indicators = 0
    const tooWide = atLineStart && type === 'space' && token.length > widestIndentation
    // Inside brackets the indicators are those of many entries side by side.
    const tooMany = brackets <= 0 && indicators > deepest
    if (brackets > deepest || tooMany || tooWide) recorder.refuseDepth(offset)
    atLineStart = type === 'newline'
    if (!isMark(type)) offset += token.length
  }
}

/** Tokens of the lexer that stand for no character of the text. */
function isMark(type: CST.TokenType | null): boolean {
  return type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar'
}

interface Conversion {
  readonly document: Document.Parsed
  readonly recorder: Recorder
  /** The nodes around the present one; an alias to one of them never ends. */
  readonly open: Set<unknown>
  aliases: number
}

function convert(node: unknown, path: Path, conversion: Conversion): unknown {
  // A key without a colon has no value node at all.
  if (!isNode(node)) return null
  const { recorder, open } = conversion
  const offset = offsetOf(node)
  recorder.value(path, offset)
  if (isAlias(node)) return resolve(node, path, conversion)
  if (node.tag !== undefined) {
    recorder.fail(offset, `the tag ${quote(node.tag)} is not allowed`, 'Write the plain value without a tag.')
  }
  if (isScalar(node)) return node.value
  open.add(node)
  const value = isMap(node)
    ? convertMap(node, path, conversion)
    : node.items.map((item, index) => convert(item, [...path, index], conversion))
  open.delete(node)
  return value
}

function convertMap(map: YAMLMap, path: Path, conversion: Conversion): unknown {
  const recorder: Recorder = conversion.recorder
  const object: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const { key, value } of map.items) {
    const offset = offsetOf(isNode(key) ? key : map)
    if (!isScalar(key) || typeof key.value !== 'string') {
      recorder.fail(offset, 'a key must be a plain word', 'Write the key out.')
    }
    if (key.value === '<<') {
      recorder.fail(offset, 'merge keys ("<<") are not supported', 'Write the keys out.')
    }
    recorder.newKey(key.value, seen, offset)
    recorder.key([...path, key.value], offset)
    object[key.value] = convert(value, [...path, key.value], conversion)
  }
  return object
}

function resolve(alias: Alias, path: Path, conversion: Conversion): unknown {
  const { document, open } = conversion
  const recorder: Recorder = conversion.recorder
  const offset = offsetOf(alias)
  conversion.aliases += 1
  if (conversion.aliases > mostAliases) {
    recorder.fail(offset, `more than ${mostAliases} aliases`, 'Write the values out.')
  }
  const target = alias.resolve(document)
  if (target === undefined) {
    recorder.fail(offset, `no anchor ${quote(alias.source)} stands before this alias`, 'Write the value out.')
  }
  if (open.has(target)) recorder.fail(offset, 'an alias to the value around it', 'Write the value out.')
  const value = convert(target, path, conversion)
  // An error is to be sought where the value is used, not where it was anchored.
  recorder.value(path, offset)
  return value
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0
}
