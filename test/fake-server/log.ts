// The record a fake server in a child process keeps, one JSON object per line, for the test to read. Starts of
// the same command append to the same file, so a test also sees how often a server was started again.
import { appendFileSync, readFileSync, watch } from 'node:fs'
import { isMessage, type Message, nameOf } from './message.js'

export type LogEntry = { readonly pid: number } & (
  | { readonly event: 'started'; readonly run: number }
  | { readonly event: 'received'; readonly message: Message }
  | { readonly event: 'complained'; readonly complaint: string }
  | { readonly event: 'signalled'; readonly signal: string }
  | { readonly event: 'grandchild'; readonly grandchild: number }
)

export type EntryOf<Event extends LogEntry['event']> = Extract<LogEntry, { event: Event }>

export function append(file: string, entry: LogEntry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`)
}

export function readLog(file: string): LogEntry[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  // What follows the last line end is a line that is still being written.
  return lines.slice(0, -1).map(line => {
    const entry: unknown = JSON.parse(line)
    if (isEntry(entry)) return entry
    throw new TypeError(`not an entry of a fake server's log: ${line}`)
  })
}

/** The nth entry that fits, now or when it is written. */
export function entryIn<Entry extends LogEntry>(
  file: string,
  fits: (entry: LogEntry) => entry is Entry,
  nth: number,
): Promise<Entry> {
  return new Promise((resolve, reject) => {
    const watcher = watch(file, { persistent: false })
    const look = () => {
      const found = readLog(file).filter(fits)[nth - 1]
      if (found === undefined) return
      watcher.close()
      resolve(found)
    }
    watcher.on('change', look)
    watcher.on('error', reject)
    // Only after the watcher stands, or a line written in between would be missed.
    look()
  })
}

export function isReceived(method: string) {
  return (entry: LogEntry): entry is EntryOf<'received'> =>
    entry.event === 'received' && nameOf(entry.message) === method
}

export function isEvent<Event extends LogEntry['event']>(event: Event) {
  return (entry: LogEntry): entry is EntryOf<Event> => entry.event === event
}

const events: ReadonlySet<unknown> = new Set<LogEntry['event']>([
  'started',
  'received',
  'complained',
  'signalled',
  'grandchild',
])

function isEntry(value: unknown): value is LogEntry {
  if (typeof value !== 'object' || value === null || !('event' in value) || !events.has(value.event))
    return false
  return value.event !== 'received' || ('message' in value && isMessage(value.message))
}
