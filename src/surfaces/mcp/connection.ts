// One MCP server object for one client, in either era of the protocol. It answers the handshake by itself and leaves
// tools and resources to parts that may still be loading.
import { ResourceNotFoundError, Server, type Tool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { PresetName } from '../../config/presets.js'
import { property } from '../../json.js'
import { version } from '../version.js'
import { approvalOf } from './approval.js'
import { instructionsFor } from './instructions.js'
import { fileUriTemplate, parseResourceUri, workspaceUri } from './resource-uri.js'
import type { Resources } from './resources.js'
import type { Subscriptions } from './subscriptions.js'
import type { Toolbox } from './toolbox.js'

export interface ConnectionOptions {
  readonly listTools: () => Promise<Tool[]>
  readonly toolbox: () => Promise<Pick<Toolbox, 'call'>>
  readonly resources: () => Promise<Pick<Resources, 'list' | 'templates' | 'read'>>
  readonly subscriptions: Pick<Subscriptions, 'subscribe' | 'unsubscribe'>
  /** As far as it is known before the configuration is read. */
  readonly preset?: PresetName | undefined
  /** The host says that a model has read a file (C34). */
  readonly noteRead?: (file: string) => Promise<void>
}

/** How a host with a Read tool of its own says that a file was read; of use under a read gate alone. */
export const readNotification = 'notifications/alidade/read'
const readParams = z.object({ path: z.string() })

/**
 * The lists depend on the configuration, and under some presets on the servers; then a change is told. Clients of the
 * 2026 era may keep them that long.
 */
const cached = { ttlMs: 300_000, cacheScope: 'private' } as const

/**
 * The plain server object on purpose: the higher one checks arguments against the schema by itself, and its complaint
 * would take the place of ours, which names the nearest argument.
 */
export function createConnection(options: ConnectionOptions): Server {
  const { listTools, toolbox, resources, subscriptions, preset, noteRead } = options
  const server = new Server(
    { name: 'alidade', title: 'Alidade', version },
    {
      // The list changes only where it depends on what the servers can do; a client may always be told.
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: instructionsFor(preset),
      cacheHints: {
        'tools/list': cached,
        'resources/list': cached,
        'resources/templates/list': cached,
        'server/discover': cached,
      },
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools() }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    // A client of 2026 says with every request what it can do, one of 2025 said it once.
    const declared = property(mcpReq.envelope, 'io.modelcontextprotocol/clientCapabilities')
    const capabilities = declared ?? server.getClientCapabilities()
    const canAsk = property(capabilities, 'elicitation') !== undefined
    const round = { responses: mcpReq.inputResponses, state: mcpReq.requestState() }
    const approval = canAsk ? approvalOf(round) : undefined
    const result = await (await toolbox()).call({
      name: params.name,
      input: params.arguments,
      signal: mcpReq.signal,
      approve: approval?.approve,
      sendProgress:
        progressToken === undefined
          ? undefined
          : step => {
              const params = { progressToken, ...step }
              // Progress is a courtesy: a client that left makes the connection end, here there is nothing to do.
              mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
            },
    })
    return approval?.question() ?? result
  })
  server.setNotificationHandler(readNotification, { params: readParams }, ({ path }) => noteRead?.(path))
  server.setRequestHandler('resources/list', async () => ({ resources: await (await resources()).list() }))
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: await (await resources()).templates(),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const text = await (await resources()).read(uri, mcpReq.signal)
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  })
  // The way of 2025; clients of 2026-07-28 listen, which the SDK answers by itself.
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (parseResourceUri(uri) === undefined)
      throw new ResourceNotFoundError(uri, `There is ${workspaceUri} and ${fileUriTemplate}, not ${uri}`)
    subscriptions.subscribe(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri)
    return {}
  })
  return server
}
