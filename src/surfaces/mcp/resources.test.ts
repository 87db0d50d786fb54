// Diagnostics as resources, with real clients of both eras: what is read is asked anew, and who subscribed is told.
import { rm, writeFile } from 'node:fs/promises'
import { Client, InMemoryTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { embeddedBridge } from '../../../test/embedded-bridge.js'
import { fakeBridge } from '../../../test/fake-bridge.js'
import { fixture } from '../../../test/fixture/index.js'
import { systemClock } from '../../clock.js'
import { type PresetName, presets } from '../../config/presets.js'
import { BridgeError } from '../../errors.js'
import type { Bridge } from '../../index.js'
import { renderAnswer } from '../../operations/render.js'
import { serverStatus } from '../../operations/server-status.js'
import { createConnection } from './connection.js'
import { fileResourceUri, parseResourceUri, workspaceUri } from './resource-uri.js'
import { createResources, type ReadableBridge, type Resources } from './resources.js'
import { readAlong, Subscriptions } from './subscriptions.js'

const asked = z.object({ file: z.string(), timeout_ms: z.number().optional() })

/** What the server sees of a bridge, made from the library's. */
function opening(bridge: Bridge, preset: PresetName = 'default'): () => Promise<ReadableBridge> {
  const readable: ReadableBridge = {
    root: bridge.root,
    preset: presets[preset],
    events: bridge.events,
    render: renderAnswer,
    run(operation, input, { signal, synthetic }) {
      const options = { ...(signal ? { signal } : {}), ...(synthetic ? { synthetic } : {}) }
      if (operation.name === serverStatus.name) return bridge.serverStatus({}, options)
      const { file, timeout_ms } = asked.parse(input)
      return bridge.getDiagnostics({ file, ...(timeout_ms === undefined ? {} : { timeout_ms }) }, options)
    },
  }
  return async () => readable
}

interface Connected extends AsyncDisposable {
  readonly client: Client
  readonly subscriptions: Subscriptions
  readonly resources: Resources
  /** The next update that was not awaited yet. */
  nextUpdate(): Promise<string>
  readonly updates: readonly string[]
}

const eras: readonly [string, VersionNegotiationMode][] = [
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
]

async function connect(
  openBridge: () => Promise<ReadableBridge>,
  mode: VersionNegotiationMode,
): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const subscriptions = new Subscriptions()
  let connection: ReturnType<typeof createConnection> | undefined
  const resources = createResources({
    openBridge,
    subscriptions,
    clock: systemClock,
    onUpdate: uri => void connection?.sendResourceUpdated({ uri }),
  })
  const handle = serveStdio(
    () => {
      connection = createConnection({
        listTools: async () => [],
        toolbox: async () => ({ call: async () => ({ content: [] }) }),
        resources: async () => resources,
        subscriptions,
      })
      return connection
    },
    { transport: readAlong(far, subscriptions) },
  )
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const updates: string[] = []
  let taken = 0
  let wake = () => {}
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updates.push(params.uri)
    wake()
  })
  await client.connect(near)
  return {
    client,
    subscriptions,
    resources,
    updates,
    async nextUpdate() {
      while (updates.length <= taken) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      taken += 1
      return updates[taken - 1] ?? ''
    },
    async [Symbol.asyncDispose]() {
      resources.close()
      await client.close()
      await handle.close()
    },
  }
}

/** Subscribes in the way of the era; returns the function that ends it. */
async function follow({ client }: Connected, era: string, uris: string[]): Promise<() => Promise<unknown>> {
  if (era === '2025') {
    for (const uri of uris) await client.subscribeResource({ uri })
    return () => Promise.all(uris.map(uri => client.unsubscribeResource({ uri })))
  }
  const subscription = await client.listen({ resourceSubscriptions: uris })
  expect(subscription.honoredFilter.resourceSubscriptions).toEqual(uris)
  return () => subscription.close()
}

async function read({ client }: Connected, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri }, { cacheMode: 'bypass' })
  const [content] = contents
  expect(content).toMatchObject({ uri, mimeType: 'text/plain' })
  return content !== undefined && 'text' in content ? content.text : ''
}

const pushing = fixture`
-- shapes.fake --
def area
-- other.fake --
def volume
`

describe.each(eras)('a client of %s', (era, mode) => {
  test('R-174 finds one resource for the workspace and a template for its files', async () => {
    await using opened = await fakeBridge(pushing, [{ language: 'fake' }])
    await using connected = await connect(opening(opened.bridge), mode)
    const { client } = connected
    expect(client.getServerCapabilities()?.resources).toMatchObject({ subscribe: true })
    const { resources } = await client.listResources()
    expect(resources).toMatchObject([{ uri: 'alidade://diagnostics', mimeType: 'text/plain' }])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'alidade://diagnostics/{+path}' }])
  })

  test('R-174 a server that pushes: reads, is told of a change once, and no more after it left', async () => {
    await using opened = await fakeBridge(pushing, [{ language: 'fake' }])
    await using connected = await connect(opening(opened.bridge), mode)
    const shapes = fileResourceUri('shapes.fake')
    expect(await read(connected, shapes)).toMatch(/^shapes\.fake: no diagnostics, settled for sha256:/)
    expect(await read(connected, workspaceUri)).toMatch(
      /^no file is known to have findings \[unknown\]\n.*not covered: every other file; nothing here says/s,
    )
    const leave = await follow(connected, era, [shapes, workspaceUri])

    await writeFile(opened.workspace.path('shapes.fake'), 'def area\nERROR no width\n')
    expect(await connected.nextUpdate()).toBe(shapes)
    expect(await connected.nextUpdate()).toBe(workspaceUri)
    expect(await read(connected, shapes)).toMatch(/1 error, settled.*\nshapes\.fake:2:1 error/s)
    expect(await read(connected, workspaceUri)).toMatch(
      /^1 file with findings or in doubt \[partial\]\nshapes\.fake: 1 error.*\ncovers 1 file .*of 2 here \(fake 2\)/s,
    )

    await leave()
    expect(connected.subscriptions.isEmpty).toBe(true)
    await writeFile(opened.workspace.path('shapes.fake'), 'def area\n')
    const looked = opened.bridge.events.until('answer.recorded')
    opened.bridge.events.emit({ type: 'workspace.changed' })
    await read(connected, shapes)
    await looked
    expect(connected.updates).toEqual([shapes, workspaceUri])
  })

  test('R-174 a server that is asked: a change in one file is told to who follows another', {
    timeout: 60_000,
  }, async () => {
    await using opened = await embeddedBridge(fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" } }
-- a.ts --
export const side = 2
-- b.ts --
import { side } from './a.js'
export const area: number = side * side
    `)
    await using connected = await connect(opening(opened.bridge), mode)
    const uri = fileResourceUri('b.ts')
    expect(await read(connected, uri)).toMatch(/^b\.ts: no diagnostics, settled/)
    await follow(connected, era, [uri])
    await writeFile(opened.workspace.path('a.ts'), "export const side = 'two'\n")
    expect(await connected.nextUpdate()).toBe(uri)
    expect(await read(connected, uri)).toMatch(/^b\.ts: 2 errors, settled.*\nb\.ts:2:29 error/s)
  })

  test('R-174 a trial text reaches nobody, although its server pushes diagnostics about it', async () => {
    await using opened = await fakeBridge(pushing, [{ language: 'fake' }])
    const { bridge, workspace } = opened
    await using connected = await connect(opening(bridge), mode)
    const shapes = fileResourceUri('shapes.fake')
    await read(connected, shapes)
    await read(connected, workspaceUri)
    await follow(connected, era, [shapes, workspaceUri])
    const isLook = ({ operation }: { readonly operation: string }) => operation === 'get_diagnostics'
    await bridge.events.until('answer.recorded', isLook)

    const edits = [{ file: 'shapes.fake', find: 'def area', new_text: 'ERROR for a moment' }]
    const trial = await bridge.previewEdit({ edits })
    expect(trial).toMatchObject({ ok: true, result: { class: 'new_errors' } })
    await bridge.events.until('answer.recorded', isLook)
    expect(await read(connected, shapes)).toMatch(/^shapes\.fake: no diagnostics/)

    await writeFile(workspace.path('shapes.fake'), 'ERROR to stay\n')
    await bridge.listSymbols({ file: 'shapes.fake' })
    await connected.nextUpdate()
    await connected.nextUpdate()
    expect(connected.updates).toEqual([shapes, workspaceUri])
  })

  test('R-174 an address of nothing is an error that names the right ones', async () => {
    await using opened = await fakeBridge(pushing, [{ language: 'fake' }])
    await using connected = await connect(opening(opened.bridge), mode)
    const { client } = connected
    const missing = client.readResource({ uri: fileResourceUri('gone.fake') })
    await expect(missing).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/FileNotFound/),
    })
    const outside = client.readResource({ uri: fileResourceUri('../../etc/passwd') })
    await expect(outside).rejects.toMatchObject({ message: expect.stringMatching(/PathOutsideWorkspace/) })
    const foreign = client.readResource({ uri: 'file:///etc/passwd' })
    await expect(foreign).rejects.toThrow('alidade://diagnostics')
    if (era === '2025') {
      await expect(client.subscribeResource({ uri: 'file:///x' })).rejects.toThrow('alidade://diagnostics')
    }
  })

  test('R-110 where the preset offers no diagnostics there are no resources', async () => {
    await using opened = await fakeBridge(pushing, [{ language: 'fake' }])
    await using connected = await connect(opening(opened.bridge, 'governed'), mode)
    const { client } = connected
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    await expect(client.readResource({ uri: workspaceUri })).rejects.toMatchObject({ code: -32602 })
  })

  test('R-147 a configuration that cannot be read is told by reading', async () => {
    const broken = async (): Promise<ReadableBridge> => {
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: 'config.jsonc:3:5: unknown key',
        hint: 'Mend it.',
      })
    }
    await using connected = await connect(broken, mode)
    expect((await connected.client.listResources()).resources).toHaveLength(1)
    await expect(connected.client.readResource({ uri: workspaceUri })).rejects.toThrow('config.jsonc:3:5')
  })
})

test('R-174 the workspace lists what an answer to a tool call told, as it is now', async () => {
  await using opened = await fakeBridge(
    fixture`
-- a.fake --
ERROR one
-- b.fake --
ERROR two
-- c.fake --
def fine
  `,
    [{ language: 'fake', script: { diagnostics: 'pull' } }],
  )
  await using connected = await connect(opening(opened.bridge), 'legacy')
  await read(connected, workspaceUri)
  for (const file of ['a.fake', 'b.fake', 'c.fake'])
    connected.resources.learn(await opened.bridge.getDiagnostics({ file }))
  const before = await read(connected, workspaceUri)
  expect(before).toMatch(
    /^2 files with findings .*b\.fake:1:1 error.*a\.fake:1:1 error.*covers 2 files .*of 3 here/s,
  )

  await writeFile(opened.workspace.path('a.fake'), 'def mended\n')
  await rm(opened.workspace.path('b.fake'))
  const after = await read(connected, workspaceUri)
  expect(after).toMatch(/^no file is known to have findings \[partial\]\ncovers 1 file /)
  expect(after).toContain('nothing here says that those have no errors')
})

test('R-174 every path survives its address, as a template expands it and as encoded by hand', () => {
  const segment = fc.string({ minLength: 1, unit: 'grapheme' }).filter(text => !text.includes('/'))
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1 }), segments => {
      const path = segments.join('/')
      expect(parseResourceUri(fileResourceUri(path))).toEqual({ kind: 'file', path })
    }),
  )
  expect(parseResourceUri('alidade://diagnostics/a b/100%.ts')).toEqual({ kind: 'file', path: 'a b/100%.ts' })
  expect(parseResourceUri('alidade://diagnosticsX')).toBeUndefined()
})
