// Why a server cannot be started, said exactly (faults S01-S03, S06-S08). The command is examined before it is run:
// once it is wrapped for containment, the system would only report that the wrapper failed.
import { constants } from 'node:fs'
import { access, lstat, open, readdir, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { BridgeError, messageOf } from '../errors.js'

export interface Startable {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The absolute path to run. Throws the BridgeError that says why there is none. */
export async function findExecutable(request: Startable): Promise<string> {
  try {
    await examineFolder(request.cwd)
    const path = await locate(request)
    await examineFormat(path)
    return path
  } catch (error) {
    throw startFailure(error, request.command)
  }
}

/** Turns whatever prevented a start into the error for the caller. */
export function startFailure(error: unknown, command: string): BridgeError {
  if (error instanceof BridgeError) return error
  const code = errorCode(error)
  if (code !== undefined && exhausted.has(code)) {
    return new BridgeError({
      kind: 'Overloaded',
      message: `cannot start ${command}: ${exhausted.get(code)} (${code})`,
      hint: 'Nothing was started. Close other programs or servers, or raise the limit, and ask again.',
      cause: error,
    })
  }
  const reason = (code !== undefined && reasons.get(code)) || messageOf(error)
  return unavailable({ command, reason: code === undefined ? reason : `${reason} (${code})`, cause: error })
}

const exhausted = new Map([
  ['EMFILE', 'this process has no file descriptors left'],
  ['ENFILE', 'the system has no file descriptors left'],
  ['EAGAIN', 'the system allows no more processes'],
  ['ENOMEM', 'the system has no memory left'],
])

const reasons = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'it may not be executed'],
  ['EPERM', 'the system does not permit it'],
  ['ENOEXEC', 'it is not a program this machine can run'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its path is a circle of links'],
  ['E2BIG', 'its arguments and environment are too long'],
  ['ETXTBSY', 'it is being written to'],
])

interface Unavailable {
  readonly command: string
  readonly reason: string
  readonly hint?: string
  readonly cause?: unknown
}

function unavailable({ command, reason, hint, cause }: Unavailable): BridgeError {
  return new BridgeError({
    kind: 'ServerUnavailable',
    message: `cannot start ${command}: ${reason}`,
    hint: hint ?? 'Install the server, or name the full path of its executable in the configuration.',
    cause,
  })
}

/** A missing folder would be reported by the system as a missing program. */
async function examineFolder(cwd: string): Promise<void> {
  const refuse = (reason: string, cause?: unknown) =>
    new BridgeError({
      kind: 'ServerUnavailable',
      message: `cannot start a server in the folder ${cwd}: ${reason}`,
      hint: 'The server itself was not looked at. Restore the folder, or remove it from the workspace.',
      cause,
    })
  let isFolder: boolean
  try {
    isFolder = (await stat(cwd)).isDirectory()
    await access(cwd, constants.X_OK)
  } catch (error) {
    const code = errorCode(error)
    if (code !== undefined && exhausted.has(code)) throw error
    if (code === 'ENOENT') throw refuse('the folder does not exist (ENOENT)', error)
    throw refuse(`the folder cannot be entered (${code ?? messageOf(error)})`, error)
  }
  if (!isFolder) throw refuse('it is not a folder (ENOTDIR)')
}

async function locate({ command, env }: Startable): Promise<string> {
  if (isAbsolute(command)) return await examineFile(command, command)
  if (/[/\\]/.test(command)) {
    // The system would look below the server's working folder, which is the workspace.
    throw unavailable({
      command,
      reason: 'its path is relative',
      hint: 'Give a bare name or an absolute path.',
    })
  }
  let firstFailure: unknown
  for (const folder of searchPath(env).filter(isAbsolute)) {
    for (const suffix of process.platform === 'win32' ? ['', '.exe', '.com', '.cmd', '.bat'] : ['']) {
      try {
        return await examineFile(join(folder, command + suffix), command)
      } catch (error) {
        const missing = errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR'
        if (!missing) firstFailure ??= error
      }
    }
  }
  throw firstFailure ?? unavailable({ command, reason: 'it is not on PATH (ENOENT)' })
}

function searchPath(env: Readonly<Record<string, string>>): string[] {
  const name = Object.keys(env).find(
    key => key === 'PATH' || (process.platform === 'win32' && /^path$/i.test(key)),
  )
  return (name === undefined ? '' : (env[name] ?? '')).split(delimiter)
}

async function examineFile(path: string, command: string): Promise<string> {
  const found = await stat(path).catch(async error => {
    const link = errorCode(error) === 'ENOENT' && (await lstat(path).catch(() => undefined))?.isSymbolicLink()
    throw link
      ? unavailable({ command, reason: `${path} is a link to nothing (ENOENT)`, cause: error })
      : error
  })
  if (found.isDirectory()) throw unavailable({ command, reason: `${path} is a folder (EISDIR)` })
  if (!found.isFile()) throw unavailable({ command, reason: `${path} is not a regular file (EACCES)` })
  if (process.platform === 'win32' && /\.(cmd|bat)$/i.test(path)) {
    throw unavailable({
      command,
      reason: `${path} is a command script, which only a shell can run`,
      hint: 'Name the program the script starts; for a Node.js server that is node with the path of its script.',
    })
  }
  await access(path, constants.X_OK).catch(error => {
    throw unavailable({ command, reason: `${path} may not be executed (EACCES)`, cause: error })
  })
  return path
}

/**
 * The C library hands a file the kernel refuses (ENOEXEC) to /bin/sh, so a program for another processor would fail
 * as a shell script with a syntax error, and a text without a first line naming its interpreter would even run.
 */
async function examineFormat(path: string): Promise<void> {
  if (process.platform !== 'linux') return
  const head = await readHead(path)
  // A file that may be executed but not read cannot be examined; the kernel will judge it.
  if (!head) return
  if (head.toString('latin1', 0, 2) === '#!') return await examineInterpreter(path, head)
  const own = await readHead('/proc/self/exe')
  if (own && isProgram(head) && sameMachine(head, own)) return
  if (await otherFormatsRegistered()) return
  const reason = isProgram(head)
    ? `${path} was built for another kind of processor (ENOEXEC)`
    : `${path} is neither a program nor a script with a #! line (ENOEXEC)`
  throw unavailable({ command: path, reason, hint: 'Install the build of the server for this machine.' })
}

async function examineInterpreter(path: string, head: Buffer): Promise<void> {
  const line = head.toString('latin1', 2).split('\n', 1)[0] ?? ''
  const interpreter = line.trimStart().split(/[ \t]/, 1)[0] ?? ''
  if (!isAbsolute(interpreter)) return
  try {
    await access(interpreter, constants.X_OK)
  } catch (error) {
    const code = errorCode(error)
    if (code !== undefined && exhausted.has(code)) throw error
    throw unavailable({
      command: path,
      // Quoted, because a carriage return at its end is the usual reason.
      reason: `the interpreter its first line names, ${JSON.stringify(interpreter)}, cannot be run (${code})`,
      hint: 'Install that interpreter, or install the server again.',
      cause: error,
    })
  }
}

async function readHead(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = errorCode(error)
    if (code !== undefined && exhausted.has(code)) throw error
    return undefined
  }
}

function isProgram(head: Buffer): boolean {
  return head.length >= 20 && head.toString('latin1', 0, 4) === '\x7fELF'
}

/** Word size, byte order and machine of the ELF header; 32-bit programs do run on the processors we know of. */
function sameMachine(head: Buffer, own: Buffer): boolean {
  const intel32 = 3
  const arm32 = 40
  const machine = head.readUInt16LE(18)
  if (process.arch === 'x64' && machine === intel32) return true
  if (process.arch === 'arm64' && machine === arm32) return true
  return head[4] === own[4] && head[5] === own[5] && machine === own.readUInt16LE(18)
}

/** Emulators and foreign loaders (qemu, wine, the Windows side of WSL) register what else the kernel can run. */
async function otherFormatsRegistered(): Promise<boolean> {
  const entries = await readdir('/proc/sys/fs/binfmt_misc').catch(() => [])
  return entries.some(name => name !== 'register' && name !== 'status')
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
