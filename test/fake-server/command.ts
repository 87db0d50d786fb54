// The command that starts the fake server as a child process, bundled on demand because Node 20 reads no types.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { type EntryOf, entryIn, isEvent, isReceived, type LogEntry, readLog } from './log.js'
import type { Message } from './message.js'
import type { Script } from './script.js'

export interface FakeServerCommand extends Disposable {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Everything the server noted, over all its starts. */
  log(): LogEntry[]
  /** The nth message with this method over all starts, now or when it comes. */
  received(method: string, nth?: number): Promise<Message>
  /** The nth event of this kind over all starts, such as `started`, now or when it comes. */
  noted<Event extends LogEntry['event']>(event: Event, nth?: number): Promise<EntryOf<Event>>
  /** Removes the log; ends no process. */
  dispose(): void
}

export function fakeServerCommand(script: Script = {}): FakeServerCommand {
  const folder = mkdtempSync(join(tmpdir(), 'alidade-fake-server-'))
  const file = join(folder, 'log.jsonl')
  writeFileSync(file, '')
  folders.add(folder)
  const dispose = () => {
    folders.delete(folder)
    remove(folder)
  }
  return {
    command: process.execPath,
    args: [program(), JSON.stringify(script)],
    env: { FAKE_SERVER_LOG: file },
    log: () => readLog(file),
    received: async (method, nth = 1) => (await entryIn(file, isReceived(method), nth)).message,
    noted: (event, nth = 1) => entryIn(file, isEvent(event), nth),
    dispose,
    [Symbol.dispose]: dispose,
  }
}

/** Logs that nobody disposed of go with the test's process. */
const folders = new Set<string>()
process.once('exit', () => folders.forEach(remove))

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

let built: string | undefined

/** The bundle is named after its content: no build is ever stale, and tests that run at once share one file. */
function program(): string {
  if (built !== undefined) return built
  const source = programSource()
  const result = buildSync({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  })
  const text = result.outputFiles[0]?.text ?? ''
  const folder = join(dirname(source), '../../node_modules/.cache/alidade-fake-server')
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, text)
    renameSync(draft, file)
  }
  built = file
  return file
}

/** The program's source. Where this file lies in a bundle of its own, it is looked for in the folders above. */
function programSource(): string {
  let file = fileURLToPath(new URL('./child.ts', import.meta.url))
  for (let folder = dirname(file); !existsSync(file); folder = dirname(folder)) {
    if (folder === dirname(folder)) throw new Error('the source of the fake server is not above this file')
    file = join(folder, 'test/fake-server/child.ts')
  }
  return file
}
