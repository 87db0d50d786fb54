// Completions as a server sends them: a list, or a list with defaults for its items. Each becomes one shape, in
// which the defaults are filled in and what would be inserted is plain text.
import { parseMarkup } from './markup.js'
import { isRecord, list, optionalText, parsePosition, record, type ServerPosition, text } from './parse.js'

export interface ServerCompletion {
  readonly label: string
  /** Shown right behind the label: parameters, mostly. */
  readonly signature: string | undefined
  /** Mostly where it comes from: a module or a qualified name. */
  readonly description: string | undefined
  readonly kind: number | undefined
  readonly detail: string | undefined
  readonly documentation: string | undefined
  readonly deprecated: boolean
  readonly preselect: boolean
  readonly sortText: string
  readonly filterText: string
  readonly insert: string
  /** Where the text that it replaces begins, if the server says so. */
  readonly replacesFrom: ServerPosition | undefined
  /** What is written elsewhere in the file besides, such as an import. */
  readonly adds: readonly string[]
  /** As sent, with the list's defaults: what the server wants back when it is to tell more. */
  readonly raw: Readonly<Record<string, unknown>>
}

export interface ServerCompletions {
  readonly items: readonly ServerCompletion[]
  /** The server has more, or other ones, once more of the name is typed. */
  readonly isIncomplete: boolean
}

/** CompletionItem[], CompletionList and null. */
export function parseCompletions(result: unknown): ServerCompletions {
  if (result === null || result === undefined) return { items: [], isIncomplete: false }
  if (Array.isArray(result)) return { items: result.map(item => parseCompletion(item)), isIncomplete: false }
  const completions = record(result, 'completions')
  const defaults = isRecord(completions.itemDefaults) ? completions.itemDefaults : {}
  return {
    items: list(completions.items, 'completions').map(item => parseCompletion(item, defaults)),
    isIncomplete: completions.isIncomplete === true,
  }
}

export function parseCompletion(
  value: unknown,
  defaults: Readonly<Record<string, unknown>> = {},
): ServerCompletion {
  const raw = withDefaults(record(value, 'a completion'), defaults)
  const label = text(raw.label, 'a completion')
  const labelDetails = isRecord(raw.labelDetails) ? raw.labelDetails : {}
  const edit = isRecord(raw.textEdit) ? raw.textEdit : undefined
  const insert = (edit === undefined ? undefined : optionalText(edit.newText)) ?? optionalText(raw.insertText)
  return {
    label,
    signature: optionalText(labelDetails.detail),
    description: optionalText(labelDetails.description),
    kind: typeof raw.kind === 'number' ? raw.kind : undefined,
    detail: optionalText(raw.detail),
    documentation: parseMarkup(raw.documentation),
    deprecated: raw.deprecated === true || (Array.isArray(raw.tags) && raw.tags.includes(deprecatedTag)),
    preselect: raw.preselect === true,
    sortText: optionalText(raw.sortText) ?? label,
    filterText: optionalText(raw.filterText) ?? label,
    insert: raw.insertTextFormat === snippetFormat ? plainSnippet(insert ?? label) : (insert ?? label),
    replacesFrom: edit === undefined ? undefined : startOf(edit),
    adds: addedTexts(raw.additionalTextEdits),
    raw,
  }
}

const deprecatedTag = 1
const snippetFormat = 2

function withDefaults(
  item: Record<string, unknown>,
  { editRange, ...defaults }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { insertTextFormat, insertTextMode, data } = { ...defaults, ...withoutUndefined(item) }
  const filled = { ...item, ...withoutUndefined({ insertTextFormat, insertTextMode, data }) }
  if (!isRecord(editRange) || filled.textEdit !== undefined) return filled
  // A default range makes an edit of every item, whose text is the label unless it says otherwise.
  const newText = item.textEditText ?? item.label
  const range = 'insert' in editRange ? editRange : { range: editRange }
  return { ...filled, textEdit: { ...range, newText } }
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** TextEdit, or InsertReplaceEdit; both ranges of the latter begin at the same place. */
function startOf(edit: Readonly<Record<string, unknown>>): ServerPosition | undefined {
  const range = edit.range ?? edit.insert ?? edit.replace
  return range === undefined ? undefined : parsePosition(record(range, 'a range').start)
}

function addedTexts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap(edit => (isRecord(edit) ? (optionalText(edit.newText) ?? []) : []))
}

/**
 * Snippets are not announced, but some servers send them all the same: `map(${1:key}, ${2|a,b|})$0` is `map(key, a)`.
 */
function plainSnippet(snippet: string): string {
  let plain = snippet.slice(0, longestSnippet)
  for (let before = ''; plain !== before; ) {
    before = plain
    plain = plain
      .replace(/\$\{\w+\|((?:\\.|[^\\,|])*)(?:,(?:\\.|[^\\|])*)?\|\}/g, '$1')
      .replace(/\$\{\w+:((?:\\.|[^\\${}])*)\}/g, '$1')
      .replace(/\$\{\w+\}/g, '')
  }
  return plain.replace(/\\([\\$}])|\$\w+/g, (_, escaped?: string) => escaped ?? '')
}

const longestSnippet = 4000
