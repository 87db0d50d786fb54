// One MCP server object for one client, in either era of the protocol. It answers the handshake by itself and leaves
// the tools to a toolbox that may still be loading.
import { Server } from '@modelcontextprotocol/server'
import { version } from '../version.js'
import { instructions } from './instructions.js'
import type { Toolbox } from './toolbox.js'

/** The list depends on nothing but the configuration; clients of the 2026 era may keep it that long. */
const cached = { ttlMs: 300_000, cacheScope: 'private' } as const

/**
 * The plain server object on purpose: the higher one checks arguments against the schema by itself, and its complaint
 * would take the place of ours, which names the nearest argument.
 */
export function createConnection(toolbox: () => Promise<Toolbox>): Server {
  const server = new Server(
    { name: 'alidade', title: 'Alidade', version },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { 'tools/list': cached, 'server/discover': cached },
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: await (await toolbox()).list() }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    return (await toolbox()).call({
      name: params.name,
      input: params.arguments,
      signal: mcpReq.signal,
      sendProgress:
        progressToken === undefined
          ? undefined
          : step => {
              const params = { progressToken, ...step }
              // Progress is a courtesy: a client that left makes the connection end, here there is nothing to do.
              mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
            },
    })
  })
  return server
}
