// What implements an interface or an abstract member. gopls also answers the other way round: asked about a concrete type,
// it names the interfaces that the type satisfies.
import { ImplementationRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import { defineNavigation } from './navigation.js'

export const goToImplementation = defineNavigation({
  name: 'go_to_implementation',
  summary:
    'The classes or methods that implement an interface, trait or abstract method, where go_to_definition would show its declaration only.',
  lsp: ImplementationRequest,
  nearest: { name: 'find_references', lsp: ReferencesRequest },
  noun: 'implementation',
  example: 'src/text/position.ts --symbol Lines',
})
