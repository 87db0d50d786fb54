// The adapters with the real packages they are for: each framework's own loop calls a tool of a bridge whose server is a
// fake, and gets its text. The Claude Agent SDK is proprietary and large; what it would do with the definitions is done
// here by the MCP server it is made of.
import { tool as langchainTool } from '@langchain/core/tools'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { Agent, type Model, type ModelResponse, Runner, setTracingDisabled, Usage } from '@openai/agents'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { aiTools } from '../../src/hosts/adapters/ai.js'
import { claudeAgentToolNames, claudeAgentTools } from '../../src/hosts/adapters/claude-agent.js'
import { langchainTools } from '../../src/hosts/adapters/langchain.js'
import { openAiAgentTools } from '../../src/hosts/adapters/openai-agents.js'
import type { AgentTool } from '../../src/index.js'
import { type FakeBridge, fakeBridge } from '../fake-bridge.js'
import { fixture } from '../fixture/index.js'

const story = fixture`
-- shapes.fake --
def area
  area
`
const input = { file: 'shapes.fake', line: 1, symbol: 'area' }
const found = /^2 references to area \(shapes\.fake:1:5\) in 1 file \[complete; /

let opened: FakeBridge
let tools: readonly AgentTool[]

beforeAll(async () => {
  opened = await fakeBridge(story, [{ language: 'fake' }])
  tools = await opened.bridge.tools()
})
afterAll(() => opened[Symbol.asyncDispose]())

test('R-43 a tool says whether it writes; plan mode keeps those that do not', () => {
  expect(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name)).toEqual(['apply_edit'])
  const names = claudeAgentToolNames(tools, { server: 'alidade', readOnly: true })
  expect(names).toContain('mcp__alidade__find_references')
  expect(names).not.toContain('mcp__alidade__apply_edit')
})

describe('alidade/ai', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }

  test('R-146 the AI SDK sends the lean schema, calls the tool and shows its text to the model', async () => {
    const asked: unknown[] = []
    const model = new MockLanguageModelV3({
      doGenerate: async options => {
        asked.push(options)
        const isFirst = asked.length === 1
        return {
          content: isFirst
            ? [
                {
                  type: 'tool-call',
                  toolCallId: '1',
                  toolName: 'find_references',
                  input: JSON.stringify(input),
                },
              ]
            : [{ type: 'text', text: 'done' }],
          finishReason: { unified: isFirst ? 'tool-calls' : 'stop', raw: undefined },
          usage,
          warnings: [],
        }
      },
    })
    const { steps, text } = await generateText({
      model,
      tools: aiTools(tools),
      prompt: 'who uses area?',
      stopWhen: stepCountIs(3),
    })
    expect(text).toBe('done')
    expect(steps[0]?.toolResults).toMatchObject([{ output: expect.stringMatching(found) }])
    expect(asked[0]).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({
          name: 'find_references',
          inputSchema: expect.objectContaining({
            properties: expect.objectContaining({ symbol: expect.objectContaining({ type: 'string' }) }),
          }),
        }),
      ]),
    })
  })
})

describe('alidade/openai-agents', () => {
  function answering(output: ModelResponse['output'][], requests: unknown[] = []): Model {
    return {
      async getResponse(request) {
        requests.push(request)
        return { usage: new Usage(), output: output[requests.length - 1] ?? [] }
      },
      async *getStreamedResponse() {
        yield* []
      },
    }
  }

  test('R-146 OpenAI Agents accept the strict schema, call the tool and show its text to the model', async () => {
    setTracingDisabled(true)
    const requests: { input?: unknown }[] = []
    const given = { ...input, column: null, near: null, handle: null, include_declaration: null }
    const model = answering(
      [
        [
          {
            type: 'function_call',
            callId: '1',
            name: 'find_references',
            arguments: JSON.stringify(given),
            status: 'completed',
          },
        ],
        [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done' }],
          },
        ],
      ],
      requests,
    )
    const agent = new Agent({ name: 'test', model, tools: openAiAgentTools(tools) })
    const result = await new Runner({ tracingDisabled: true }).run(agent, 'who uses area?')
    expect(result.finalOutput).toBe('done')
    expect(JSON.stringify(requests[1]?.input)).toContain('2 references to area')
  })

  test('R-146 every schema is strict: all arguments required, optional ones nullable, nothing else allowed', () => {
    const check = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      if ('properties' in schema && typeof schema.properties === 'object') {
        expect(schema).toMatchObject({
          additionalProperties: false,
          required: Object.keys(schema.properties ?? {}),
        })
      }
      for (const child of Object.values(schema)) check(child)
    }
    for (const { parameters } of openAiAgentTools(tools)) check(parameters)
    const [explore] = openAiAgentTools(tools).filter(({ name }) => name === 'find_symbol')
    expect(explore?.parameters.properties.limit).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'null' }],
    })
  })

  test('R-147 arguments that are no JSON are an answer that says so', async () => {
    const [first] = openAiAgentTools(tools)
    expect(await first?.invoke(undefined, '{oops')).toMatch(/^InvalidArguments: /)
    expect(await first?.needsApproval()).toBe(false)
    const asking = openAiAgentTools(tools, { needsApproval: ({ readOnly }) => !readOnly })
    const approvals = await Promise.all(asking.map(tool => tool.needsApproval()))
    expect(approvals.filter(Boolean)).toHaveLength(1)
  })
})

test('R-146 alidade/langchain: tools of its own class, which answer a tool call with a message', async () => {
  const made = langchainTools(tools, (run, fields) => langchainTool(run, fields))
  expect(langchainTools(tools, langchainTool)).toHaveLength(made.length)
  const [references] = made.filter(({ name }) => name === 'find_references')
  expect(await references?.invoke(input)).toMatch(found)
  const message = await references?.invoke({
    type: 'tool_call',
    id: '1',
    name: 'find_references',
    args: input,
  })
  expect(message).toMatchObject({ tool_call_id: '1', content: expect.stringMatching(found) })
})

test('R-146 alidade/claude-agent: raw shapes, handlers and annotations that an MCP server takes as they are', async () => {
  const server = new McpServer({ name: 'alidade', version: '1' })
  for (const { name, description, inputSchema, annotations, handler } of claudeAgentTools(tools)) {
    const schema = z.object(inputSchema)
    server.registerTool(name, { description, inputSchema: schema, annotations }, (args, extra) =>
      handler(args, extra),
    )
  }
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(far), client.connect(near)])
  const listed = (await client.listTools()).tools
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  expect(listed.find(({ name }) => name === 'apply_edit')?.annotations).toMatchObject({
    destructiveHint: true,
  })
  const answer = await client.callTool({ name: 'find_references', arguments: input })
  expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringMatching(found) }])
  const failed = await client.callTool({ name: 'find_references', arguments: { file: 'none.fake' } })
  expect(failed).toMatchObject({ isError: true })
  await client.close()
})

test('R-99 whoever calls a tool off ends it at once, in every adapter', async () => {
  const { signal } = { signal: AbortSignal.abort() }
  const cancelled = /^Cancelled: /
  expect(await aiTools(tools).find_references?.execute(input, { abortSignal: signal })).toMatch(cancelled)
  const [openAi] = openAiAgentTools(tools).filter(({ name }) => name === 'find_references')
  expect(await openAi?.invoke(undefined, JSON.stringify(input), { signal })).toMatch(cancelled)
  const [claude] = claudeAgentTools(tools).filter(({ name }) => name === 'find_references')
  expect((await claude?.handler(input, { signal }))?.content[0]?.text).toMatch(cancelled)
})
