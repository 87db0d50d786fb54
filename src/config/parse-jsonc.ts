// JSON with comments and trailing commas to a value, every key and value reported with its place.
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { deepest, type Path, quote, type Recorder } from './recorder.js'

export function parseJsonc(text: string, recorder: Recorder): unknown {
  refuseDeepNesting(text, recorder)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  if (error !== undefined) {
    const found = text.slice(error.offset, error.offset + Math.min(error.length, 60))
    const seen = found.trim() === '' ? '' : ` at ${quote(found)}`
    recorder.fail(error.offset, `invalid JSON: ${words(error)}${seen}`, 'Correct the file at this place.')
  }
  // Nothing but comments is a file that sets nothing.
  return root === undefined ? {} : convert(root, [], recorder)
}

/** The parser calls itself for each level; counting on the tokens alone comes first, as the stack may not suffice. */
function refuseDeepNesting(text: string, recorder: Recorder): void {
  const scanner = createScanner(text, true)
  let depth = 0
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    if (scanner.getTokenLength() !== 1) continue
    const token = text.charAt(scanner.getTokenOffset())
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth > deepest) recorder.refuseDepth(scanner.getTokenOffset())
  }
}

function convert(node: Node, path: Path, recorder: Recorder): unknown {
  recorder.value(path, node.offset)
  if (node.type === 'array') {
    return (node.children ?? []).map((child, index) => convert(child, [...path, index], recorder))
  }
  if (node.type !== 'object') return node.value
  const object: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    recorder.newKey(name, seen, key.offset)
    recorder.key([...path, name], key.offset)
    object[name] = convert(value, [...path, name], recorder)
  }
  return object
}

/** `CommaExpected` to "comma expected". */
function words(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
}
