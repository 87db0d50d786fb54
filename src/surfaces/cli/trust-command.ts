// `alidade trust`: lets a workspace's own files name and supply programs, or takes that back.
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findRoot } from '../../config/folders.js'
import { TrustStore } from '../../config/trust.js'
import type { CommonFlags } from './common-flags.js'
import type { Console } from './console.js'
import { exitCodes } from './exit-code.js'
import { usageError } from './failure.js'
import type { CommandContext } from './with-bridge.js'

export interface TrustFlags extends CommonFlags {
  readonly folder: string | undefined
  readonly revoke: boolean
}

const meaning = [
  'Language servers may now run programs that this folder supplies: commands named in its',
  '.alidade/lsp.json, its own compilers and interpreters, build scripts and plugins.',
  'When that file changes, trust is needed again.',
]

export async function runTrustCommand(flags: TrustFlags, { console }: CommandContext): Promise<number> {
  const { cwd, env } = console
  const { folder, revoke } = flags
  if (folder !== undefined && flags.root !== undefined) {
    throw usageError('both DIR and --root say which folder is meant', 'Leave one of them out.')
  }
  const store = new TrustStore({ env })
  if (revoke) {
    const path = folder === undefined ? await rootOf(flags, console) : await pathOf(resolve(cwd, folder))
    const changed = await store.revoke(path)
    await say({ path, trusted: false, changed }, [`${changed ? 'no longer' : 'was not'} trusted: ${path}`])
    return exitCodes.answer
  }
  const path = await rootOf(flags, console)
  const { trusted } = await store.isTrusted(path)
  await store.trust(path)
  const did = `${trusted ? 'was trusted already' : 'trusted'}: ${path}`
  await say({ path, trusted: true, changed: !trusted }, [
    did,
    ...meaning,
    `Undo: alidade trust ${path} --revoke`,
  ])
  if (folder !== undefined) await noteIfInside(path, console)
  return exitCodes.answer

  function say(result: object, lines: readonly string[]): Promise<void> {
    return flags.json === true ? console.json({ ok: true, result }) : console.text(lines.join('\n'))
  }
}

async function rootOf({ folder, root }: TrustFlags, { cwd, env }: Console): Promise<string> {
  return (await findRoot({ cwd, env, flag: folder ?? root })).root
}

/** A folder that is gone can still be revoked, by the path it had. */
function pathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** Trust counts for the workspace root; naming a folder further down would have no effect, and silently so. */
async function noteIfInside(path: string, { env, note }: Console): Promise<void> {
  const { root } = await findRoot({ cwd: path, env: { ...env, CLAUDE_PROJECT_DIR: undefined } })
  if (root !== path)
    note(`note: work inside this folder has the root ${root}; this trust counts with --root ${path}`)
}
