// Whether the servers here can answer an operation: what those that run declare, and before one runs what it declared
// the last time, or is expected to (C31). The tools of presets that offer one per capability follow from it.
import { TypeHierarchyPrepareRequest } from 'vscode-languageserver-protocol'
import type { BridgeEvent, Events } from '../events.js'
import type { RememberedCapabilities } from '../workspace/remembered-capabilities.js'
import type { LanguageCandidates, Workspace } from '../workspace/workspace.js'
import { operations } from './index.js'
import type { Operation } from './operation.js'

type Gated = Pick<Operation, 'lsp'>

export interface OfferedOptions {
  readonly workspace: Pick<Workspace, 'connections' | 'candidates' | 'instances'>
  readonly events: Pick<Events, 'subscribe'>
  readonly remembered: RememberedCapabilities
  /** Whether anybody will want to know it the next time. */
  readonly keeps: () => boolean
  readonly isExpected: (server: string, method: string) => boolean
  /** Those that were enabled by name; empty for all. */
  readonly languages: () => readonly string[]
  readonly candidatesAtRoot: (language: string) => LanguageCandidates['candidates']
}

export class OfferedCapabilities {
  readonly #options: OfferedOptions
  readonly #unsubscribe: () => void

  constructor(options: OfferedOptions) {
    this.#options = options
    this.#unsubscribe = options.events.subscribe(event => {
      if (isMoment(event)) this.#remember()
    })
  }

  /** `hidesMissing`: where no language has a server that could answer, nothing is offered. */
  async present({
    hidesMissing,
  }: {
    readonly hidesMissing: boolean
  }): Promise<(operation: Gated) => boolean | undefined> {
    const live = this.#options.workspace.connections().map(({ session }) => session.client)
    if (live.length > 0) return ({ lsp }) => lsp === null || live.some(client => client.supports(lsp))
    if (!hidesMissing) return () => undefined
    const languages = await this.#languages()
    if (languages.length === 0) return () => undefined
    const servers = languages.filter(({ language }) => !this.#isOff(language)).flatMap(firstServer)
    return ({ lsp }) =>
      servers.length > 0 && (lsp === null || servers.some(id => this.#declares(id, lsp.method)))
  }

  close(): void {
    this.#remember()
    this.#unsubscribe()
  }

  /** The languages found here, and those that were asked for by name although there is no file of them yet. */
  async #languages(): Promise<LanguageCandidates[]> {
    const found = await this.#options.workspace.candidates()
    const others = this.#options
      .languages()
      .filter(language => !found.some(known => known.language === language))
      .map(language => ({ language, files: 0, candidates: this.#atRoot(language) }))
    return [...found, ...others]
  }

  #atRoot(language: string): LanguageCandidates['candidates'] {
    try {
      return this.#options.candidatesAtRoot(language)
    } catch {
      return []
    }
  }

  #isOff(language: string): boolean {
    const own = this.#options.workspace.instances().filter(instance => instance.language === language)
    return own.length > 0 && own.every(({ life }) => life.state.name === 'failed')
  }

  #declares(server: string, method: string): boolean {
    const remembered = this.#options.remembered.of(server)
    return remembered === undefined ? this.#options.isExpected(server, method) : remembered.has(method)
  }

  #remember(): void {
    if (!this.#options.keeps()) return
    for (const { session } of this.#options.workspace.connections()) {
      const { client, candidate } = session
      this.#options.remembered.remember(
        candidate.definition.id,
        gates.filter(request => client.supports(request)).map(({ method }) => method),
      )
    }
  }
}

const gates = [
  ...new Set([TypeHierarchyPrepareRequest, ...operations.flatMap(({ lsp }) => (lsp === null ? [] : [lsp]))]),
]

function firstServer({ candidates: [first] }: LanguageCandidates): string[] {
  return first === undefined ? [] : [first.definition.id]
}

/** When what a server declares is known; some of it may be registered only while it is first asked. */
function isMoment(event: BridgeEvent): boolean {
  return event.type === 'server.stateChanged' && event.to === 'ready'
}
