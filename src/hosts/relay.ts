// Turns what happens on the servers into the plugin's notifications and signals. Diagnostics are told when they changed:
// a push that repeats itself is none, and servers that are only ever asked are asked after each edit.
import type { BridgeCore } from '../bridge.js'
import type { BridgeEvent } from '../events.js'
import type { Diagnostic } from '../operations/diagnose.js'
import { getDiagnostics } from '../operations/get-diagnostics.js'
import { counted } from '../operations/render.js'
import type { Signals } from './signals.js'

type Relayed = Pick<BridgeCore, 'events' | 'pushed' | 'run' | 'root'>

export interface Relay {
  /** Finds out what is wrong with a file now, in the background, and tells if that is news. */
  lookAt(file: string): void
  close(): void
}

export function relaySignals(bridge: Relayed, signals: Signals): Relay {
  const told = new Map<string, string>()
  const closing = new AbortController()
  const tell = (file: string, diagnostics: readonly Diagnostic[], server: string) => {
    const state = JSON.stringify(diagnostics)
    if (told.get(file) === state) return
    told.set(file, state)
    signals.send(
      { level: 'diagnostics', message: `${file}: ${summary(diagnostics)}` },
      { kind: 'lsp_diagnostics_changed', payload: { server, file, diagnostics } },
    )
  }
  const unsubscribe = bridge.events.subscribe(event => {
    if (event.type === 'diagnostics.published') {
      const pushed = bridge.pushed(event)
      if (pushed !== undefined) tell(pushed.file, pushed.diagnostics, event.server)
    } else relayServer(event, signals)
  })
  return {
    lookAt(file) {
      const call = { caller: 'host', synthetic: true, signal: closing.signal } as const
      void bridge.run(getDiagnostics, { file }, call).then(answer => {
        if (!answer.ok) return
        const [report] = getDiagnostics.output.parse(answer.result).files
        // What is not settled is not known, and what is not known is no news.
        if (report?.verdict === 'settled')
          tell(report.file, report.diagnostics, answer.servers[0]?.id ?? 'unknown')
      })
    },
    close() {
      closing.abort()
      unsubscribe()
    },
  }
}

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
