// Where a symbol is defined.
import { DeclarationRequest, DefinitionRequest } from 'vscode-languageserver-protocol'
import { defineNavigation } from './navigation.js'

export const goToDefinition = defineNavigation({
  name: 'go_to_definition',
  summary:
    'Where a symbol is really defined, resolved by the compiler through imports, re-exports and overloads. Use instead of grepping for the name.',
  lsp: DefinitionRequest,
  nearest: { name: 'go_to_declaration', lsp: DeclarationRequest },
  noun: 'definition',
  example: 'src/bridge.ts --symbol Workspace',
})
