// The three tools of a sandbox: definition, references, and a rename as a diff to review. Positions are `file_path`,
// `line`, `col`; texts are numbered lists with the source line.
import * as z from 'zod'
import type { Answer, Failure } from '../operations/answer.js'
import { findReferences } from '../operations/find-references.js'
import { goToDefinition } from '../operations/go-to-definition.js'
import type { Operation } from '../operations/operation.js'
import { linesOf } from '../operations/propose.js'
import { renameSymbol } from '../operations/rename-symbol.js'
import {
  type Asking,
  caveats,
  failureText,
  fitted,
  type ModelTool,
  parseArguments,
  type ToolAnswer,
} from './tool.js'

/** As the operator is told which file describes the servers. */
const serversPage = 'docs/servers.md'

const position = {
  file_path: z.string().describe('Path inside the workspace.'),
  line: z.number().int().describe('1-based cursor line.'),
  col: z.number().int().describe('1-based cursor column.'),
}

/** `includesDeclaration`: whether references list it, as the preset says. */
export function sandboxTools({
  includesDeclaration,
}: {
  readonly includesDeclaration: boolean
}): readonly ModelTool[] {
  const declaration = includesDeclaration ? 'its declaration included' : 'without its declaration'
  return [
    listing({
      name: 'find_definition',
      description:
        'The defining location(s) of the symbol at file_path:line:col, with full type information. Beats grep: no namesakes, comments or strings.',
      noun: 'definition',
      operation: goToDefinition,
      placesOf: result => goToDefinition.output.parse(result).places,
    }),
    listing({
      name: 'find_references',
      description: `Every reference to the symbol at file_path:line:col, ${declaration}, with full type information.`,
      noun: 'reference',
      operation: findReferences,
      placesOf: result => findReferences.output.parse(result).references,
    }),
    renaming(),
  ]
}

/** Each operation, and what it is called here. */
export const sandboxOperations: ReadonlyMap<string, string> = new Map([
  [goToDefinition.name, 'find_definition'],
  [findReferences.name, 'find_references'],
  [renameSymbol.name, 'rename_symbol'],
])

interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly text: string
}

interface ListingTool {
  readonly name: string
  readonly description: string
  readonly noun: string
  readonly operation: Operation
  placesOf(result: unknown): readonly Place[]
}

function listing({ name, description, noun, operation, placesOf }: ListingTool): ModelTool {
  const input = z.object(position)
  return {
    name,
    description,
    effect: 'read',
    input,
    operation: undefined,
    async answer(raw, asking) {
      const args = parseArguments({ name, input }, raw, asking)
      const answer = await asking.ask(operation, pointed(args))
      if (!answer.ok) return refused(answer, args.file_path, asking)
      const places = placesOf(answer.result)
      const total = answer.truncated?.total ?? places.length
      const at = `${answer.target?.file ?? args.file_path}:${args.line}:${args.col}`
      const text = fitted(
        {
          head: [`Found ${total} ${noun}(s) for symbol at ${at}${total === 0 ? '.' : ':'}`],
          items: places.map(
            (place, index) => `  ${index + 1}. ${place.file}:${place.line}:${place.column}${source(place)}`,
          ),
          total,
          tail: caveats(answer),
        },
        asking.limitBytes,
      )
      return { ok: true, text, result: answer }
    },
  }
}

function renaming(): ModelTool {
  const name = 'rename_symbol'
  const input = z.object({
    ...position,
    file_path: z.string().describe('Path inside the workspace. Must have been Read.'),
    new_name: z.string().describe('The new identifier; the language server judges whether it is legal.'),
  })
  return {
    name,
    description:
      'Computes the rename of the symbol at file_path:line:col as a diff for review, over the whole workspace. Applies nothing: use Edit once you approve. Needs a prior Read of the file.',
    effect: 'propose',
    input,
    operation: undefined,
    async answer(raw, asking) {
      const args = parseArguments({ name, input }, raw, asking)
      const { new_name } = args
      const answer = await asking.ask(renameSymbol, { ...pointed(args), new_name })
      if (!answer.ok) return refused(answer, args.file_path, asking)
      const { handle, files, warnings = [] } = renameSymbol.output.parse(answer.result)
      const head = `Rename \u2192 ${JSON.stringify(new_name)} would touch ${files.length} file(s)`
      const remarks = [...warnings.map(warning => `warning: ${warning}`), ...caveats(answer)]
      if (handle === undefined) return { ok: true, text: [`${head}.`, ...remarks].join('\n'), result: answer }
      // The file pointed at comes first: it is the one that was read.
      const first = <T extends { readonly file: string }>(list: readonly T[]) =>
        list.toSorted(
          (a, b) => Number(b.file === answer.target?.file) - Number(a.file === answer.target?.file),
        )
      const diffs = first(asking.proposedDiffs(handle, { context: 0 }))
      const lines = diffs.flatMap(({ diff }, index) => [...(index === 0 ? [] : ['']), ...linesOf(diff)])
      const text = fitted(
        {
          head: [
            `${head}:`,
            ...first(files).map(({ file, edits }) => `  - ${file} (${edits} edit(s))`),
            // Before the diff, because whoever applies half a rename breaks the rest.
            ...remarks,
            '',
            'Review the diff below; apply via Edit once approved:',
            '',
          ],
          items: lines,
          total: lines.length,
          noun: 'lines of the diff',
          tail: [],
        },
        asking.limitBytes,
      )
      return { ok: true, text, result: answer }
    },
  }
}

interface Pointed {
  readonly file_path: string
  readonly line: number
  readonly col: number
  readonly timeout_ms?: number | undefined
}

function pointed({ file_path, line, col, timeout_ms }: Pointed) {
  return { file: file_path, line, column: col, timeout_ms }
}

/** The sandbox has words of its own for a language that nobody answers for; they say all there is to say. */
function refused(answer: Failure, file: string, asking: Asking): ToolAnswer {
  const said = ownWords(answer, file, asking)
  const failed: Answer<unknown> = said === undefined ? answer : { ...answer, error: said }
  return { ok: false, text: said ?? failureText(answer), result: failed }
}

function ownWords({ kind, error }: Failure, file: string, asking: Asking): string | undefined {
  const isNamed = kind === 'NoServerForExtension' || kind === 'LanguageNotEnabled'
  if (isNamed && /^(?:no language detected|LSP not configured)/.test(error)) return error
  if (kind !== 'ServerUnavailable') return undefined
  const lacking = asking.missingServer(file)
  if (lacking === undefined) return undefined
  const { command, install } = lacking
  return `${command} not found on PATH. See ${serversPage} for the servers of each language (${install}).`
}

function source({ text }: Place): string {
  return text === '' ? '' : `  ${text}`
}
