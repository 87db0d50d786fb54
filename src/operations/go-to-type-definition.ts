// Where the type of a value is defined.
import { HoverRequest, TypeDefinitionRequest } from 'vscode-languageserver-protocol'
import { defineNavigation } from './navigation.js'

export const goToTypeDefinition = defineNavigation({
  name: 'go_to_type_definition',
  summary:
    'Where the type of a variable, field or parameter is defined, also where no annotation names it. Use to see what a value can do.',
  lsp: TypeDefinitionRequest,
  nearest: { name: 'inspect_symbol', lsp: HoverRequest },
  noun: 'type definition',
  example: 'src/clock.ts --symbol systemClock',
})
