// Installs the real language servers and real code the tests ask about into a cache folder, and says where
// everything is in servers.json there. A second run finds everything in place and changes nothing.

import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { proveByHandshake } from './servers/handshake.js'
import {
  cacheFolder,
  type Manifest,
  manifestPath,
  readServerEntry,
  readWorkspaceEntry,
  type ServerEntry,
  type ServerId,
  serverIds,
  workspaceIds,
} from './servers/manifest.js'
import { recipes } from './servers/recipes.js'
import { workspaceRecipes } from './servers/workspaces.js'

interface Part<Entry> {
  name: string
  folder: string
  read(path: string): Entry | undefined
  install(folder: string): Promise<Entry>
  versionOf(entry: Entry): string
}

const failures: string[] = []
const started = performance.now()
const result: Manifest = { workspaces: {} }

const servers = serverIds.map(id => async () => {
  const entry = await ensure({
    name: id,
    folder: join(cacheFolder(), 'servers', `${id}-${recipes[id].pin}`),
    read: readServerEntry,
    install: folder => installAndProve(id, folder),
    versionOf: server => server.version,
  })
  if (entry !== undefined) result[id] = entry
})
const workspaces = workspaceIds.map(id => async () => {
  const recipe = workspaceRecipes[id]
  const entry = await ensure({
    name: `workspace ${id}`,
    folder: join(cacheFolder(), 'workspaces', recipe.pin),
    read: readWorkspaceEntry,
    install: recipe.install,
    versionOf: () => recipe.pin,
  })
  if (entry !== undefined) result.workspaces[id] = entry
})
await atOnce(3, [...servers, ...workspaces])
await writeWhole(manifestPath(), result)

const wanted = serverIds.length + workspaceIds.length
console.log(`${wanted - failures.length} of ${wanted} in ${cacheFolder()}, ${secondsSince(started)}`)
if (failures.length > 0) {
  console.error(`could not be had: ${failures.join(', ')}`)
  process.exitCode = 1
}

async function installAndProve(id: ServerId, folder: string): Promise<ServerEntry> {
  const entry = await recipes[id].install(folder)
  await proveByHandshake(id, entry, folder)
  return entry
}

/** More at a time would only compete for the same network and the same two cores. */
async function atOnce(count: number, tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...tasks]
  const work = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task()
  }
  await Promise.all(Array.from({ length: count }, work))
}

async function ensure<Entry>(part: Part<Entry>): Promise<Entry | undefined> {
  const record = join(part.folder, 'entry.json')
  const present = part.read(record)
  if (present !== undefined) {
    console.log(`${part.name} ${part.versionOf(present)} cached`)
    return present
  }
  const begun = performance.now()
  try {
    await rm(part.folder, { recursive: true, force: true })
    await mkdir(part.folder, { recursive: true })
    const entry = await part.install(part.folder)
    // Written last: a folder without this file was left half done and is installed afresh.
    await writeWhole(record, entry)
    console.log(`${part.name} ${part.versionOf(entry)} ${secondsSince(begun)}`)
    return entry
  } catch (error) {
    failures.push(part.name)
    await rm(part.folder, { recursive: true, force: true })
    console.error(`${part.name} failed: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(value, null, 2)}\n`)
  await rename(unfinished, path)
}

function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
