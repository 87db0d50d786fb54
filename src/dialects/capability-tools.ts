// The plugin's tools `lsp_*`: one for each operation that the servers declare they can answer, and none for the others
// . Diagnostics come from notifications and need no capability, so their tool is always there.
import { TypeHierarchyPrepareRequest } from 'vscode-languageserver-protocol'
import { findCallers } from '../operations/find-callers.js'
import { findReferences } from '../operations/find-references.js'
import { findSymbol } from '../operations/find-symbol.js'
import { formatDocument } from '../operations/format-document.js'
import { formatRange } from '../operations/format-range.js'
import { getCodeLenses } from '../operations/get-code-lenses.js'
import { getCompletions } from '../operations/get-completions.js'
import { getDiagnostics } from '../operations/get-diagnostics.js'
import { getDocumentHighlights } from '../operations/get-document-highlights.js'
import { getFoldingRanges } from '../operations/get-folding-ranges.js'
import { getInlayHints } from '../operations/get-inlay-hints.js'
import { getSelectionRanges } from '../operations/get-selection-ranges.js'
import { getSemanticTokens } from '../operations/get-semantic-tokens.js'
import { getSignatureHelp } from '../operations/get-signature-help.js'
import { goToDeclaration } from '../operations/go-to-declaration.js'
import { goToDefinition } from '../operations/go-to-definition.js'
import { goToImplementation } from '../operations/go-to-implementation.js'
import { goToTypeDefinition } from '../operations/go-to-type-definition.js'
import { inspectSymbol } from '../operations/inspect-symbol.js'
import { listSymbols } from '../operations/list-symbols.js'
import type { Effect, Operation } from '../operations/operation.js'
import { prepareRename } from '../operations/prepare-rename.js'
import { whatNext } from '../operations/propose.js'
import { renameSymbol } from '../operations/rename-symbol.js'
import { suggestFixes } from '../operations/suggest-fixes.js'
import { typeHierarchy } from '../operations/type-hierarchy.js'
import { operationTool } from './operation-tool.js'
import type { ModelTool } from './tool.js'

export interface CapabilityToolsOptions {
  /** Whether a server that answers here declares what the operation needs. */
  readonly isOffered: (operation: Pick<Operation, 'lsp'>) => boolean
  readonly effects: readonly Effect[]
}

export function capabilityTools({ isOffered, effects }: CapabilityToolsOptions): ModelTool[] {
  return named
    .filter(
      ([, operation]) => effects.includes(operation.effect) && isOffered(gates.get(operation) ?? operation),
    )
    .map(([name, operation]) => renamed(name, operation, effects))
}

const named: readonly (readonly [string, Operation])[] = [
  ['lsp_diagnostics', getDiagnostics],
  ['lsp_hover', inspectSymbol],
  ['lsp_goto_definition', goToDefinition],
  ['lsp_goto_type_definition', goToTypeDefinition],
  ['lsp_goto_implementation', goToImplementation],
  ['lsp_goto_declaration', goToDeclaration],
  ['lsp_references', findReferences],
  ['lsp_rename', renameSymbol],
  ['lsp_prepare_rename', prepareRename],
  ['lsp_document_symbols', listSymbols],
  ['lsp_workspace_symbols', findSymbol],
  ['lsp_document_highlights', getDocumentHighlights],
  ['lsp_call_hierarchy', findCallers],
  ['lsp_type_hierarchy', typeHierarchy],
  ['lsp_completion', getCompletions],
  ['lsp_signature_help', getSignatureHelp],
  ['lsp_inlay_hints', getInlayHints],
  ['lsp_semantic_tokens', getSemanticTokens],
  ['lsp_selection_ranges', getSelectionRanges],
  ['lsp_folding_ranges', getFoldingRanges],
  ['lsp_code_lenses', getCodeLenses],
  ['lsp_code_actions', suggestFixes],
  ['lsp_format', formatDocument],
  ['lsp_format_range', formatRange],
]

/**
 * An operation that answers from elsewhere where a server lacks the request needs no capability to be called; its tool is
 * generated only where the server has it.
 */
const gates: ReadonlyMap<Operation, Pick<Operation, 'lsp'>> = new Map([
  [typeHierarchy, { lsp: TypeHierarchyPrepareRequest }],
])

/** The operations that have a tool here. */
export const capabilityOperations: ReadonlySet<string> = new Set(named.map(([, { name }]) => name))

const toolNames = new Map(named.map(([name, operation]) => [operation.name, name]))
const operationNames = new RegExp(`\\b(?:${[...toolNames.keys()].join('|')})\\b`, 'g')

function renamed(name: string, operation: Operation, effects: readonly Effect[]): ModelTool {
  const tool = operationTool(operation)
  const inThisDialect = (text: string) => {
    // Where a proposal cannot be applied here, the host's own edit tools write it.
    const told = effects.includes('edit') ? text : withoutApply(text)
    return told.replace(operationNames, found => toolNames.get(found) ?? found)
  }
  return {
    ...tool,
    name,
    description: inThisDialect(tool.description),
    async answer(input, asking) {
      const answer = await tool.answer(input, asking)
      return answer.ok
        ? { ...answer, text: answer.text.replace(whatNext, inThisDialect(whatNext)) }
        : { ...answer, text: inThisDialect(answer.text) }
    },
  }
}

const byHost = 'Nothing is written: apply the diff with your own edit tools.'

function withoutApply(text: string): string {
  return text
    .replace(whatNext, byHost)
    .replace(
      /Returns a diff and a handle and writes nothing: apply_edit writes it\./,
      `Returns a diff. ${byHost}`,
    )
    .replace(/ and a handle for apply_edit\./, `. ${byHost}`)
}
