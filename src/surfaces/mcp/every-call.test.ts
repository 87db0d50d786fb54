// What holds for a call of any tool, the long ones above all: it can be cancelled while a server keeps it waiting, it
// tells how far things are, and whatever goes wrong is an answer that says so. Nothing here knows an operation by name.
import { describe, expect, test } from 'vitest'
import { everyCapability, inputFor, story } from '../../../test/every-operation.js'
import { fakeBridge } from '../../../test/fake-bridge.js'
import { faults } from '../../../test/fake-server/index.js'
import { systemClock } from '../../clock.js'
import { presets } from '../../config/presets.js'
import { BridgeError } from '../../errors.js'
import { Events } from '../../events.js'
import type { Bridge } from '../../index.js'
import { property } from '../../json.js'
import { operations } from '../../operations/index.js'
import { renderAnswer } from '../../operations/render.js'
import { createToolbox, type OpenedBridge, type Toolbox } from './toolbox.js'

function toolboxOn(bridge: OpenedBridge): Toolbox {
  const openBridge = async () => bridge
  return createToolbox({ openBridge, preset: 'full', structured: false, clock: systemClock })
}

/** The library's methods as the bridge that surfaces see. */
function core(bridge: Bridge): OpenedBridge {
  return {
    preset: presets.full,
    events: bridge.events,
    render: renderAnswer,
    offering: async () => () => undefined,
    missingServer: () => undefined,
    proposedDiffs: () => [],
    run({ name }, input, { signal }) {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      const method: unknown = Reflect.get(bridge, camel)
      if (typeof method !== 'function') throw new Error(`there is no method ${camel}`)
      return method(input, { signal })
    },
  }
}

const answeredAtOnce: string[] = []

describe.each(operations)('a call of $name', operation => {
  test('R-99 is over as soon as it is cancelled, although its server never answers', {
    timeout: 20_000,
  }, async () => {
    const script = {
      ...faults['silent-on-queries'],
      diagnostics: 'pull' as const,
      capabilities: everyCapability,
    }
    await using opened = await fakeBridge(story, [{ language: 'fake', script }])
    // The start is no part of it: get_context gives up after a second and a half, the start included.
    expect(await opened.bridge.openDocument({ file: 'shapes.fake' })).toMatchObject({ ok: true })
    const abort = new AbortController()
    const { events } = opened.bridge
    const call = toolboxOn(core(opened.bridge)).call({
      name: operation.name,
      input: inputFor(operation),
      signal: abort.signal,
      sendProgress: undefined,
    })
    const asked = events.until('request.started', ({ method }) => method !== 'initialize')
    const first = await Promise.race([asked.then(() => 'asked' as const), call])
    if (first !== 'asked') {
      // It asked no server: then it has been answered.
      expect(String(property(first.content[0], 'text'))).not.toMatch(
        /^(Bug|RequestTimeout|CapabilityMissing)/,
      )
      answeredAtOnce.push(operation.name)
      return
    }
    abort.abort('enough')
    const { isError, content } = await call
    expect({ isError, text: property(content[0], 'text') }).toEqual({
      isError: true,
      text: expect.stringMatching(/^Cancelled: /),
    })
  })

  test('R-88 passes on what the servers do, and R-147 fails with a kind and a hint', async () => {
    const events = new Events()
    const steps: unknown[] = []
    const toolbox = toolboxOn({
      preset: presets.full,
      events,
      render: renderAnswer,
      offering: async () => () => undefined,
      missingServer: () => undefined,
      proposedDiffs: () => [],
      async run(asked) {
        expect(asked).toBe(operation)
        events.emit({ type: 'server.progress', server: 'typescript', root: '/w', message: 'indexing' })
        throw new BridgeError({ kind: 'ServerUnavailable', message: 'there is none', hint: 'Install one.' })
      },
    })
    const { signal } = new AbortController()
    const sendProgress = (step: unknown) => steps.push(step)
    const failed = await toolbox.call({ name: operation.name, input: {}, signal, sendProgress })
    expect(steps).toEqual([{ progress: 1, message: 'typescript: indexing' }])
    expect(failed).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'ServerUnavailable: there is none\nhint: Install one.' }],
    })
  })
})

test('R-99 most calls were kept waiting by a server', () => {
  expect(answeredAtOnce.length, answeredAtOnce.join(', ')).toBeLessThan(operations.length / 3)
})
