// Turns what happens on the servers into the plugin's notifications and signals. Diagnostics are told when they changed:
// a push that repeats itself is none, and servers that are only ever asked are asked after each edit. That a file has none
// any more is told only once it is settled: many servers clear their report before they look at an edit (D05).
import type { BridgeCore } from '../bridge.js'
import type { BridgeEvent } from '../events.js'
import type { Diagnostic } from '../operations/diagnose.js'
import { getDiagnostics } from '../operations/get-diagnostics.js'
import type { PushedDiagnostics } from '../operations/pushed-diagnostics.js'
import { counted } from '../operations/render.js'
import type { Signals } from './signals.js'

type Relayed = Pick<BridgeCore, 'events' | 'pushed' | 'run' | 'root'>

export interface Relay {
  /** Finds out what is wrong with a file now, in the background, and tells if that is news. */
  lookAt(file: string): void
  close(): void
}

export function relaySignals(bridge: Relayed, signals: Signals): Relay {
  /** What was told last, by file. */
  const told = new Map<string, string>()
  /** Files that were looked at because of an empty push, and of which nothing was told since. */
  const lookedAt = new Set<string>()
  const closing = new AbortController()
  const tell = (file: string, diagnostics: readonly Diagnostic[], server: string) => {
    lookedAt.delete(file)
    const state = JSON.stringify(diagnostics)
    if (told.get(file) === state) return
    told.set(file, state)
    signals.send(
      { level: 'diagnostics', message: `${file}: ${summary(diagnostics)}` },
      { kind: 'lsp_diagnostics_changed', payload: { server, file, diagnostics } },
    )
  }
  const look = async (file: string, server: string) => {
    const call = { caller: 'host', synthetic: true, signal: closing.signal } as const
    const answer = await bridge.run(getDiagnostics, { file }, call)
    if (!answer.ok) {
      // What was told of a file that is gone holds no longer.
      if (answer.kind === 'FileNotFound' && told.has(file)) tell(file, [], server)
      return
    }
    const [report] = getDiagnostics.output.parse(answer.result).files
    // What is not settled is not known, and what is not known is no news.
    if (report?.verdict === 'settled') tell(report.file, report.diagnostics, answer.servers[0]?.id ?? server)
  }
  const hear = ({ file, diagnostics }: PushedDiagnostics, server: string) => {
    if (diagnostics.length > 0) return tell(file, diagnostics, server)
    // Once for what was told: to look may itself have the server push, and one that never settles would be asked forever.
    if ((told.get(file) ?? none) === none || lookedAt.has(file)) return
    lookedAt.add(file)
    void look(file, server)
  }
  const unsubscribe = bridge.events.subscribe(event => {
    if (event.type === 'diagnostics.published') {
      const pushed = bridge.pushed(event)
      if (pushed !== undefined) hear(pushed, event.server)
    } else relayServer(event, signals)
  })
  return {
    lookAt(file) {
      lookedAt.delete(file)
      void look(file, 'unknown')
    },
    close() {
      closing.abort()
      unsubscribe()
    },
  }
}

const none = JSON.stringify([])

function relayServer(event: BridgeEvent, signals: Signals): void {
  if (event.type === 'server.crashed') {
    const { server, root, cause } = event
    signals.send(
      { level: 'crash', message: `${server} crashed: ${cause}` },
      { kind: 'lsp_server_crashed', payload: { server, root, cause } },
    )
  } else if (event.type === 'server.stateChanged' && event.from === 'starting' && event.to === 'ready') {
    const { server, root } = event
    signals.send(
      { level: 'ready', message: `${server} is ready` },
      { kind: 'lsp_server_ready', payload: { server, root } },
    )
  } else if (event.type === 'server.logged' && event.channel !== undefined) {
    const { server, root, level, message, channel } = event
    const kind = channel === 'show' ? 'lsp_show_message' : 'lsp_log_message'
    signals.send({ level, message }, { kind, payload: { server, root, level, message } })
  }
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const kinds = (['error', 'warning', 'information', 'hint'] as const).flatMap(severity => {
    const count = diagnostics.filter(found => found.severity === severity).length
    return count === 0 ? [] : [counted(count, severity)]
  })
  return kinds.length === 0 ? 'no diagnostics' : kinds.join(', ')
}
