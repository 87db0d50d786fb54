import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.js'
import { BridgeError } from '../errors.js'
import { createSpawn } from './process.js'
import { startFailure } from './spawn-errors.js'
import { ownerMark } from './sweep.js'

const folder = mkdtempSync(join(tmpdir(), 'alidade-executable-'))
const spawn = createSpawn({ clock: systemClock, owner: ownerMark() })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string | Buffer, mode = 0o755): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

async function failure(command: string, { cwd = folder, path = '/usr/bin:/bin' } = {}): Promise<BridgeError> {
  const error = await spawn({ command, args: [], cwd, env: { PATH: path } }).then(
    server => {
      server.kill()
      return undefined
    },
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(BridgeError)
  expect(error.hint).toBeTruthy()
  return error
}

function foreignProgram(): Buffer {
  const program = Buffer.from(readFileSync(process.execPath).subarray(0, 4096))
  program.writeUInt16LE(0xf3f3, 18)
  return program
}

const onLinux = process.platform === 'linux'

describe.runIf(process.platform !== 'win32')('a start that cannot be', () => {
  test('S01 a missing program', async () => {
    const byPath = await failure(join(folder, 'absent'))
    expect(byPath).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('no such file'),
    })
    const byName = await failure('no-such-language-server')
    expect(byName).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('not on PATH'),
    })
  })

  test('S02 a file that may not be executed', async () => {
    const path = file('plain.txt', '#!/bin/sh\n', 0o644)
    const expected = {
      kind: 'ServerUnavailable',
      message: expect.stringMatching(/may not be executed \(EACCES\)/),
    }
    expect(await failure(path)).toMatchObject(expected)
    expect(await failure('plain.txt', { path: folder })).toMatchObject(expected)
  })

  test.runIf(onLinux)('S02 a program for another processor', async () => {
    const error = await failure(file('foreign', foreignProgram()))
    expect(error).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('another kind'),
    })
  })

  test.runIf(onLinux)('S02 a text without interpreter is not handed to a shell', async () => {
    const error = await failure(file('bare', 'touch should-not-exist\n'))
    expect(error).toMatchObject({ kind: 'ServerUnavailable', message: expect.stringContaining('#! line') })
  })

  test.runIf(onLinux)('S02 a script whose interpreter is missing', async () => {
    const gone = await failure(file('gone', '#!/opt/nowhere/python3 -u\n'))
    expect(gone).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('"/opt/nowhere/python3"'),
    })
    const windows = await failure(file('windows', '#!/bin/sh\r\necho hello\r\n'))
    expect(windows).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('"/bin/sh\\r"'),
    })
  })

  test('S03 a folder, a dangling link, a circle of links, a file used as a folder', async () => {
    mkdirSync(join(folder, 'directory'))
    symlinkSync('nowhere', join(folder, 'dangling'))
    symlinkSync('circle', join(folder, 'circle'))
    const expected = [
      ['directory', 'is a folder'],
      ['dangling', 'is a link to nothing'],
      ['circle', 'circle of links'],
      ['dangling/x', 'no such file'],
    ] as const
    for (const [name, message] of expected) {
      const error = await failure(join(folder, name))
      expect(error).toMatchObject({ kind: 'ServerUnavailable', message: expect.stringContaining(message) })
    }
    const below = await failure(join(file('leaf', ''), 'x'))
    expect(below).toMatchObject({ kind: 'ServerUnavailable', message: expect.stringContaining('ENOTDIR') })
  })

  test('S08 a missing folder is not blamed on the program', async () => {
    const error = await failure(process.execPath, { cwd: join(folder, 'gone-away') })
    expect(error.kind).toBe('ServerUnavailable')
    expect(error.message).toContain('the folder does not exist')
    expect(error.message).not.toContain(process.execPath)
    const notFolder = await failure(process.execPath, { cwd: file('a-file', '') })
    expect(notFolder).toMatchObject({
      kind: 'ServerUnavailable',
      message: expect.stringContaining('not a folder'),
    })
  })

  test('S09 neither a relative path nor a relative PATH reaches into the workspace', async () => {
    mkdirSync(join(folder, 'bin'))
    file('bin/tool', '#!/bin/sh\n')
    expect(await failure('bin/tool')).toMatchObject({ message: expect.stringContaining('relative') })
    expect(await failure('tool', { path: 'bin:./bin:' })).toMatchObject({ kind: 'ServerUnavailable' })
  })

  test('S01 a bare name is found behind entries of PATH that do not help', async () => {
    file('later', '#!/bin/sh\nexit 5\n')
    const request = { command: 'later', args: [], cwd: folder, env: { PATH: `/nowhere:${folder}` } }
    expect((await (await spawn(request)).exited).code).toBe(5)
  })
})

describe('S07 what the system says', () => {
  test.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])('S07 %s is a shortage', code => {
    const error = startFailure(Object.assign(new Error('spawn'), { code }), 'server')
    expect(error).toMatchObject({ kind: 'Overloaded', message: expect.stringContaining(code) })
  })

  test.each(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR', 'EISDIR', 'E2BIG', 'EOTHER'])(
    'S02 %s is about the server',
    code => {
      const error = startFailure(Object.assign(new Error('spawn'), { code }), 'server')
      expect(error).toMatchObject({ kind: 'ServerUnavailable', message: expect.stringContaining(code) })
    },
  )

  test('S02 an argument no program can be given is refused, not thrown past us', async () => {
    const request = { command: process.execPath, args: ['a\0b'], cwd: folder, env: {} }
    await expect(spawn(request)).rejects.toMatchObject({ kind: 'ServerUnavailable' })
  })
})
