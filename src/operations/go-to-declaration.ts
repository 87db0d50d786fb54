// Where a symbol is declared, in languages in which that is not where it is defined.
import { DeclarationRequest, DefinitionRequest } from 'vscode-languageserver-protocol'
import { defineNavigation } from './navigation.js'

export const goToDeclaration = defineNavigation({
  name: 'go_to_declaration',
  summary:
    'Where a symbol is declared: the header of a C function, the stub of a Python one, the trait of a Rust method. Use go_to_definition for its body.',
  lsp: DeclarationRequest,
  nearest: { name: 'go_to_definition', lsp: DefinitionRequest },
  noun: 'declaration',
  example: 'examples/tour/main.py:5 --symbol square',
})
