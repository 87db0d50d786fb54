// Who is put to the test: every server that is installed here and has a workspace of real code in its language.

import { serverDefinitions } from '../../src/servers/index.js'
import { manifest, type RealServer, realServer } from '../../test/real/servers.js'
import { type WorkspaceEntry, workspaceIds } from '../servers/manifest.js'

export interface Subject {
  readonly id: string
  readonly server: RealServer
  readonly workspace: WorkspaceEntry
  /** How the workspace is called in the manifest. */
  readonly workspaceId: string
}

export interface Subjects {
  readonly found: readonly Subject[]
  /** Why the others are not among them. */
  readonly missing: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * In place of the manifest's symbol, which a macro hides in one file. clangd keeps of a header what the first file that
 * included it made of it, and which is first is chance: uses in the conditional parts of `fse.h` come and go from start
 * to start, so that a type used there (BYTE, BIT_CStream_t) is now complete, now partial with that file named. This one
 * is used in many files and in no such part.
 */
const symbols: Readonly<Record<string, WorkspaceEntry['symbol']>> = {
  c: { file: 'lib/compress/zstd_compress_internal.h', name: 'SeqStore_t', line: 115, column: 3 },
}

/** All of them, or those that were chosen, in the order of the definitions. */
export function subjectsOf(chosen: readonly string[]): Subjects {
  const unknown = chosen.filter(id => !serverDefinitions.some(definition => definition.id === id))
  if (unknown.length > 0) throw new TypeError(`there is no server ${unknown.join(', ')}`)
  const found: Subject[] = []
  const missing: { id: string; reason: string }[] = []
  for (const { id, language } of serverDefinitions) {
    if (chosen.length > 0 && !chosen.includes(id)) continue
    const server = realServer(id)
    const workspaceId = workspaceIds.find(known => manifest?.workspaces[known]?.language === language)
    const workspace = workspaceId === undefined ? undefined : manifest?.workspaces[workspaceId]
    if (server.missing !== undefined) missing.push({ id, reason: server.missing })
    else if (workspace === undefined || workspaceId === undefined)
      missing.push({ id, reason: `there is no workspace of real code in ${language}` })
    else {
      const symbol = symbols[workspaceId] ?? workspace.symbol
      found.push({ id, server, workspace: { ...workspace, symbol }, workspaceId })
    }
  }
  return { found, missing }
}

/** How the server is started by hand: the same program and arguments that the bridge starts. */
export function launchOf({ server }: Subject): {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  const { definition, entry } = server
  const environment = { ...definition.environment }
  const embedded = definition.embedded?.()
  if (embedded !== undefined) return { ...embedded, env: environment }
  if (entry === undefined) throw new TypeError(`${definition.id} is not installed`)
  // The manifest says where the program is; of one that an interpreter runs, its file is the first argument.
  const script = entry.args.slice(0, 1)
  return {
    command: entry.command,
    args: [...script, ...definition.args],
    env: { ...environment, ...entry.env },
  }
}

export function versionOf({ server }: Subject): string {
  return server.entry?.version ?? server.definition.embedded?.()?.version ?? 'unknown'
}
