// One plausible call of every operation, for tests that hold something for all of them.
import type { Operation } from '../src/operations/operation.js'
import { fixture } from './fixture/index.js'

export const story = fixture`
-- shapes.fake --
def area
ERROR no width
-- use.fake --
area
`

/** Some value for every field an operation may insist on. */
const values: Readonly<Record<string, unknown>> = {
  file: 'shapes.fake',
  files: ['shapes.fake'],
  line: 1,
  column: 5,
  end_line: 2,
  symbol: 'area',
  query: 'area',
  new_name: 'surface',
  edits: [{ file: 'shapes.fake', new_text: 'def volume' }],
}
/** What says most about the question comes first; one of each line will do. */
const subjects = [
  ['file', 'files', 'edits'],
  ['symbol', 'line'],
]

/** The server says that it can do everything, and does nothing. */
export const everyCapability = {
  codeActionProvider: true,
  callHierarchyProvider: true,
  codeLensProvider: {},
  completionProvider: {},
  declarationProvider: true,
  documentFormattingProvider: true,
  documentHighlightProvider: true,
  documentRangeFormattingProvider: true,
  executeCommandProvider: { commands: ['x'] },
  foldingRangeProvider: true,
  implementationProvider: true,
  inlayHintProvider: true,
  renameProvider: { prepareProvider: true },
  selectionRangeProvider: true,
  semanticTokensProvider: { legend: { tokenTypes: ['class'], tokenModifiers: [] }, full: true },
  signatureHelpProvider: {},
  typeDefinitionProvider: true,
  typeHierarchyProvider: true,
}

export function inputFor({ input }: Operation): Record<string, unknown> {
  const fields = Object.keys(input.shape)
  const needed = fields.filter(name => !input.shape[name]?.safeParse(undefined).success)
  const named = subjects.flatMap(names => names.filter(name => fields.includes(name)).slice(0, 1))
  const entries = [...new Set([...needed, ...named])].map(name => [name, values[name] ?? 'x'])
  return Object.fromEntries(entries)
}
