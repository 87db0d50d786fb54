// The answer to every request a server may send us. A server that gets none blocks (gopls waits for its
// configuration before it loads anything), so there is always one, at once; none of them ever writes or opens anything.
import type { Registration, Unregistration } from 'vscode-languageserver-protocol'
import { property } from '../json.js'

export interface ServerRequestHandling {
  readonly settings: Readonly<Record<string, unknown>>
  /** What an unset configuration section is answered with: most servers take null, some need an object. */
  readonly unsetConfiguration: null | Readonly<Record<string, never>>
  readonly workspaceFolders: readonly { readonly uri: string; readonly name: string }[]
  readonly register: (registrations: readonly Registration[]) => void
  readonly unregister: (unregistrations: readonly Unregistration[]) => void
  readonly createProgress: (token: string | number) => void
  readonly refreshDiagnostics: () => void
  readonly refused: (method: string) => void
  /** Takes an edit that is asked for as a suggestion; false where nobody waits for one. */
  readonly offerEdit: (edit: unknown) => boolean
}

/** `undefined` means: not a request we know (the caller decides between null and MethodNotFound, C6). */
export function answerServerRequest(
  method: string,
  params: unknown,
  handling: ServerRequestHandling,
): { readonly result: unknown } | undefined {
  switch (method) {
    case 'workspace/configuration':
      return { result: items(params).map(item => configurationFor(item, handling)) }
    case 'client/registerCapability':
      handling.register(field(params, 'registrations').filter(isRegistration))
      return { result: null }
    case 'client/unregisterCapability':
      // The misspelling is the protocol's own.
      handling.unregister(field(params, 'unregisterations').filter(isRegistration))
      return { result: null }
    case 'window/workDoneProgress/create': {
      const token: unknown = property(params, 'token')
      if (typeof token === 'string' || typeof token === 'number') handling.createProgress(token)
      return { result: null }
    }
    case 'workspace/applyEdit':
      if (!handling.offerEdit(property(params, 'edit'))) handling.refused(method)
      return { result: { applied: false, failureReason: 'This client never lets a server write files.' } }
    case 'window/showDocument':
      handling.refused(method)
      return { result: { success: false } }
    case 'window/showMessageRequest':
      return { result: null }
    case 'workspace/workspaceFolders':
      return { result: handling.workspaceFolders }
    case 'workspace/diagnostic/refresh':
      handling.refreshDiagnostics()
      return { result: null }
    case 'workspace/codeLens/refresh':
    case 'workspace/semanticTokens/refresh':
    case 'workspace/inlayHint/refresh':
    case 'workspace/inlineValue/refresh':
    case 'workspace/foldingRange/refresh':
      return { result: null }
    default:
      return undefined
  }
}

/** `a.b` names the value at that path; the empty section names all settings. */
function configurationFor(item: unknown, handling: ServerRequestHandling): unknown {
  const section: unknown = property(item, 'section')
  let value: unknown = handling.settings
  if (typeof section === 'string' && section !== '') {
    // A setting may be written under its dotted name as well as nested.
    value = Object.hasOwn(handling.settings, section)
      ? handling.settings[section]
      : section.split('.').reduce<unknown>((found, key) => property(found, key), handling.settings)
  }
  return value ?? handling.unsetConfiguration
}

function items(params: unknown): readonly unknown[] {
  return field(params, 'items')
}

function field(params: unknown, name: string): readonly unknown[] {
  const value = property(params, name)
  return Array.isArray(value) ? value : []
}

function isRegistration(value: unknown): value is Registration {
  return typeof property(value, 'id') === 'string' && typeof property(value, 'method') === 'string'
}
