// The servers the suite is run over, and where this machine has them: the embedded two come with the package,
// the others from the manifest the installer wrote.
import { expect, test } from 'vitest'
import { readManifest, type ServerEntry, serverIds } from '../../scripts/servers/manifest.js'
import type { ServerDefinition } from '../../src/servers/definition.js'
import { serverDefinitions } from '../../src/servers/index.js'

export interface RealServer {
  readonly definition: ServerDefinition
  /** Undefined for an embedded server, and for one that is missing. */
  readonly entry: ServerEntry | undefined
  /** Why it cannot be run here. */
  readonly missing: string | undefined
}

export const manifest = readManifest()

const realServers: readonly RealServer[] = serverDefinitions.map(definition => {
  if (definition.embedded !== undefined) {
    const missing = definition.embedded() === undefined ? 'its package is not installed' : undefined
    return { definition, entry: undefined, missing }
  }
  const id = serverIds.find(candidate => candidate === definition.id)
  const entry = id === undefined ? undefined : manifest?.[id]
  return { definition, entry, missing: entry === undefined ? 'not installed (npm run servers)' : undefined }
})

export function realServer(id: string): RealServer {
  const found = realServers.find(({ definition }) => definition.id === id)
  if (found === undefined) throw new TypeError(`there is no server ${id}`)
  return found
}

/** Tests that need what may be missing here: then a skip named in the summary, or a failure where all is required. */
export function whenInstalled(name: string, missing: string | undefined, define: () => void): void {
  const told = `${name}: ${missing}`
  if (missing === undefined) define()
  else if (everyServerRequired) test(told, () => expect.fail(told))
  else test.skip(told, () => {})
}

const everyServerRequired = [process.env.CI, process.env.ALIDADE_REQUIRE_SERVERS].some(
  value => value !== undefined && !['', '0', 'false'].includes(value),
)
