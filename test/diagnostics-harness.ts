// A store of diagnostics on a clock that moves by hand, with the rules that servers are judged by.
import { expect } from 'vitest'
import { BridgeError } from '../src/errors.js'
import { CapabilityTable } from '../src/lsp/capabilities.js'
import { type DiagnosticsOptions, type DiagnosticsRule, DiagnosticsStore } from '../src/lsp/diagnostics.js'
import type { OpenDocument } from '../src/lsp/documents.js'
import { neverAborted, watched } from './client-harness.js'
import { virtualClock } from './virtual-clock.js'

export const uri = 'file:///workspace/a.fake'

export const standard = {
  kind: 'standard',
  quietMs: 0,
  reason: 'Pushes carry the version.',
} as const satisfies DiagnosticsRule
export const quiet = {
  kind: 'standard',
  quietMs: 100,
  reason: 'It pushes twice.',
} as const satisfies DiagnosticsRule
export const debounced = {
  kind: 'debounced-push',
  delayMs: 300,
  quietMs: 50,
  reason: 'It waits for the next change.',
} as const satisfies DiagnosticsRule
export const onePush = {
  kind: 'one-push-per-change',
  delayMs: 400,
  reason: 'One for each change.',
} as const satisfies DiagnosticsRule

export function store(rule: DiagnosticsRule, options: Partial<DiagnosticsOptions> = {}) {
  const clock = virtualClock()
  const diagnostics = new DiagnosticsStore({
    rule,
    clock,
    capabilities: () => new CapabilityTable({}),
    ask: () => Promise.reject(new BridgeError({ kind: 'Bug', message: 'nobody is to be asked' })),
    key: address => decodeURIComponent(address),
    ...options,
  })
  return {
    clock,
    diagnostics,
    publish: (version: number | undefined, ...messages: readonly string[]) =>
      diagnostics.published(uri, version, messages.map(found)),
    report: (version: number, milliseconds = 5000, signal = neverAborted()) =>
      watched(diagnostics.report(document(version), { milliseconds, signal })),
  }
}

export function document(version: number): OpenDocument {
  return { uri, languageId: 'fake', version, text: `text ${version}`, content: `sha256:${version}` }
}

export function found(message: string) {
  return { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message }
}

export const settled = (...messages: readonly string[]) => ({
  verdict: 'settled',
  reason: undefined,
  diagnostics: messages.map(message => expect.objectContaining({ message })),
})
export const unknown = (reason: string) => ({ verdict: 'unknown', reason: expect.stringContaining(reason) })
