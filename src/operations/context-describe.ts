// What a declaration is, in as few lines as tell it: the signature of what is called, the fields of a small type, of a
// large one its head and the members that are used.
import { DefinitionRequest, HoverRequest } from 'vscode-languageserver-protocol'
import { cleanText } from '../text/clean.js'
import { isAttribute, isComment } from '../text/line-kinds.js'
import { fromIndex, type Lines } from '../text/position.js'
import type { ContextBatch } from './context-batch.js'
import type { Declaration, Declarations } from './declarations.js'
import { inspectSymbol } from './inspect-symbol.js'
import type { FileContext } from './operation.js'
import { pointedAt } from './uses.js'

export interface Described {
  readonly line: number
  readonly endLine?: number | undefined
  /** Longest first. */
  readonly forms: readonly (readonly string[])[]
  readonly query: string
}

/** What is to be described, and which of its members matter; none means all alike. */
export interface Subject {
  readonly declaration: Declaration
  readonly used: readonly Declaration[]
}

const longestSource = 14
const longestBodied = 5
const longestHead = 8
const longestSignature = 400
const longestLine = 160
const longestSentence = 140
const mostMembers = 12

const callables: ReadonlySet<string> = new Set(['function', 'method', 'constructor', 'operator'])

export function isCallable({ kind }: Pick<Declaration, 'kind'>): boolean {
  return callables.has(kind)
}

/** Whether its whole source is a fitting description: it is short, and not the bodies of its methods. */
export function isSmall(declaration: Declaration, { all }: Declarations): boolean {
  const { start, end } = declaration
  const length = end.line - start.line
  const hasBodies = all.some(
    other => other.parent === declaration && isCallable(other) && other.end.line > other.start.line,
  )
  return length < (hasBodies ? longestBodied : longestSource)
}

export async function describe(
  { declaration, used }: Subject,
  declared: Declarations,
  file: FileContext,
  batch: ContextBatch,
): Promise<Described> {
  const { text } = file.source
  if (isCallable(declaration)) return describeCallable(declaration, file, batch)
  const first = firstLine(declaration, text)
  if (isSmall(declaration, declared)) return describeWhole(declaration, first, text)
  const { end } = declaration
  const members = declared.all.filter(({ parent, isUnit }) => parent === declaration && isUnit)
  if (members.length === 0) {
    const lines = sourceLines(text, first, first + 5)
    const forms = [[...lines, `... to line ${end.line}`], [headOf(text, first, end.line)]]
    return { line: first, forms, query: DefinitionRequest.method }
  }
  const head = headOf(text, first, end.line)
  const shown = (used.length > 0 ? used : members.filter(member => isPublic(member, text))).slice(
    0,
    mostMembers,
  )
  const signatures = await Promise.all(shown.map(member => memberLine(member, used.length > 0, file, batch)))
  const others = members.filter(member => !shown.includes(member) && isPublic(member, text))
  const also =
    others.length === 0 ? [] : [cut(`  also ${others.map(({ name }) => name).join(', ')}`, longestLine)]
  const forms = [[head, ...signatures, ...also], [head, ...signatures], [head]]
  return {
    line: first,
    endLine: end.line,
    forms,
    query: used.length > 0 ? HoverRequest.method : DefinitionRequest.method,
  }
}

async function describeCallable(
  declaration: Declaration,
  file: FileContext,
  batch: ContextBatch,
): Promise<Described> {
  const { text } = file.source
  const { at, end } = declaration
  const found = await hovered(declaration, file, batch)
  if (found === undefined) {
    const first = firstLine(declaration, text)
    return { line: first, forms: [[headOf(text, first, end.line)]], query: DefinitionRequest.method }
  }
  const { signature, sentence } = found
  const forms = sentence === undefined ? [[signature]] : [[signature, sentence], [signature]]
  return { line: at.line, forms, query: HoverRequest.method }
}

function describeWhole({ end }: Declaration, first: number, text: Lines): Described {
  const own = sourceLines(text, first, end.line)
  const forms = own.length > 3 ? [own, [headOf(text, first, end.line)]] : [own]
  return { line: first, endLine: end.line, forms, query: DefinitionRequest.method }
}

async function memberLine(
  member: Declaration,
  isUsed: boolean,
  file: FileContext,
  batch: ContextBatch,
): Promise<string> {
  const { text } = file.source
  const found = isUsed && isCallable(member) ? await hovered(member, file, batch) : undefined
  const written = found?.signature.replace(`${member.path}`, member.name)
  return `  ${member.at.line}  ${written ?? headOf(text, member.at.line, member.end.line)}`
}

async function hovered(
  declaration: Declaration,
  file: FileContext,
  batch: ContextBatch,
): Promise<{ readonly signature: string; readonly sentence: string | undefined } | undefined> {
  if (!(await batch.knows(HoverRequest, file.server))) return undefined
  const target = `${file.source.relative}:${declaration.at.line} ${declaration.path}`
  const found = await batch.ask({ kind: 'definition', target }, () =>
    inspectSymbol.run({}, pointedAt(file, declaration)),
  )
  const signature = found?.signature === undefined ? '' : plainSignature(found.signature, declaration)
  if (signature === '') return undefined
  return { signature, sentence: firstSentence(found?.documentation) }
}

/** rust-analyzer counts what is written about a declaration to it, and decorators are not what it is. */
function firstLine({ start, at }: Declaration, text: Lines): number {
  let first = start.line
  const isAround = (line: string) => isComment(line) || isAttribute(line)
  while (first < at.line && isAround(text.line(first) ?? '')) first = fromIndex(first)
  return first
}

/** From the name to where the body begins, on one line, as far as the text alone can say. */
function headOf(text: Lines, first: number, last: number): string {
  const parts: string[] = []
  let open = 0
  for (let line = first; line <= last && parts.length < longestHead; line += 1) {
    const written = (text.line(line) ?? '').trim()
    if (written !== '') parts.push(written)
    open += balance(written)
    if (open <= 0 || /\{$/.test(written)) break
  }
  const joined = joinedSignature(parts)
  return cut(joined.replace(/\s*(?:\{|=>|:|;|=)\s*$/, ''), longestLine)
}

function balance(line: string): number {
  return (line.match(/[([<]/g)?.length ?? 0) - (line.replaceAll('=>', '').match(/[)\]>]/g)?.length ?? 0)
}

function sourceLines(text: Lines, first: number, last: number): string[] {
  const lines: string[] = []
  for (let line = first; line <= last; line += 1) lines.push(text.line(line) ?? '')
  const written = lines.filter(line => line.trim() !== '')
  const indent = Math.min(...written.map(line => line.length - line.trimStart().length), 80)
  return written.map(line => cut(line.slice(indent).trimEnd(), longestLine))
}

function cut(text: string, longest: number): string {
  return cleanText(text, longest).text
}

function isPublic({ name, at }: Declaration, text: Lines): boolean {
  if (name === '__init__') return true
  return !/^[_#]/.test(name) && !/^\s*(?:private|protected)\b/.test(text.line(at.line) ?? '')
}

/** Servers say what kind of thing it is, and some where it comes from; the place and the name say both. */
function plainSignature(signature: string, declaration: Declaration): string {
  const lines = signature
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const from = Math.max(
    lines.findIndex(line => line.includes(declaration.name)),
    0,
  )
  const joined = joinedSignature(lines.slice(from)).replace(/^(?:\(\w+\)\s+)+/, '')
  return cut(withoutContainer(withoutUnknown(joined), declaration), longestSignature)
}

/** Pyright's word for what is not annotated. */
function withoutUnknown(signature: string): string {
  return signature.replace(/: Unknown(?: \| None)?(?=[,)]| = )/g, '').replace(/ -> \(?Unknown\)?$/, '')
}

function joinedSignature(lines: readonly string[]): string {
  return lines
    .join(' ')
    .replace(/([([<])\s+/g, '$1')
    .replace(/,?\s+([)\]>])/g, '$1')
}

/** TypeScript puts the container in front with all its type parameters. */
function withoutContainer(signature: string, { name, path }: Declaration): string {
  const at = [`.${name}(`, `.${name}<`].map(text => signature.indexOf(text)).find(index => index > 0)
  if (at === undefined || !/^[\w$]+(?:<.*>)?$/s.test(signature.slice(0, at))) return signature
  return path + signature.slice(at + `.${name}`.length)
}

function firstSentence(documentation = ''): string | undefined {
  const paragraphs = documentation.split(/\n\s*\n/).map(paragraph => paragraph.replace(/\s+/g, ' ').trim())
  // gopls ends with a link, clangd begins with a heading, JSDoc has its tags.
  const words = paragraphs.find(
    paragraph => paragraph !== '' && !/^(?:\[[^\]]*\]\([^)]*\)$|#|\u2192|\*@|@)/.test(paragraph),
  )
  if (words === undefined) return undefined
  return cut(/^.*?[.!?](?=\s|$)/.exec(words)?.[0] ?? words, longestSentence)
}
