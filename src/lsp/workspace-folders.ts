// The folders one server takes for workspaces: its root, and what was added below it since. A server that asks gets the
// present list; one that takes changes is told of them.
import type { WorkspaceFolder } from 'vscode-languageserver-protocol'
import { property } from '../json.js'
import { pathToUri } from '../text/uri.js'
import type { CapabilityTable } from './capabilities.js'

export interface WorkspaceFoldersOptions {
  readonly rootUri: string
  readonly name: string
  readonly capabilities: () => CapabilityTable
  readonly notify: (method: string, params: object) => void
}

export class WorkspaceFolders {
  readonly #options: WorkspaceFoldersOptions
  readonly #added = new Map<string, WorkspaceFolder>()

  constructor(options: WorkspaceFoldersOptions) {
    this.#options = options
  }

  get all(): readonly WorkspaceFolder[] {
    const { rootUri: uri, name } = this.#options
    return [{ uri, name }, ...this.#added.values()]
  }

  /** Whether it can be told of a change: by its own word in the handshake, or registered later. */
  get takesChanges(): boolean {
    const capabilities = this.#options.capabilities()
    const declared = property(property(capabilities.declared, 'workspace'), 'workspaceFolders')
    // The value may be true or, for gopls, the name of the registration.
    const notifications = property(declared, 'changeNotifications')
    if (typeof notifications === 'string' || notifications === true) return true
    return capabilities.registrations(method).length > 0
  }

  has(path: string): boolean {
    return this.#added.has(path)
  }

  /** True when the server was told; nothing happens where it knows the folder or takes no changes. */
  add(path: string, name: string): boolean {
    if (!this.takesChanges || this.#added.has(path)) return false
    const folder = { uri: pathToUri(path), name }
    this.#added.set(path, folder)
    this.#options.notify(method, { event: { added: [folder], removed: [] } })
    return true
  }

  remove(path: string): boolean {
    const folder = this.#added.get(path)
    if (folder === undefined) return false
    this.#added.delete(path)
    this.#options.notify(method, { event: { added: [], removed: [folder] } })
    return true
  }
}

const method = 'workspace/didChangeWorkspaceFolders'
