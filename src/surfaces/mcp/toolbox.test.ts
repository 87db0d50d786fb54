import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { virtualClock } from '../../../test/virtual-clock.js'
import { type Preset, presets } from '../../config/presets.js'
import { BridgeError, errorKinds } from '../../errors.js'
import { Events } from '../../events.js'
import { property } from '../../json.js'
import type { Answer } from '../../operations/answer.js'
import { renderAnswer } from '../../operations/render.js'
import type { Call } from '../../operations/run.js'
import { toolLists } from './tool-lists.js'
import { createToolbox, type OpenedBridge, type ToolboxOptions } from './toolbox.js'

const complete: Answer<unknown> = {
  ok: true,
  result: { languages: [], servers: [] },
  completeness: { verdict: 'complete' },
  freshness: { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' },
  servers: [],
}

function bridgeWith(parts: Partial<OpenedBridge> = {}): OpenedBridge {
  return {
    preset: presets.default,
    events: new Events(),
    run: async () => complete,
    render: renderAnswer,
    offering: async () => () => undefined,
    missingServer: () => undefined,
    proposedDiffs: () => [],
    ...parts,
  }
}

function toolboxWith(parts: Partial<ToolboxOptions> = {}) {
  return createToolbox({
    openBridge: async () => bridgeWith(),
    preset: undefined,
    structured: false,
    clock: virtualClock(),
    ...parts,
  })
}

function call(name: string, input: unknown = {}) {
  return { name, input, signal: new AbortController().signal, sendProgress: undefined }
}

const broken = async (): Promise<OpenedBridge> => {
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: 'config.jsonc:3:5: unknown key',
    hint: 'Mend it.',
  })
}

test('R-110 the preset of the configuration decides what is offered and what may be called', async () => {
  const governed = toolboxWith({ openBridge: async () => bridgeWith({ preset: presets.governed }) })
  expect(await governed.list()).toEqual([])
  await expect(governed.call(call('server_status'))).rejects.toMatchObject({ code: -32602 })
  const full = toolboxWith({ openBridge: async () => bridgeWith({ preset: presets.full }) })
  expect((await full.list()).map(({ name }) => name)).toContain('inspect_symbol')
})

test('R-41 R-110 the list is what the configuration makes of the preset, also where a flag names it', async () => {
  const only = { ...presets.full, tools: { kind: 'operations', names: ['find_references'] } } as const
  const toolbox = toolboxWith({ preset: 'full', openBridge: async () => bridgeWith({ preset: only }) })
  expect((await toolbox.list()).map(({ name }) => name)).toEqual(['find_references'])
})

test('C20 the default that a schema states is the one that holds, also after the configuration changed', async () => {
  let preset: Preset = presets.full
  const toolbox = toolboxWith({ preset: 'full', openBridge: async () => bridgeWith({ preset }) })
  const stated = async () => {
    const tool = (await toolbox.list()).find(({ name }) => name === 'find_references')
    return property(property(property(tool?.inputSchema, 'properties'), 'include_declaration'), 'description')
  }
  expect(await stated()).not.toContain('Default true')
  preset = { ...presets.full, referencesIncludeDeclaration: true }
  expect(await stated()).toContain('Default true')
})

test.each(['default', 'full', 'governed'] as const)(
  'R-110 the list that the build writes down for %s is the one that is offered',
  async preset => {
    const openBridge = async () => bridgeWith({ preset: presets[preset] })
    expect((await toolLists())[preset]).toEqual(await toolboxWith({ openBridge }).list())
  },
)

test('R-110 the list is the same every time', async () => {
  const toolbox = toolboxWith({ structured: true })
  expect(JSON.stringify(await toolbox.list())).toBe(JSON.stringify(await toolbox.list()))
})

test('R-147 an unknown tool is an error of the protocol that names the known ones', async () => {
  const unknown = toolboxWith().call(call('find_refs'))
  await expect(unknown).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('find_references'),
  })
})

describe('R-147 a configuration that cannot be read', () => {
  test('R-147 is told by every tool, and the tools are there to tell it', async () => {
    const toolbox = toolboxWith({ openBridge: broken })
    const tools = await toolbox.list()
    expect(tools).not.toEqual([])
    for (const { name } of tools) {
      const result = await toolbox.call(call(name))
      expect(result).toEqual({
        content: [{ type: 'text', text: 'InvalidArguments: config.jsonc:3:5: unknown key\nhint: Mend it.' }],
        isError: true,
      })
    }
  })

  test('R-147 is tried again by the next call', async () => {
    let mended = false
    const toolbox = toolboxWith({ openBridge: async () => (mended ? bridgeWith() : broken()) })
    expect(await toolbox.call(call('server_status'))).toMatchObject({ isError: true })
    mended = true
    expect(await toolbox.call(call('server_status'))).not.toHaveProperty('isError')
  })
})

describe('R-147 the result of a call', () => {
  test('R-147 is the text, which alone carries every fact, and the object only when asked for', async () => {
    const text = await toolboxWith().call(call('server_status'))
    expect(text).toEqual({ content: [{ type: 'text', text: expect.stringContaining('[complete]') }] })
    const both = await toolboxWith({ structured: true }).call(call('server_status'))
    expect(both).toEqual({ ...text, structuredContent: complete })
  })

  test('R-147 a failure says its kind, its hint and its candidates', async () => {
    const candidate = { file: 'a.ts', line: 3, column: 1, symbol: 'area', text: 'area()' }
    const failure: Answer<unknown> = {
      ok: false,
      kind: 'SymbolAmbiguous',
      error: 'area is declared twice',
      hint: 'Choose one.',
      candidates: [candidate],
    }
    const toolbox = toolboxWith({
      structured: true,
      openBridge: async () => bridgeWith({ run: async () => failure }),
    })
    const { content, isError, structuredContent } = await toolbox.call(call('find_references'))
    expect(isError).toBe(true)
    expect(structuredContent).toEqual(failure)
    const [block] = content
    for (const fact of ['SymbolAmbiguous', 'area is declared twice', 'Choose one.', 'file=a.ts line=3'])
      expect(block).toMatchObject({ type: 'text', text: expect.stringContaining(fact) })
  })

  test('R-147 whatever is thrown becomes an error with text, never a crash and never an empty success', async () => {
    const thrown = fc.oneof(
      fc.anything(),
      fc.constantFrom({ toString: false }, Object.create(null)),
      fc.constantFrom(...errorKinds).map(kind => new BridgeError({ kind, message: 'm' })),
    )
    const where = fc.constantFrom('open' as const, 'run' as const, 'render' as const)
    await fc.assert(
      fc.asyncProperty(thrown, where, async (error, place) => {
        const fail = () => {
          throw error
        }
        const bridge = bridgeWith({
          ...(place === 'run' ? { run: async () => fail() } : {}),
          ...(place === 'render'
            ? { render: (operation, answer) => (answer.ok ? fail() : renderAnswer(operation, answer)) }
            : {}),
        })
        const toolbox = toolboxWith({ openBridge: async () => (place === 'open' ? fail() : bridge) })
        const { content, isError } = await toolbox.call(call('server_status'))
        expect(isError).toBe(true)
        expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^\w+: .+\nhint: ./s) }])
      }),
    )
  })
})

test('R-99 a call is made in the name of the model, with its arguments as they came and its signal', async () => {
  const seen: { input: unknown; call: Call }[] = []
  const bridge = bridgeWith({
    run: async (_operation, input, given) => {
      seen.push({ input, call: given })
      return complete
    },
  })
  const { signal } = new AbortController()
  await toolboxWith({ openBridge: async () => bridge }).call({ ...call('server_status', { odd: 1 }), signal })
  expect(seen).toEqual([{ input: { odd: 1 }, call: { caller: 'model', signal } }])
})

test('R-88 progress is passed on while the call runs and not afterwards', async () => {
  const events = new Events()
  const progress = { type: 'server.progress', server: 'typescript', root: '/w' } as const
  const bridge = bridgeWith({
    events,
    run: async () => {
      events.emit({ ...progress, message: 'indexing' })
      return complete
    },
  })
  const steps: unknown[] = []
  const toolbox = toolboxWith({ openBridge: async () => bridge })
  await toolbox.call({ ...call('server_status'), sendProgress: step => steps.push(step) })
  events.emit({ ...progress, message: 'later' })
  expect(steps).toEqual([{ progress: 1, message: 'typescript: indexing' }])
})

test('R-41 with an agent the list waits for its block, also where a flag names the preset', async () => {
  const bridge = bridgeWith({ preset: { ...presets.full, tools: { kind: 'none' } } })
  const toolbox = toolboxWith({ preset: 'full', openBridge: async () => bridge })
  expect(await toolbox.list()).toEqual([])
  await expect(toolbox.call(call('server_status'))).rejects.toMatchObject({ code: -32602 })
})
