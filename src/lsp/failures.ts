// What a failed request means to a caller: each way to fail becomes one public error kind with a next step. A server's
// own words are passed on, cleaned and bounded.
import { LSPErrorCodes } from 'vscode-languageserver-protocol'
import { BridgeError } from '../errors.js'
import { cleanLine } from '../text/clean.js'

const restarted = 'Ask again: the server is restarted under its rule.'

interface ResponseFailure {
  readonly code: number
  readonly message: string
}

export function responseFailure(title: string, method: string, error: ResponseFailure): BridgeError {
  switch (error.code) {
    case -32601:
      return capabilityFailure(title, method)
    case -32700:
      return new BridgeError({
        kind: 'Wire',
        message: `${title} sent a frame that is no valid JSON`,
        hint: 'Ask again; if it persists, restart the server.',
        cause: error,
      })
    case LSPErrorCodes.ContentModified:
      return new BridgeError({
        kind: 'ContentModified',
        message: `${title} kept changing its view of the files while it was asked (${method})`,
        hint: 'Ask again in a moment: it is still digesting an edit or loading the workspace.',
        cause: error,
      })
    default:
      return new BridgeError({
        kind: 'ServerError',
        message: `${title} refused ${method}: ${cleanLine(error.message, 2048).text}`,
        hint: 'These are the words of the language server; correct the target or the arguments accordingly.',
        cause: error,
      })
  }
}

export function capabilityFailure(title: string, method: string): BridgeError {
  return new BridgeError({
    kind: 'CapabilityMissing',
    message: `${title} does not offer ${method}`,
    hint: 'Use server_status to see which servers run.',
  })
}

export function overloadFailure(title: string, queuedBytes: number): BridgeError {
  return new BridgeError({
    kind: 'Overloaded',
    message: `${title} does not take in what is sent to it (${queuedBytes} bytes wait)`,
    hint: 'Ask again in some seconds; a server that stays deaf is restarted.',
  })
}

export function timeoutFailure(title: string, method: string, milliseconds: number): BridgeError {
  return new BridgeError({
    kind: 'RequestTimeout',
    message: `${title} did not answer ${method} within ${Math.round(milliseconds / 100) / 10} s`,
    hint: 'The request was cancelled and the server is still alive: ask again, with a larger timeout_ms if it is busy.',
  })
}

export function closedFailure(title: string, cause: unknown): BridgeError {
  const why = cause instanceof Error ? `: ${cleanLine(cause.message, 300).text}` : ''
  return new BridgeError({
    kind: 'Wire',
    message: `the connection to ${title} ended${why}`,
    // What broke the wire knows best what can be done about it.
    hint: (cause instanceof BridgeError ? cause.hint : undefined) ?? restarted,
    cause,
  })
}
