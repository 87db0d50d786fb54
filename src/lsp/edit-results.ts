// Parses what servers answer to requests that change something: workspace edits in their two forms, text edits, code
// actions and the range of a rename. What is malformed is refused whole, because half an edit is worse than none.
import {
  isRecord,
  list,
  malformed,
  optionalText,
  parseRange,
  record,
  type ServerRange,
  text,
} from './parse.js'

export interface ServerTextEdit {
  readonly range: ServerRange
  readonly newText: string
}

export type ServerChange =
  | {
      readonly kind: 'edit'
      readonly uri: string
      /** Of the document the edits were made for, where the server says so. */
      readonly version: number | undefined
      readonly edits: readonly ServerTextEdit[]
    }
  | {
      readonly kind: 'create'
      readonly uri: string
      readonly overwrite: boolean
      readonly ignoreIfExists: boolean
    }
  | {
      readonly kind: 'rename'
      readonly from: string
      readonly to: string
      readonly overwrite: boolean
      readonly ignoreIfExists: boolean
    }
  | {
      readonly kind: 'delete'
      readonly uri: string
      readonly recursive: boolean
      readonly ignoreIfNotExists: boolean
    }

/** In the order in which they are to be made: an edit after a rename names the file by its new name. */
export interface ServerWorkspaceEdit {
  readonly changes: readonly ServerChange[]
}

export type ServerPrepareRename =
  | { readonly kind: 'range'; readonly range: ServerRange; readonly placeholder: string | undefined }
  /** The server leaves it to the client to find the identifier at the position. */
  | { readonly kind: 'default' }

export interface ServerCommand {
  readonly title: string
  readonly command: string
  readonly arguments: readonly unknown[]
}

export interface ServerCodeAction {
  readonly title: string
  readonly kind: string | undefined
  readonly isPreferred: boolean
  readonly disabledReason: string | undefined
  readonly edit: ServerWorkspaceEdit | undefined
  readonly command: ServerCommand | undefined
  /** As it came, for `codeAction/resolve`. */
  readonly raw: object
}

/** Undefined when the server has no edit to offer. */
export function parseWorkspaceEdit(result: unknown): ServerWorkspaceEdit | undefined {
  if (result === null || result === undefined) return undefined
  const edit = record(result, 'a workspace edit')
  // The specification prefers the second form where both are there: it alone has versions and an order.
  if (isGiven(edit.documentChanges)) {
    return { changes: list(edit.documentChanges, 'document changes').map(parseDocumentChange) }
  }
  if (!isGiven(edit.changes)) return { changes: [] }
  const changes = Object.entries(record(edit.changes, 'changes by document'))
  return {
    changes: changes.map(([uri, edits]) => ({
      kind: 'edit',
      uri,
      version: undefined,
      edits: parseTextEdits(edits),
    })),
  }
}

/** Null is an empty list: nothing to change. */
export function parseTextEdits(result: unknown): readonly ServerTextEdit[] {
  if (result === null || result === undefined) return []
  return list(result, 'a list of text edits').map(parseTextEdit)
}

/** Undefined when nothing can be renamed at the position. */
export function parsePrepareRename(result: unknown): ServerPrepareRename | undefined {
  if (result === null || result === undefined) return undefined
  const answer = record(result, 'a range to rename')
  if (isGiven(answer.range)) {
    return { kind: 'range', range: parseRange(answer.range), placeholder: optionalText(answer.placeholder) }
  }
  if ('start' in answer) return { kind: 'range', range: parseRange(answer), placeholder: undefined }
  if (typeof answer.defaultBehavior !== 'boolean') throw malformed('a range to rename', result)
  return answer.defaultBehavior ? { kind: 'default' } : undefined
}

export function parseCodeActions(result: unknown): readonly ServerCodeAction[] {
  if (result === null || result === undefined) return []
  return list(result, 'a list of code actions').map(parseCodeAction)
}

/** One action, as `codeAction/resolve` answers it. */
export function parseCodeAction(value: unknown): ServerCodeAction {
  const action = record(value, 'a code action')
  const title = text(action.title, 'a code action')
  // The older form: the command itself stands in the list, its name where an action has an object.
  if (typeof action.command === 'string') {
    return {
      title,
      kind: undefined,
      isPreferred: false,
      disabledReason: undefined,
      edit: undefined,
      command: parseCommand(action),
      raw: action,
    }
  }
  const disabled = isRecord(action.disabled) ? action.disabled : undefined
  return {
    title,
    kind: optionalText(action.kind),
    isPreferred: action.isPreferred === true,
    disabledReason: disabled && (optionalText(disabled.reason) ?? 'the server gives no reason'),
    edit: parseWorkspaceEdit(action.edit),
    command: isGiven(action.command) ? parseCommand(action.command) : undefined,
    raw: action,
  }
}

function parseCommand(value: unknown): ServerCommand {
  const command = record(value, 'a command')
  return {
    title: optionalText(command.title) ?? '',
    command: text(command.command, 'a command'),
    arguments: isGiven(command.arguments) ? list(command.arguments, 'arguments of a command') : [],
  }
}

function parseDocumentChange(value: unknown): ServerChange {
  const change = record(value, 'a document change')
  const options = isRecord(change.options) ? change.options : {}
  const overwrite = options.overwrite === true
  const ignoreIfExists = options.ignoreIfExists === true
  switch (change.kind) {
    case undefined:
      return parseDocumentEdit(change)
    case 'create':
      return { kind: 'create', uri: text(change.uri, 'the URI of a new file'), overwrite, ignoreIfExists }
    case 'rename':
      return {
        kind: 'rename',
        from: text(change.oldUri, 'the URI of a renamed file'),
        to: text(change.newUri, 'the URI of a renamed file'),
        overwrite,
        ignoreIfExists,
      }
    case 'delete':
      return {
        kind: 'delete',
        uri: text(change.uri, 'the URI of a deleted file'),
        recursive: options.recursive === true,
        ignoreIfNotExists: options.ignoreIfNotExists === true,
      }
    default:
      throw malformed('a create, rename or delete', value)
  }
}

function parseDocumentEdit(change: Record<string, unknown>): ServerChange {
  const document = record(change.textDocument, 'the document of an edit')
  const { version } = document
  if (isGiven(version) && !Number.isInteger(version)) throw malformed('a version of a document', version)
  return {
    kind: 'edit',
    uri: text(document.uri, 'the URI of an edited document'),
    version: typeof version === 'number' ? version : undefined,
    edits: parseTextEdits(list(change.edits, 'a list of text edits')),
  }
}

/**
 * Annotated edits carry one field more, which only says what an editor may ask the user. A snippet edit has no text:
 * its placeholders mean nothing outside an editor, and we announce no support for it.
 */
function parseTextEdit(value: unknown): ServerTextEdit {
  const edit = record(value, 'a text edit')
  return { range: parseRange(edit.range), newText: text(edit.newText, 'the text of an edit') }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
