// The two requests for code actions, typed for what they are given here: findings and actions exactly as the server sent
// them, because it recognises its own by fields that no type names.
import { RequestType } from 'vscode-jsonrpc/node'
import { CodeActionRequest, CodeActionResolveRequest } from 'vscode-languageserver-protocol'
import type { TypedRequest } from './client.js'
import type { ServerRange } from './parse.js'

export interface CodeActionQuestion {
  readonly textDocument: { readonly uri: string }
  readonly range: ServerRange
  readonly context: {
    readonly diagnostics: readonly unknown[]
    readonly only?: readonly string[]
    readonly triggerKind: number
  }
}

export const codeActions: TypedRequest<CodeActionQuestion> = {
  method: CodeActionRequest.method,
  capabilities: CodeActionRequest.capabilities,
  type: new RequestType<CodeActionQuestion, unknown, void>(CodeActionRequest.method),
}

export const codeActionResolve: TypedRequest<object> = {
  method: CodeActionResolveRequest.method,
  capabilities: CodeActionResolveRequest.capabilities,
  type: new RequestType<object, unknown, void>(CodeActionResolveRequest.method),
}
