// What could be written at a place.
import {
  CompletionItemKind,
  CompletionRequest,
  CompletionResolveRequest,
} from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseCompletion, parseCompletions, type ServerCompletion } from '../lsp/completion.js'
import { cleanLine, cleanText } from '../text/clean.js'
import { toServerPosition } from '../text/position.js'
import { fittingCompletions, insertedText, isBeforeRest, typedPrefix } from './completion-rank.js'
import { cursorTarget, findCursor } from './cursor.js'
import { shownDocumentation } from './documentation.js'
import { defineOperation, type FileContext, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { resolveSome } from './resolve-some.js'
import { sourcePlace } from './source-place.js'

const defaultLimit = 50
const mostResolved = 200
const longestName = 200
const longestDetail = 300
const longestDocumentation = 600

const completionSchema = z.object({
  label: z.string(),
  kind: z.string(),
  signature: z.string().optional(),
  detail: z.string().optional(),
  description: z.string().optional(),
  insert: z.string().optional(),
  adds: z.string().optional(),
  documentation: z.string().optional(),
  deprecated: z.boolean().optional(),
})

export const getCompletions = defineOperation({
  name: 'get_completions',
  summary:
    'What can be written at a place: the members after a dot, the names in scope, best first. Use to learn the real API of a value instead of guessing it.',
  effect: 'read',
  on: 'file',
  lsp: CompletionRequest,
  needsWholeWorkspace: true,
  input: z.object({
    ...cursorTarget,
    limit: z.number().int().min(1).max(1000).default(defaultLimit).describe('Most completions to return.'),
    details: z.boolean().default(false).describe('With the signature, documentation and import of each.'),
  }),
  output: z.object({
    completions: z.array(completionSchema),
    prefix: z.string(),
    place: placeSchema,
    total: z.number().int(),
  }),
  example: 'src/errors.ts --after super(detail.',
  items: listedIn('completions'),

  // What a server offers depends on what follows: before `(` rust-analyzer lists methods and no fields.
  async run({ limit, details, ...input }, context) {
    const { source, document, server, doubt } = context
    const { encoding } = server.client
    const cursor = findCursor(source, input)
    const position = toServerPosition(cursor.lineText, cursor, encoding)
    const { items, isIncomplete } = parseCompletions(
      await server.request(CompletionRequest, { textDocument: { uri: document.uri }, position }),
    )
    if (isIncomplete) {
      // clangd says so where it stops at its bound of 100; gopls, pyright and rust-analyzer say so of every list.
      doubt({
        verdict: 'partial',
        reason: `${server.client.identity.name} does not call its list complete`,
        hint: 'More of the name before the cursor may bring others.',
      })
    }
    if (items.length === 0 && isBeforeRest(cursor)) {
      // ty completes a name at its end alone, and sends null inside it as where there is nothing.
      doubt({
        verdict: 'unknown',
        reason: `${server.client.identity.name} sent nothing where a name goes on behind the cursor, as those do that complete a name at its end alone`,
        hint: 'Ask where the name ends, or take the rest of it away first.',
      })
    }
    const fitting = fittingCompletions(items, cursor, encoding)
    const shown = fitting.slice(0, limit)
    if (shown.length < fitting.length) {
      doubt({
        verdict: 'partial',
        reason: `only the best ${shown.length} of ${fitting.length} completions are listed`,
        hint: 'Raise limit for more.',
      })
    }
    const told = details ? await withDetails(shown, context) : shown
    return {
      completions: told.map(completion =>
        present(completion, insertedText(completion, cursor, encoding), details),
      ),
      prefix: typedPrefix(cursor),
      place: sourcePlace(source, { start: position, end: position }, encoding),
      total: fitting.length,
    }
  },

  render: ({ completions, prefix, place, total: fitting }) => {
    const typed = prefix === '' ? '' : ` of "${prefix}"`
    const where = `${place.file}:${place.line}:${place.column}`
    return [
      `${countedOf(completions.length, fitting, 'completion')}${typed} at ${where}`,
      ...completions.flatMap(lines),
    ]
  },
})

/** Whoever does not offer to tell more has told everything at once. */
async function withDetails(
  completions: readonly ServerCompletion[],
  { server, doubt }: FileContext,
): Promise<readonly ServerCompletion[]> {
  if (!server.client.supports(CompletionResolveRequest)) return completions
  const { results, gap } = await resolveSome({
    items: completions,
    most: mostResolved,
    // The label goes back with the rest of the item, because the request's type wants to see one.
    resolve: async ({ label, raw }) =>
      parseCompletion(await server.request(CompletionResolveRequest, { ...raw, label })),
  })
  if (gap !== undefined) doubt({ verdict: 'partial', reason: `details are missing: ${gap}` })
  return completions.map((completion, index) => results[index] ?? completion)
}

type PresentedCompletion = z.output<typeof completionSchema>

function present(completion: ServerCompletion, inserted: string, details: boolean): PresentedCompletion {
  // clangd puts a space or a bullet in front of its labels, the latter where the header has still to be included.
  const label = cleanLine(completion.label.replace(/^[\s\u2022]+/, ''), longestName).text
  const insert = cleanText(inserted, longestDetail).text
  const optional = (name: string, text: string | undefined, longest: number) =>
    text === undefined ? {} : { [name]: cleanLine(text, longest).text }
  const { detail, description, documentation, adds } = completion
  return {
    label,
    kind: completionKindName(completion.kind),
    ...optional('signature', completion.signature, longestDetail),
    ...optional('detail', detail, longestDetail),
    // rust-analyzer says the same twice.
    ...(description === detail ? {} : optional('description', description, longestDetail)),
    ...(insert === label ? {} : { insert }),
    ...(adds.length === 0 ? {} : optional('adds', adds.join(' '), longestDetail)),
    ...(details && documentation !== undefined
      ? { documentation: shownDocumentation(documentation, longestDocumentation) }
      : {}),
    ...(completion.deprecated ? { deprecated: true } : {}),
  }
}

function lines(completion: PresentedCompletion): string[] {
  const {
    label,
    kind,
    signature = '',
    detail,
    description,
    insert,
    adds,
    documentation,
    deprecated,
  } = completion
  const parts = [
    `${label}${signature}`,
    kind,
    detail,
    description,
    insert === undefined ? undefined : `inserts ${JSON.stringify(insert)}`,
    adds === undefined ? undefined : `adds ${JSON.stringify(adds)}`,
    deprecated === true ? 'deprecated' : undefined,
  ]
  return [
    `  ${parts.filter(part => part !== undefined).join('  ')}`,
    ...(documentation === undefined ? [] : [`    ${documentation.replaceAll('\n', '\n    ')}`]),
  ]
}

const kindNames = new Map<number, string>(
  Object.entries(CompletionItemKind).map(([name, value]) => [value, name.toLowerCase()]),
)

function completionKindName(kind: number | undefined): string {
  return (kind === undefined ? undefined : kindNames.get(kind)) ?? 'text'
}
