// What the server does with a message when no rule takes it: the behaviour of a plain, honest language server.
import { isRequest, type Message, nameOf } from './message.js'
import type { Act, Exit } from './script.js'
import type { Session } from './session.js'

export type Reaction =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly publish: Omit<Extract<Act, { act: 'publish' }>, 'act'> }
  | { readonly exit: Exit }
  | undefined

export function builtIn(message: Message, session: Session): Reaction {
  const { script, state } = session
  const name = nameOf(message)
  if (isRequest(message)) return answer(message, session)
  const pushes = script.diagnostics !== 'pull' && script.diagnostics !== 'none'
  switch (name) {
    case 'textDocument/didOpen':
    case 'textDocument/didChange':
      return pushes ? { publish: {} } : undefined
    case 'textDocument/didClose':
      return pushes ? { publish: { diagnostics: [], version: 'none' } } : undefined
    case 'exit':
    case '@end':
      return { exit: { code: state.shutDown ? 0 : 1 } }
    default:
      return undefined
  }
}

function answer(
  message: Message,
  { script, state, world, capabilities, features, offered }: Session,
): Reaction {
  const name = nameOf(message)
  if (name === 'initialize') {
    const info = script.serverInfo === undefined ? { name: 'fake', version: '1.0.0' } : script.serverInfo
    return { result: { capabilities, ...(info === null ? {} : { serverInfo: info }) } }
  }
  if (!state.initializing) return { error: { code: -32002, message: 'initialize comes first' } }
  if (name === 'shutdown') return { result: null }
  if (state.shutDown) return { error: { code: -32600, message: 'the server was shut down' } }
  const feature = features.get(name)
  if (feature === undefined || !offered.has(name)) {
    return { error: { code: -32601, message: `${name} is not offered` } }
  }
  return { result: feature.answer(world, message.params) }
}
