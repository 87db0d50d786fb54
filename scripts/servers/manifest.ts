// Says where the real language servers and workspaces of the tests lie and how to start them: the installer
// writes this file, the tests read it and skip, with the reason, what is not in it.

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { property } from '../../src/json.js'

const serverEntry = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  version: z.string(),
})

const workspaceEntry = z.object({
  root: z.string(),
  language: z.string(),
  /** A declaration with references in many files. Line and column count from 1, columns in UTF-16 units. */
  symbol: z.object({ file: z.string(), name: z.string(), line: z.number(), column: z.number() }),
  note: z.string(),
})

const workspaceEntries = z.object({ workspaces: z.record(z.string(), workspaceEntry) })

export type ServerEntry = z.infer<typeof serverEntry>
export type WorkspaceEntry = z.infer<typeof workspaceEntry>
export type Manifest = z.infer<typeof workspaceEntries> & { [id in ServerId]?: ServerEntry }

/** Those that come with the package need no installing. */
export const serverIds = [
  'typescript-language-server',
  'vtsls',
  'biome',
  'pylsp',
  'basedpyright',
  'ty',
  'jedi-language-server',
  'ruff',
  'gopls',
  'rust-analyzer',
  'clangd',
  'jdtls',
  'intelephense',
  'ruby-lsp',
  'svelte-language-server',
  'astro-language-server',
  'bash-language-server',
  'vscode-json',
  'vscode-css',
  'vscode-html',
  'yaml-language-server',
  'tombi',
  'docker-langserver',
  'prisma-language-server',
  'buf',
] as const
export type ServerId = (typeof serverIds)[number]

export const workspaceIds = ['typescript', 'python', 'go', 'rust', 'c'] as const
export type WorkspaceId = (typeof workspaceIds)[number]

/** The folder everything is installed into; ALIDADE_TEST_SERVERS overrides it. */
export function cacheFolder(): string {
  const chosen = process.env.ALIDADE_TEST_SERVERS
  if (chosen !== undefined && chosen !== '') return resolve(chosen)
  const base = process.env.XDG_CACHE_HOME
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'alidade-test-servers')
}

export function manifestPath(): string {
  return join(cacheFolder(), 'servers.json')
}

/** Undefined when the installer has never run. Throws when the file is there and not what it should be. */
export function readManifest(): Manifest | undefined {
  const path = manifestPath()
  if (!existsSync(path)) return undefined
  const written: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const manifest: Manifest = workspaceEntries.parse(written)
  for (const id of serverIds) {
    const entry = property(written, id)
    if (entry !== undefined) manifest[id] = serverEntry.parse(entry)
  }
  return manifest
}

/** What an installed part left behind when it was complete; undefined means it has to be installed again. */
export function readServerEntry(path: string): ServerEntry | undefined {
  const entry = serverEntry.safeParse(readJson(path))
  return entry.success && existsSync(entry.data.command) ? entry.data : undefined
}

export function readWorkspaceEntry(path: string): WorkspaceEntry | undefined {
  const entry = workspaceEntry.safeParse(readJson(path))
  return entry.success && existsSync(entry.data.root) ? entry.data : undefined
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
