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
import { type PresetName, presets } from '../../config/presets.js'
import { asBridgeError, BridgeError } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { operations } from '../../operations/index.js'
import type { Operation } from '../../operations/operation.js'
import { renderAnswer } from '../../operations/render.js'
import { failure } from '../../operations/run.js'
import type { Approve } from '../../policy/authority.js'
import { type Offer, offeredBy } from './offered.js'
import { type ProgressStep, passOnProgress } from './progress.js'
import { toolOf } from './tool.js'

export type OpenedBridge = Pick<BridgeCore, 'preset' | 'events' | 'run' | 'render'>

export interface ToolboxOptions {
  readonly openBridge: () => Promise<OpenedBridge>
  /** Named on the command line, which has the last word; otherwise the configuration names it. */
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
  const described = new Map<Operation, Tool>()
  const describe = (operation: Operation): Tool => {
    const tool = described.get(operation) ?? toolOf(operation, { structured })
    described.set(operation, tool)
    return tool
  }
  const configured = async (): Promise<Offer> => {
    const bridge = await openBridge().catch(asBridgeError)
    return bridge instanceof BridgeError ? expected : bridge.preset
  }

  return {
    async list() {
      const offer = preset === undefined ? await configured() : expected
      return offeredBy(offer, operations).map(describe)
    },

    async call(call) {
      const bridge = await openBridge().catch(asBridgeError)
      if (bridge instanceof BridgeError) {
        const operation = findOffered(call.name, expected)
        return resultOf(failure(bridge), answer => renderAnswer(operation, answer), structured)
      }
      const operation = findOffered(call.name, bridge.preset)
      const answer = await answerOf(bridge, operation, call, clock)
      onAnswer?.(answer)
      return resultOf(answer, given => bridge.render(operation, given), structured)
    },
  }
}

/** MCP wants an unknown tool to be an error of the protocol, not of a tool. */
function findOffered(name: string, offer: Offer): Operation {
  const offered = offeredBy<Operation>(offer, operations)
  const operation = offered.find(known => known.name === name)
  if (operation !== undefined) return operation
  const names = offered.map(known => known.name).join(', ')
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool ${name}. There are: ${names || 'none'}.`,
  )
}

async function answerOf(
  bridge: OpenedBridge,
  operation: Operation,
  { input, signal, approve, sendProgress }: ToolCall,
  clock: Clock,
): Promise<Answer<unknown>> {
  const stopProgress =
    sendProgress && passOnProgress({ events: bridge.events, clock, signal, send: sendProgress })
  try {
    return await bridge.run(operation, input, { caller: 'model', signal, approve })
  } catch (thrown) {
    return failure(asBridgeError(thrown))
  } finally {
    stopProgress?.()
  }
}

/** Whatever goes wrong, rendering included, is an answer that says so. */
function resultOf(
  answer: Answer<unknown>,
  render: (answer: Answer<unknown>) => string,
  structured: boolean,
): CallToolResult {
  const { given, text } = rendered(answer, render)
  return {
    content: [{ type: 'text', text }],
    ...(structured ? { structuredContent: { ...given } } : {}),
    ...(given.ok ? {} : { isError: true }),
  }
}

function rendered(answer: Answer<unknown>, render: (answer: Answer<unknown>) => string) {
  try {
    return { given: answer, text: render(answer) }
  } catch (thrown) {
    const given = failure(asBridgeError(thrown))
    return { given, text: render(given) }
  }
}
