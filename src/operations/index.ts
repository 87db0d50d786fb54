// The list of operations, in documentation order. Every surface is a loop over it.
import { addWorkspaceFolder } from './add-workspace-folder.js'
import { applyEdit } from './apply-edit.js'
import { beginChange } from './begin-change.js'
import { blastRadius } from './blast-radius.js'
import { checkChange } from './check-change.js'
import { closeDocument } from './close-document.js'
import { didChangeWatchedFiles } from './did-change-watched-files.js'
import { executeCommand } from './execute-command.js'
import { exploreSymbol } from './explore-symbol.js'
import { findCallers } from './find-callers.js'
import { findReferences } from './find-references.js'
import { findSymbol } from './find-symbol.js'
import { formatDocument } from './format-document.js'
import { formatRange } from './format-range.js'
import { getCodeLenses } from './get-code-lenses.js'
import { getCompletions } from './get-completions.js'
import { getContext } from './get-context.js'
import { getDiagnostics } from './get-diagnostics.js'
import { getDocumentHighlights } from './get-document-highlights.js'
import { getFoldingRanges } from './get-folding-ranges.js'
import { getInlayHints } from './get-inlay-hints.js'
import { getSelectionRanges } from './get-selection-ranges.js'
import { getSemanticTokens } from './get-semantic-tokens.js'
import { getSignatureHelp } from './get-signature-help.js'
import { goToDeclaration } from './go-to-declaration.js'
import { goToDefinition } from './go-to-definition.js'
import { goToImplementation } from './go-to-implementation.js'
import { goToTypeDefinition } from './go-to-type-definition.js'
import { inspectSymbol } from './inspect-symbol.js'
import { listSymbols } from './list-symbols.js'
import { listWorkspaceFolders } from './list-workspace-folders.js'
import { openDocument } from './open-document.js'
import { prepareRename } from './prepare-rename.js'
import { previewEdit } from './preview-edit.js'
import { removeWorkspaceFolder } from './remove-workspace-folder.js'
import { renameSymbol } from './rename-symbol.js'
import { restartServer } from './restart-server.js'
import { serverStatus } from './server-status.js'
import { suggestFixes } from './suggest-fixes.js'
import { typeHierarchy } from './type-hierarchy.js'

export const operations = [
  exploreSymbol,
  getContext,
  findSymbol,
  listSymbols,
  inspectSymbol,
  goToDefinition,
  goToTypeDefinition,
  goToImplementation,
  goToDeclaration,
  findReferences,
  findCallers,
  blastRadius,
  typeHierarchy,
  getDocumentHighlights,
  getDiagnostics,
  getCompletions,
  getSignatureHelp,
  getInlayHints,
  getSemanticTokens,
  getSelectionRanges,
  getFoldingRanges,
  getCodeLenses,
  suggestFixes,
  prepareRename,
  renameSymbol,
  formatDocument,
  formatRange,
  previewEdit,
  applyEdit,
  beginChange,
  checkChange,
  openDocument,
  closeDocument,
  executeCommand,
  didChangeWatchedFiles,
  listWorkspaceFolders,
  addWorkspaceFolder,
  removeWorkspaceFolder,
  serverStatus,
  restartServer,
] as const
