// The public library: `createBridge()` and the types it needs. Its methods are the operations, in camel case, fully typed
// from their declarations.
import type { z } from 'zod'
import { type BridgeCore, type BridgeOptions, openBridge, type Reloaded } from './bridge.js'
import { type AgentTool, agentTool, isReadOnly } from './dialects/agent-tool.js'
import { toolsFor } from './dialects/index.js'
import type { Answer } from './operations/answer.js'
import { type ContextPack, getContext } from './operations/get-context.js'
import { operations } from './operations/index.js'
import type { Call } from './operations/run.js'
import { beginTurn, type Turn, type TurnOptions } from './operations/turn.js'

export type { BridgeOptions, LanguageChoice, Reloaded, ServerChoice } from './bridge.js'
export type { AgentTool } from './dialects/agent-tool.js'
export type { LspToolResult } from './dialects/lsp-tool.js'
export type { ToolAnswer } from './dialects/tool.js'
export type { ErrorKind } from './errors.js'
export { BridgeError, errorKinds } from './errors.js'
export type { BridgeEvent, Events } from './events.js'
export type {
  Answer,
  AnsweringServer,
  AnswerTarget,
  Completeness,
  Failure,
  Freshness,
  Success,
} from './operations/answer.js'
export type { ContextPack } from './operations/get-context.js'
export type {
  Turn,
  TurnAttempt,
  TurnNext,
  TurnOptions,
  TurnReport,
  TurnVerdict,
} from './operations/turn.js'
export type { Place } from './workspace/places.js'

/** The operations that write nothing, by name: what a host's plan mode never has to refuse. */
export const readOnlyOperations: readonly string[] = operations
  .filter(({ effect }) => isReadOnly(effect))
  .map(({ name }) => name)

export type { SyncOutcome, ToolUse } from './hosts/document-sync.js'
export type { Plugin, PluginOptions } from './hosts/plugin.js'
export { createPlugin } from './hosts/plugin.js'
export type { PluginBuilder, RegistryOverride } from './hosts/plugin-builder.js'
export { pluginBuilder } from './hosts/plugin-builder.js'
export type { PluginState } from './hosts/plugin-state.js'
export type { PluginStateChange } from './hosts/plugin-states.js'
export type { Directive, Notification, Route, SignalKind, TaskEvent } from './hosts/signals.js'
export type { SyncRules } from './hosts/sync-rules.js'
export { defaultSyncRules } from './hosts/sync-rules.js'
export type { Registry, RegistryEntry } from './servers/registry.js'
export { builtInRegistry } from './servers/registry.js'

type Listed = (typeof operations)[number]
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name
type InputOf<O extends Listed> = z.input<O['input']> & { readonly timeout_ms?: number }

export type BridgeMethods = {
  readonly [O in Listed as Camel<O['name']>]: (
    input: InputOf<O>,
    options?: { readonly signal?: AbortSignal; readonly synthetic?: boolean },
  ) => Promise<Answer<z.output<O['output']>>>
}

export interface Bridge extends BridgeMethods {
  readonly root: string
  readonly events: BridgeCore['events']
  /** `getContext` with the text that is to be put before the model; empty when nothing may be injected. */
  assembleContext(
    input: InputOf<typeof getContext>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly text: string; readonly answer: Answer<ContextPack> }>
  /** Begins a turn that may change files: every change in it is validated before it closes (INV-LSP-006). */
  turn(options?: TurnOptions): Promise<Turn>
  /** What the preset offers to a model, each ready to be handed to an agent; what a model calls comes through these. */
  tools(): Promise<readonly AgentTool[]>
  /** What the operator should know, e.g. that a program is missing or a setting is not in force. */
  readonly warnings: readonly string[]
  /**
   * Looks at PATH and the configuration again without disturbing what runs. Rejects with a BridgeError, and
   * changes nothing, when the configuration cannot be read.
   */
  reload(): Promise<Reloaded>
  /** Says that the model has read this file as it is now; under a read gate that lets it rename what stands in it. */
  noteRead(file: string): void
  /** Closes open turns, then stops every server in order; nothing survives it. */
  close(): Promise<void>
}

export async function createBridge(options: BridgeOptions = {}): Promise<Bridge> {
  const core = await openBridge(options)
  const methods: Record<string, unknown> = {}
  for (const operation of operations) {
    methods[camel(operation.name)] = (input: unknown, call: Omit<Call, 'caller'> = {}) =>
      core.run(operation, input, { ...call, caller: 'host' })
  }
  assertMethods(methods)
  const { getContext: ask } = methods
  const open = new Set<Turn>()
  return {
    ...methods,
    root: core.root,
    events: core.events,
    async assembleContext(input, options) {
      const answer = await ask(input, options)
      const isWorthTelling = answer.ok && answer.result.items.length > 0
      return { text: isWorthTelling ? core.render(getContext, answer) : '', answer }
    },
    async turn(options) {
      const turn = await beginTurn(core.run, options)
      open.add(turn)
      return {
        change: turn.change,
        edited: (...files) => turn.edited(...files),
        check: () => turn.check(),
        close: () => turn.close().finally(() => open.delete(turn)),
      }
    },
    tools: async () => toolsFor(core.preset, await core.offering()).map(tool => agentTool(tool, core)),
    warnings: core.warnings,
    reload: () => core.reload(),
    noteRead: file => core.noteRead(file),
    async close() {
      await Promise.all([...open].map(turn => turn.close()))
      await core.close()
    },
  }
}

/** The loop above made one method per operation; their types follow from the same list. */
function assertMethods(
  methods: Record<string, unknown>,
): asserts methods is Record<string, unknown> & BridgeMethods {
  for (const { name } of operations) {
    if (typeof methods[camel(name)] !== 'function') throw new TypeError(`no method for ${name}`)
  }
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
