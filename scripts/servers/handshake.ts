// Proves that an installed server can be run: having the file is not having the server, because a missing library or
// an interpreter that is too old shows only when it is started.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { property } from '../../src/json.js'
import { serverDefinitions } from '../../src/servers/index.js'
import type { ServerEntry, ServerId } from './manifest.js'

// A Java server on two busy cores takes half a minute.
const patienceMilliseconds = 120_000

/** Started in the folder it was installed into, where it finds what it expects a project to bring along. */
export async function proveByHandshake(id: ServerId, entry: ServerEntry, cwd: string): Promise<void> {
  const definition = serverDefinitions.find(known => known.id === id)
  if (definition === undefined) throw new Error(`there is no definition of ${id}`)
  const folder = await mkdtemp(join(tmpdir(), 'alidade-handshake-'))
  const rule = definition.dataFolder
  const data = rule !== undefined && 'argument' in rule ? [rule.argument, join(folder, 'data')] : []
  const variables = rule !== undefined && 'variable' in rule ? { [rule.variable]: folder } : {}
  const child = spawn(entry.command, [...entry.args, ...definition.args, ...data], {
    cwd,
    env: { ...process.env, ...definition.environment, ...entry.env, ...variables },
    // A group of its own: launchers leave the server itself behind when they alone are killed.
    detached: true,
  })
  let said = ''
  child.stderr.on('data', chunk => {
    said = `${said}${chunk}`.slice(-2000)
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`it exited with code ${code}`)))
    setTimeout(() => reject(new Error('it did not answer initialize')), patienceMilliseconds).unref()
  })
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  connection.onRequest(() => null)
  connection.listen()
  try {
    const { initializationOptions } = definition
    const params = { processId: null, rootUri: null, capabilities: {}, initializationOptions }
    const answer: unknown = await Promise.race([connection.sendRequest('initialize', params), ended])
    if (typeof property(answer, 'capabilities') !== 'object')
      throw new Error('it answered without capabilities')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason}; it said: ${said.trim().split('\n').slice(-3).join(' | ')}`, { cause: error })
  } finally {
    connection.dispose()
    // It may be gone already, and a promise that nobody waits for any more must not fail the run.
    ended.catch(() => {})
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
