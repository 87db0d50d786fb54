// docs/operations.md: every operation with the names it has on each surface, its input, the shape of its result, and what
// the real servers made of it.
import { presetNames, presets } from '../../src/config/presets.js'
import { offeredBy } from '../../src/dialects/offered.js'
import { errorKinds } from '../../src/errors.js'
import { operations } from '../../src/operations/index.js'
import { inputSchema } from '../../src/operations/input.js'
import type { Effect, Operation } from '../../src/operations/operation.js'
import { placeSchema } from '../../src/operations/operation.js'
import { dashed, optionsOf, positionalOf } from '../../src/surfaces/cli/flags.js'
import { fieldsOf, shapeOf } from './json-shape.js'
import { block, code, page, table } from './markdown.js'
import { matrixPart, type RealResults } from './real-results.js'

export function operationsPage(results: RealResults | undefined): string {
  const listed: readonly Operation[] = operations
  return page('Operations', [
    'An operation is declared once, in `src/operations/`. The MCP tool, the command, the library method and this page follow from the declaration. Fields are snake_case on every surface; lines and columns count from 1, columns in UTF-16 units.',
    table(
      ['Operation', 'Class', 'LSP', 'Use'],
      listed.map(operation => [
        `[${code(operation.name)}](#${operation.name})`,
        operation.effect,
        methodsOf(operation, results?.requests[operation.name])
          .map(method => method.replace(/^textDocument\//, ''))
          .map(code)
          .join(', '),
        operation.summary,
      ]),
    ),
    ...classes(listed),
    ...answer,
    ...(results === undefined
      ? []
      : matrixPart(
          results,
          listed.map(({ name }) => name),
        )),
    ...listed.flatMap(operation => section(operation, results?.requests[operation.name])),
  ])
}

const effects: Readonly<Record<Effect, string>> = {
  read: 'asks and changes nothing',
  propose: 'computes an edit and writes nothing',
  edit: 'writes files of the workspace',
  execute: 'lets a server act, or changes what runs',
}

function classes(listed: readonly Operation[]): string[] {
  const used = new Set(listed.map(({ effect }) => effect))
  const words = Object.entries(effects).flatMap(([name, meaning]) =>
    [...used].some(effect => effect === name) ? [`${code(name)} ${meaning}`] : [],
  )
  return [`Classes: ${words.join('; ')}.`]
}

const answer = [
  '## The answer',
  'The library and `--json` give this object. Over MCP the model gets the text form, which carries the same facts; `alidade mcp --structured` adds the object.',
  block(
    'jsonc',
    `{
  "ok": true,
  "result": {},            // per operation, below
  "target": { "file": "src/a.ts", "line": 12, "column": 17, "symbol": "area", "handle": "s:..." },
  "completeness": { "verdict": "complete" },   // or "partial", "unknown", with "reason" and often "hint"
  "freshness": { "verdict": "current", "content": "sha256:...", "queried_at": "..." },  // or "stale", "unknown"
  "servers": [{ "id": "typescript", "name": "typescript-go", "version": "7.0.2" }],
  "truncated": { "shown": 120, "total": 431 }  // only when cut
}`,
  ),
  `A place, written \`place\` below, is \`{ ${Object.keys(placeSchema.shape).join(', ')} }\`; \`label\` may be missing. Files inside the workspace are relative to its root, others begin with \`external:\`.`,
  `A failure is \`{ "ok": false, "kind", "error", "hint", "candidates"? }\`, never an empty success. Kinds: ${errorKinds.map(code).join(', ')}; \`Bug\` is a fault of Alidade itself.`,
  'Operations on a symbol take whichever of `file`, `line`, `column`, `symbol`, `near` and `handle` is known. With `symbol` alone the workspace is searched. Several matches are `SymbolAmbiguous`, and each candidate works verbatim as the next target.',
]

function section(operation: Operation, requests: readonly string[] | undefined): string[] {
  const { name, summary, effect } = operation
  const command = `alidade ${dashed(name)}`
  return [
    `## ${name}`,
    summary,
    [
      `- Class: ${effect}`,
      `- LSP: ${methodsOf(operation, requests).map(code).join(', ') || 'no request'}${withoutCapability(operation)}`,
      `- Needs the whole workspace: ${operation.needsWholeWorkspace ? 'yes, so it waits until the server has seen it' : 'no'}`,
      `- MCP tool: ${code(name)}; offered by the presets ${presetsOffering(operation)}`,
      `- Library: ${code(`bridge.${camel(name)}(input, { signal })`)}`,
      `- Command: ${code([command, ...usage(operation)].join(' '))}`,
      `- Example: ${code(`${command} ${operation.example}`.trim())}`,
      `- Result: ${code(shapeOf(operation.output))}`,
    ].join('\n'),
    table(
      ['Input', 'Type', 'Default', 'Meaning'],
      fieldsOf(inputSchema(operation)).map(field => [
        code(field.name),
        field.type,
        field.fallback,
        field.description,
      ]),
    ),
  ]
}

/** The one that gates it first, then those it was seen to send to real servers. */
function methodsOf({ name, lsp }: Operation, requests: readonly string[] = []): string[] {
  const gate = lsp === null ? [] : [lsp.method]
  return [...new Set([...gate, ...(notifications[name] ?? []), ...requests])]
}

/** What an operation is about and no recording of requests shows; every question opens its file besides. */
const notifications: Readonly<Record<string, readonly string[]>> = {
  get_diagnostics: ['textDocument/publishDiagnostics'],
  preview_edit: ['textDocument/didChange'],
  open_document: ['textDocument/didOpen', 'textDocument/didChange'],
  close_document: ['textDocument/didClose'],
  did_change_watched_files: ['workspace/didChangeWatchedFiles'],
  add_workspace_folder: ['workspace/didChangeWorkspaceFolders'],
  remove_workspace_folder: ['workspace/didChangeWorkspaceFolders'],
}

/** A question to all languages goes on without the one that cannot answer, and says so. */
function withoutCapability({ lsp, on }: Operation): string {
  const capability = lsp?.capabilities?.server
  if (capability === undefined) return ''
  const outcome =
    on === 'workspace' ? 'a language is named as not searched (`partial`)' : 'a call is `CapabilityMissing`'
  return `; where the server lacks ${code(capability)}, ${outcome}`
}

function presetsOffering(operation: Operation): string {
  const names = presetNames.filter(name =>
    offeredBy<Operation>(presets[name], operations).includes(operation),
  )
  return names.length === 0 ? '(none)' : names.map(code).join(', ')
}

/** The target, then the flags as they are advertised. */
function usage(operation: Operation): string[] {
  const positional = positionalOf(operation)
  const typed = positional?.name.toUpperCase()
  const name = positional?.several ? `${typed}...` : typed
  const flags = optionsOf(operation)
    .filter(option => !option.hidden)
    .map(({ flags }) => `[${flags}]`)
  if (name === undefined) return flags
  return [positional?.required ? name : `[${name}]`, ...flags]
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
