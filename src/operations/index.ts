// The list of operations, in documentation order. Every surface is a loop over it.
import { findReferences } from './find-references.js'
import { findSymbol } from './find-symbol.js'
import { getDiagnostics } from './get-diagnostics.js'
import { goToDefinition } from './go-to-definition.js'
import { inspectSymbol } from './inspect-symbol.js'
import { listSymbols } from './list-symbols.js'
import { serverStatus } from './server-status.js'

export const operations = [
  findSymbol,
  listSymbols,
  inspectSymbol,
  goToDefinition,
  findReferences,
  getDiagnostics,
  serverStatus,
] as const
