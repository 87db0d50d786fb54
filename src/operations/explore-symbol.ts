// All that is known about a symbol in one answer: what it is, where and how it is written, who uses it.
import * as z from 'zod'
import { cleanText } from '../text/clean.js'
import type { AnswerTarget } from './answer.js'
import { lineCount } from './declared-source.js'
import { type Explored, exploreParts, mostUsed } from './explore-parts.js'
import { defineOperation, placeSchema } from './operation.js'
import { counted, pointer } from './render.js'
import { symbolTarget } from './target.js'

const mostFiles = 8
const mostCallers = 12
const mostImplementations = 8
const mostMembers = 40
const longestDocumentation = 500

const callerSchema = z.object({
  symbol: z.string(),
  kind: z.string(),
  ...placeSchema.shape,
  calls: z.number().int(),
})

const outputSchema = z.object({
  /** Its path, which works as the next question's symbol. */
  symbol: z.string(),
  kind: z.string().optional(),
  /** Where it is declared, as far as that is known; `source` is from there. */
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  signature: z.string().optional(),
  documentation: z.string().optional(),
  definitions: z.array(placeSchema),
  /** Of the whole declaration; `source` may hold its first lines only. */
  first_line: z.number().int().optional(),
  last_line: z.number().int().optional(),
  source: z.string().optional(),
  members: z.array(z.object({ symbol: z.string(), kind: z.string(), line: z.number().int() })),
  members_total: z.number().int(),
  /** How often it is used; absent when nobody knows. */
  references: z.number().int().optional(),
  files: z.array(z.object({ file: z.string(), count: z.number().int() })),
  files_total: z.number().int(),
  callers: z.array(callerSchema),
  callers_total: z.number().int(),
  /** Who calls it; or, for what is not called, who uses it. */
  callers_by: z.enum(['calls', 'references']),
  implementations: z.array(placeSchema),
  implementations_total: z.number().int(),
  /** Values without a name that fit, such as object literals. */
  implementations_unnamed: z.number().int(),
  /** Parts that could not be had. */
  missing: z.array(z.string()),
})
type Exploration = z.output<typeof outputSchema>

export const exploreSymbol = defineOperation({
  name: 'explore_symbol',
  summary:
    'Everything about a symbol in one call: signature, documentation, source, how often and where it is used, callers, implementations. Use first, instead of reading files and grepping.',
  effect: 'read',
  on: 'symbol',
  // It is made of several requests, each of which may be missing without the others.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object(symbolTarget),
  output: outputSchema,
  example: 'src/clock.ts --symbol withDeadline',
  items: {
    count: ({ callers }) => callers.length,
    keep: (result, count) => ({ ...result, callers: result.callers.slice(0, count) }),
  },

  async run(_input, context) {
    return present(await exploreParts(context), context.target)
  },

  render: (result, { target }) => {
    const { documentation, signature, source = '' } = result
    return [
      heading(result, target),
      ...(signature === undefined || says(source, bare(signature)) ? [] : [signature]),
      ...(documentation === undefined || says(source, documentation) ? [] : [documentation]),
      ...definitionLines(result),
      ...useLines(result),
    ]
  },
})

function present(explored: Explored, target: AnswerTarget): Exploration {
  const { description, declared, references, callers, implementations } = explored
  const { signature, documentation } = description
  const files = mostUsed(references ?? [])
  const isWhole = declared === undefined || lineCount(declared) <= declared.source.split('\n').length
  // The members of what is shown as a whole can be seen.
  const members = isWhole ? [] : declared.members
  return {
    symbol: declared?.declaration.path ?? target.symbol,
    ...(declared === undefined ? {} : { kind: declared.declaration.kind }),
    ...declaredPlace(explored, target),
    ...(signature === undefined ? {} : { signature }),
    ...(documentation === undefined ? {} : { documentation: firstParagraph(documentation) }),
    definitions: [...explored.definitions],
    ...(declared === undefined
      ? {}
      : {
          first_line: declared.first,
          last_line: declared.last,
          source: declared.source,
        }),
    members: members
      .slice(0, mostMembers)
      .map(({ name, kind, at }) => ({ symbol: name, kind, line: at.line })),
    members_total: members.length,
    ...(references === undefined ? {} : { references: references.length }),
    files: files.slice(0, mostFiles),
    files_total: files.length,
    callers: callers.slice(0, mostCallers),
    callers_total: callers.length,
    callers_by: explored.callersBy,
    implementations: implementations.slice(0, mostImplementations),
    implementations_total: implementations.length,
    implementations_unnamed: explored.unnamedImplementations,
    missing: [...explored.missing],
  }
}

/** What it is about stands first; the rest, examples above all, is a question of its own. */
function firstParagraph(documentation: string): string {
  const paragraphs = documentation.split(/\n\s*\n/).map(paragraph => paragraph.trim())
  // gopls ends with a link to the same text on the web.
  // And clangd begins with a heading that repeats the name, and an arrow to the type.
  const words = paragraphs.filter(paragraph => !/^(?:\[[^\]]*\]\([^)]*\)|#+ .*|\u2192 .*|)$/.test(paragraph))
  return cleanText(words[0] ?? '', longestDocumentation).text
}

/** Whether the source holds the same words already, however they are broken into lines. */
function says(source: string, words: string): boolean {
  return words === '' || plain(source).includes(plain(words))
}

/** `(method) Shape.area(): number` stands in the source as `area(): number`; rust-analyzer puts the module on top. */
function bare(signature: string): string {
  return signature
    .replace(/^[\w:]+\n(?=.)/, '')
    .replace(/^\(\w+\)\s+/, '')
    .replace(/^(?:[\w$]+(?:<[^>]*>)?\.)+/, '')
}

/** gopls adds `// size=192` to what it quotes. */
function plain(text: string): string {
  return text.replace(/\/\/ size=.*$/gm, '').replace(/[\s,;*/#]+/g, '')
}

function declaredPlace(
  { declared, definitions }: Explored,
  target: AnswerTarget,
): Pick<Exploration, 'file' | 'line' | 'column'> {
  const [defined = target] = definitions
  const { file, line, column } =
    declared === undefined ? defined : { ...declared.declaration.at, file: declared.file }
  return { file, line, column }
}

function heading(result: Exploration, target: AnswerTarget | undefined): string {
  const { symbol, kind, definitions, source, references } = result
  const isNothing = definitions.length === 0 && source === undefined && (references ?? 0) === 0
  if (isNothing) return `the server knows little about ${pointer(target)}`
  const name = `${kind === undefined ? '' : `${kind} `}${symbol}, ${place(result)}`
  return target === undefined || isAt(target, result) ? name : `${name}, asked at ${place(target)}`
}

function isAt(a: Position, b: Position): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column
}

type Position = Pick<Exploration, 'file' | 'line' | 'column'>

function place({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`
}

function definitionLines(result: Exploration): string[] {
  const { definitions, source, first_line, last_line, members, members_total } = result
  const lines: string[] = []
  const others = definitions.filter(definition => !isAt(definition, result))
  if (others.length > 0) lines.push(`also defined: ${others.map(place).join(', ')}`)
  if (source === undefined || first_line === undefined || last_line === undefined) {
    const [only] = definitions
    return only === undefined || only.text === '' ? lines : [...lines, `  ${only.text}`]
  }
  const written = source.split('\n')
  const left = lineCount({ first: first_line, last: last_line }) - written.length
  const more = left > 0 ? [`  ... ${counted(left, 'more line')}, to line ${last_line}`] : []
  lines.push(...written.map(line => `  ${line}`.trimEnd()), ...more)
  if (members_total > 0) {
    const more = members_total > members.length ? ` +${members_total - members.length} more` : ''
    lines.push(`members: ${byKind(members)}${more}`)
  }
  return lines
}

function useLines(result: Exploration): string[] {
  const { references, files, files_total, callers, callers_total, callers_by, missing } = result
  const lines: string[] = []
  if (references === 0) lines.push('not used')
  else if (references !== undefined) {
    const others = files_total > files.length ? ` and ${files_total - files.length} more` : ''
    const listed = files.map(({ file, count }) => `${file} ${count}`).join(', ')
    lines.push(`used ${counted(references, 'time')} in ${counted(files_total, 'file')}: ${listed}${others}`)
  }
  if (callers.length > 0) {
    const word = callers_by === 'calls' ? 'callers' : 'used by'
    const of = callers_total > callers.length ? `${callers.length} of ${callers_total}` : `${callers_total}`
    lines.push(`${word} (${of}): ${callersByFile(callers)}`)
  } else if (callers_by === 'calls' && !missing.includes('callers')) lines.push('no callers')
  const { implementations, implementations_total, implementations_unnamed } = result
  if (implementations.length > 0 || implementations_unnamed > 0) {
    const others = implementations_total - implementations.length
    const unnamed =
      implementations_unnamed > 0 ? `, and ${counted(implementations_unnamed, 'unnamed value')}` : ''
    const left = others > 0 ? `, ${others} not shown` : ''
    lines.push(`implementations: ${implementations_total}${unnamed}${left}`)
    lines.push(...implementations.map(found => `  ${place(found)}  ${found.text}`.trimEnd()))
  }
  return lines
}

/** `method area:4 sides:9 property name:3`. */
function byKind(members: Exploration['members']): string {
  const words: string[] = []
  let last: string | undefined
  for (const { kind, symbol, line } of members) {
    words.push(kind === last ? `${symbol}:${line}` : `${kind} ${symbol}:${line}`)
    last = kind
  }
  return words.join(' ')
}

/** Each file once, then its callers with their lines, and how often where it is more than once. */
function callersByFile(callers: Exploration['callers']): string {
  const files = new Map<string, string[]>()
  for (const { file, symbol, kind, line, calls } of callers) {
    const times = calls > 1 ? ` (${calls} times)` : ''
    const name = `${kind === 'module' ? 'top level' : symbol}:${line}${times}`
    files.set(file, [...(files.get(file) ?? []), name])
  }
  return [...files].map(([file, names]) => `${file} ${names.join(' ')}`).join('; ')
}
