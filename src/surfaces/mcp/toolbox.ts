// The tools as such, without a protocol: which there are, and what a call of one answers. Loaded after the handshake,
// because the operations bring most of the program with them.
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server'
import type { BridgeCore } from '../../bridge.js'
import type { Clock } from '../../clock.js'
import { type Preset, type PresetName, presets } from '../../config/presets.js'
import { isDynamic, toolsFor } from '../../dialects/index.js'
import { askingThrough } from '../../dialects/through-bridge.js'
import { answerOf, failureText, type ModelTool, type ToolAnswer } from '../../dialects/tool.js'
import { asBridgeError, BridgeError } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { presetDefaults } from '../../operations/preset-defaults.js'
import { failure } from '../../operations/run.js'
import type { Approve } from '../../policy/authority.js'
import { type ProgressStep, passOnProgress } from './progress.js'
import { describedTool } from './tool.js'

export type OpenedBridge = Pick<
  BridgeCore,
  'preset' | 'events' | 'run' | 'render' | 'offering' | 'missingServer' | 'proposedDiffs'
>

export interface ToolboxOptions {
  readonly openBridge: () => Promise<OpenedBridge>
  /** Named on the command line: what is offered where the configuration cannot be read. */
  readonly preset: PresetName | undefined
  readonly structured: boolean
  readonly clock: Clock
  /** Told of every answer, before its text is made. */
  readonly onAnswer?: (answer: Answer<unknown>) => void
}

export interface ToolCall {
  readonly name: string
  readonly input: unknown
  readonly signal: AbortSignal
  /** Asks whoever uses the client; undefined when it cannot. */
  readonly approve?: Approve | undefined
  /** Undefined when the client did not ask for progress. */
  readonly sendProgress: ((step: ProgressStep) => void) | undefined
}

export interface Toolbox {
  list(): Promise<Tool[]>
  call(call: ToolCall): Promise<CallToolResult>
}

export function createToolbox(options: ToolboxOptions): Toolbox {
  const { openBridge, preset, structured, clock, onAnswer } = options
  // Without a configuration that can be read, the tools are there to say what is wrong with it.
  const expected = presets[preset ?? 'default']
  const describe = describedOnce(structured)
  const opened = () => openBridge().catch(asBridgeError)

  return {
    async list() {
      const bridge = await opened()
      if (bridge instanceof BridgeError) {
        return toolsFor(expected, () => undefined).map(tool => describe(tool, expected))
      }
      // Also where a flag names the preset: its knobs and an agent's block have a say in what is offered.
      const { preset: offer } = bridge
      const offering = isDynamic(offer) ? await bridge.offering() : () => undefined
      return toolsFor(offer, offering).map(tool => describe(tool, offer))
    },

    async call(call) {
      const bridge = await opened()
      if (bridge instanceof BridgeError) {
        findOffered(
          call.name,
          toolsFor(expected, () => undefined),
        )
        const failed = failure(bridge)
        return resultOf({ ok: false, text: failureText(failed), result: failed }, structured)
      }
      // A tool that was listed once may be called later: what it cannot do any more, it says.
      const tool = findOffered(
        call.name,
        toolsFor(bridge.preset, () => undefined),
      )
      const { input, signal, approve, sendProgress } = call
      const stopProgress =
        sendProgress && passOnProgress({ events: bridge.events, clock, signal, send: sendProgress })
      try {
        const asking = askingThrough(bridge, { caller: 'model', signal, approve }, onAnswer)
        return resultOf(await answerOf(tool, input, asking), structured)
      } finally {
        stopProgress?.()
      }
    },
  }
}

/** A schema takes a moment to make, and states defaults, which another configuration may change. */
function describedOnce(structured: boolean) {
  const described = new WeakMap<ModelTool, { readonly tool: Tool; readonly includes: boolean }>()
  return (tool: ModelTool, { referencesIncludeDeclaration: includes }: Preset): Tool => {
    const known = described.get(tool)
    if (known?.includes === includes) return known.tool
    const defaults = presetDefaults({ referencesIncludeDeclaration: includes })[tool.operation?.name ?? '']
    const made = describedTool(tool, { structured, ...(defaults && { defaults }) })
    described.set(tool, { tool: made, includes })
    return made
  }
}

/** MCP wants an unknown tool to be an error of the protocol, not of a tool. */
function findOffered(name: string, offered: readonly ModelTool[]): ModelTool {
  const tool = offered.find(known => known.name === name)
  if (tool !== undefined) return tool
  const names = offered.map(known => known.name).join(', ')
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool ${name}. There are: ${names || 'none'}.`,
  )
}

function resultOf({ ok, text, result }: ToolAnswer, structured: boolean): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    ...(structured ? { structuredContent: { ...result } } : {}),
    ...(ok ? {} : { isError: true }),
  }
}
