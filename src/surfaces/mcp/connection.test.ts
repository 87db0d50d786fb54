import { Client, InMemoryTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, test } from 'vitest'
import { createConnection } from './connection.js'
import { Subscriptions } from './subscriptions.js'
import type { Toolbox, ToolCall } from './toolbox.js'

const done = { content: [{ type: 'text' as const, text: 'done [complete]' }] }

const eras: readonly [string, VersionNegotiationMode][] = [
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
]

describe.each(eras)('a client of %s', (_era, mode) => {
  async function connect(call: (call: ToolCall) => ReturnType<Toolbox['call']>): Promise<Client> {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const options = {
      listTools: async () => [],
      toolbox: async () => ({ call }),
      resources: async () => ({ list: async () => [], templates: async () => [], read: async () => '' }),
      subscriptions: new Subscriptions(),
    }
    serveStdio(() => createConnection(options), { transport: far })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(near)
    return client
  }

  test('R-110 has its arguments passed on as they are', async () => {
    const inputs: unknown[] = []
    const client = await connect(async ({ input }) => {
      inputs.push(input)
      return done
    })
    await client.callTool({ name: 'x', arguments: { unheard: { of: [1, null] } } })
    await client.callTool({ name: 'x' })
    expect(inputs).toEqual([{ unheard: { of: [1, null] } }, undefined])
    await client.close()
  })

  test('R-99 cancels what works for it', async () => {
    let running = (_call: ToolCall) => {}
    const started = new Promise<ToolCall>(resolve => {
      running = resolve
    })
    const client = await connect(call => {
      running(call)
      return new Promise(() => {})
    })
    const abort = new AbortController()
    const answer = client.callTool({ name: 'x' }, { signal: abort.signal })
    const { signal } = await started
    expect(signal.aborted).toBe(false)
    const cancelled = new Promise(resolve => signal.addEventListener('abort', resolve))
    abort.abort('enough')
    await expect(answer).rejects.toThrow('enough')
    await cancelled
    await client.close()
  })

  test('R-88 gets progress when it asks for it, and only then', async () => {
    const asked: boolean[] = []
    const client = await connect(async ({ sendProgress }) => {
      asked.push(sendProgress !== undefined)
      sendProgress?.({ progress: 1, message: 'typescript: starting' })
      return done
    })
    const steps: unknown[] = []
    await client.callTool({ name: 'x' }, { onprogress: step => steps.push(step) })
    await client.callTool({ name: 'x' })
    expect(asked).toEqual([true, false])
    expect(steps).toEqual([{ progress: 1, message: 'typescript: starting' }])
    await client.close()
  })
})
