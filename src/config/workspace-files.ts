// The workspace's own configuration files: found in a repository that may be a stranger's, read once, and named by
// their content, so that what was judged for trust is what is used.
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { BridgeError } from '../errors.js'
import { contentHash } from '../text/hash.js'
import { errorCode, type ReadFile, readBounded } from './read.js'

/** In order of preference: the first that exists is used. */
export const workspaceFileNames = ['.alidade/lsp.json', '.syndicate/lsp.json'] as const
export type WorkspaceFileName = (typeof workspaceFileNames)[number]

/** The content of each file by its hash, `none` when there is no such file. */
export type Fingerprint = Readonly<Record<WorkspaceFileName, string>>

export interface WorkspaceFiles {
  readonly fingerprint: Fingerprint
  readonly used: { readonly name: WorkspaceFileName; readonly file: ReadFile } | undefined
}

/** `root` is canonical. */
export async function readWorkspaceFiles(root: string): Promise<WorkspaceFiles> {
  const found = await Promise.all(
    workspaceFileNames.map(async name => ({ name, file: await readInside(root, name) })),
  )
  const hashOf = (name: WorkspaceFileName) => {
    const file = found.find(entry => entry.name === name)?.file
    return file === undefined ? 'none' : contentHash(file.bytes)
  }
  const fingerprint: Fingerprint = {
    '.alidade/lsp.json': hashOf('.alidade/lsp.json'),
    '.syndicate/lsp.json': hashOf('.syndicate/lsp.json'),
  }
  const used = found.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]))[0]
  return { fingerprint, used }
}

/** A link out of the workspace is refused: errors about such a file would tell what stands in it (K05). */
async function readInside(root: string, name: WorkspaceFileName): Promise<ReadFile | undefined> {
  const real = await realpath(join(root, name)).catch((cause: unknown) => {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `${name} cannot be read (${code ?? String(cause)})`,
      hint: 'Correct or remove the file.',
      cause,
    })
  })
  if (real === undefined) return undefined
  const inside = relative(root, real)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `${name} is a link that leads out of the workspace`,
      hint: 'Put the file itself there, or remove the link.',
    })
  }
  const file = await readBounded(real, { name })
  return file === undefined ? undefined : { ...file, path: join(root, name) }
}
