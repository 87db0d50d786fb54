// What we announce to a server, and what a server can do. The capability a request needs is read from the
// protocol package's own request constants, never restated; dynamic registration adds and removes (R-10, C7).
import type {
  ClientCapabilities,
  Registration,
  ServerCapabilities,
  Unregistration,
} from 'vscode-languageserver-protocol'
import {
  FoldingRangeKind,
  MarkupKind,
  SemanticTokenModifiers,
  SemanticTokenTypes,
  SymbolKind,
  SymbolTag,
} from 'vscode-languageserver-protocol'
import type { PositionEncoding } from '../text/position.js'
import { isSelected } from './document-selector.js'
import type { OpenDocument } from './documents.js'

/** A request constant of the protocol package, such as `ReferencesRequest`. */
export interface RequestConstant {
  readonly method: string
  readonly capabilities?: { readonly client: string | undefined; readonly server: string | undefined }
}

export class CapabilityTable {
  readonly #declared: ServerCapabilities
  readonly #registered = new Map<string, Registration>()
  /** Methods the server declared and then refused with MethodNotFound (fault P14). */
  readonly #refused = new Set<string>()

  /** What may be sent at all; a server's offer of anything else is none. */
  readonly #allowed: 'any' | readonly string[]

  constructor(declared: ServerCapabilities, allowed: 'any' | readonly string[] = 'any') {
    this.#declared = declared
    this.#allowed = allowed
  }

  get declared(): ServerCapabilities {
    return this.#declared
  }

  register(registrations: readonly Registration[]): void {
    for (const registration of registrations) {
      this.#registered.set(registration.id, registration)
      this.#refused.delete(registration.method)
    }
  }

  unregister(unregistrations: readonly Unregistration[]): void {
    for (const { id } of unregistrations) this.#registered.delete(id)
  }

  refuse(method: string): void {
    this.#refused.add(method)
  }

  hasRefused(method: string): boolean {
    return this.#refused.has(method)
  }

  /** With a document: whether for this one, too; what is registered may be for others alone. */
  supports(request: RequestConstant, document?: Pick<OpenDocument, 'uri' | 'languageId'>): boolean {
    if (this.#refused.has(request.method)) return false
    if (this.#allowed !== 'any' && !this.#allowed.includes(request.method)) return false
    const path = request.capabilities?.server ?? forgottenProvider(request.method)
    // A constant without a server capability (shutdown, say) is always allowed.
    if (path === undefined) return true
    const declared = valueAt(this.#declared, path)
    if (declared !== undefined && declared !== null && declared !== false) return true
    return this.registrations(registrationMethod(request.method)).some(
      ({ registerOptions }) => document === undefined || isSelected(registerOptions, document),
    )
  }

  registrations(method: string): Registration[] {
    return [...this.#registered.values()].filter(registration => registration.method === method)
  }
}

export interface AnnouncedOptions {
  /** In order of preference; some servers take the first they know. */
  readonly positionEncodings: readonly PositionEncoding[]
  readonly experimental: Readonly<Record<string, unknown>>
  /** Without it a server declares in the handshake what it would register afterwards. */
  readonly dynamicRegistration?: boolean
}

/** UTF-16 first: it is the one that need not be converted. */
export const allPositionEncodings: readonly PositionEncoding[] = ['utf-16', 'utf-8', 'utf-32']

/** Every capability the product uses; a server may switch features off that are not announced. */
export function clientCapabilities(options: AnnouncedOptions): ClientCapabilities {
  const { dynamicRegistration = true } = options
  const dynamic = { dynamicRegistration }
  const linked = { dynamicRegistration, linkSupport: true }
  const symbolKinds = { valueSet: Object.values(SymbolKind) }
  const symbolTags = { valueSet: Object.values(SymbolTag) }
  return {
    general: {
      positionEncodings: [...options.positionEncodings],
      // We retry these ourselves, so a server must not hold back an answer for our sake.
      staleRequestSupport: { cancel: true, retryOnContentModified: [] },
      markdown: { parser: 'none' },
    },
    window: { workDoneProgress: true, showMessage: {}, showDocument: { support: false } },
    workspace: {
      applyEdit: true,
      configuration: true,
      workspaceFolders: true,
      didChangeConfiguration: dynamic,
      // It can only be registered.
      didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
      symbol: { dynamicRegistration, symbolKind: symbolKinds, tagSupport: symbolTags },
      executeCommand: dynamic,
      diagnostics: { refreshSupport: true },
      workspaceEdit: {
        documentChanges: true,
        resourceOperations: ['create', 'rename', 'delete'],
        failureHandling: 'transactional',
        normalizesLineEndings: true,
      },
      inlayHint: { refreshSupport: true },
      semanticTokens: { refreshSupport: true },
      codeLens: { refreshSupport: true },
    },
    textDocument: {
      synchronization: { dynamicRegistration, didSave: true },
      publishDiagnostics: { versionSupport: true, relatedInformation: true, codeDescriptionSupport: true },
      diagnostic: { dynamicRegistration, relatedDocumentSupport: true },
      hover: { dynamicRegistration, contentFormat: [MarkupKind.Markdown, MarkupKind.PlainText] },
      completion: {
        dynamicRegistration,
        completionItem: {
          documentationFormat: [MarkupKind.Markdown, MarkupKind.PlainText],
          labelDetailsSupport: true,
        },
      },
      signatureHelp: {
        dynamicRegistration,
        signatureInformation: { documentationFormat: [MarkupKind.Markdown, MarkupKind.PlainText] },
      },
      definition: linked,
      declaration: linked,
      typeDefinition: linked,
      implementation: linked,
      references: dynamic,
      documentHighlight: dynamic,
      documentSymbol: {
        dynamicRegistration,
        hierarchicalDocumentSymbolSupport: true,
        symbolKind: symbolKinds,
        tagSupport: symbolTags,
      },
      codeAction: {
        dynamicRegistration,
        isPreferredSupport: true,
        disabledSupport: true,
        dataSupport: true,
        resolveSupport: { properties: ['edit'] },
        codeActionLiteralSupport: {
          codeActionKind: {
            valueSet: ['', 'quickfix', 'refactor', 'source', 'source.organizeImports', 'source.fixAll'],
          },
        },
      },
      codeLens: dynamic,
      formatting: dynamic,
      rangeFormatting: dynamic,
      rename: { dynamicRegistration, prepareSupport: true },
      callHierarchy: dynamic,
      typeHierarchy: dynamic,
      inlayHint: dynamic,
      selectionRange: dynamic,
      foldingRange: {
        dynamicRegistration,
        lineFoldingOnly: true,
        foldingRangeKind: {
          valueSet: [FoldingRangeKind.Comment, FoldingRangeKind.Imports, FoldingRangeKind.Region],
        },
      },
      semanticTokens: {
        dynamicRegistration,
        requests: { range: true, full: true },
        // TypeScript 7 makes its legend of what is announced here, and sends no token where that is nothing.
        tokenTypes: Object.values(SemanticTokenTypes),
        tokenModifiers: Object.values(SemanticTokenModifiers),
        formats: ['relative'],
      },
    },
    experimental: { ...options.experimental },
  }
}

/** The package's constants of these two requests name no capability. */
function forgottenProvider(method: string): string | undefined {
  return method.startsWith('typeHierarchy/') ? 'typeHierarchyProvider' : undefined
}

/** Follow-up requests are registered under the request that opens them. */
function registrationMethod(method: string): string {
  if (method.startsWith('textDocument/semanticTokens/')) return 'textDocument/semanticTokens'
  if (method.startsWith('callHierarchy/')) return 'textDocument/prepareCallHierarchy'
  if (method.startsWith('typeHierarchy/')) return 'textDocument/prepareTypeHierarchy'
  if (method === 'textDocument/prepareRename') return 'textDocument/rename'
  if (method === 'codeLens/resolve') return 'textDocument/codeLens'
  if (method === 'completionItem/resolve') return 'textDocument/completion'
  if (method === 'codeAction/resolve') return 'textDocument/codeAction'
  if (method === 'inlayHint/resolve') return 'textDocument/inlayHint'
  if (method === 'workspace/diagnostic') return 'textDocument/diagnostic'
  return method
}

function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
