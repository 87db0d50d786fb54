// The fake server as a program of its own, for what only a process can do: die, ignore signals, leave children,
// block its pipes. Started as `node child.mjs SCRIPT`, with its log file in FAKE_SERVER_LOG.
import { spawn } from 'node:child_process'
import { systemClock } from '../../src/clock.js'
import { append, type LogEntry, readLog } from './log.js'
import { parseScript } from './script.js'
import { createServer } from './server.js'

const script = parseScript(process.argv[2] ?? '{}')
const logFile = process.env.FAKE_SERVER_LOG
const pid = process.pid

const run = logFile === undefined ? 1 : 1 + readLog(logFile).filter(({ event }) => event === 'started').length
record({ pid, event: 'started', run })

// Only an act, a signal or the end of the input ends this program, never a lack of things to do.
setInterval(() => undefined, 2 ** 30)

const server = createServer(script, {
  clock: systemClock,
  run,
  write: bytes => process.stdout.write(bytes),
  writeError: bytes => process.stderr.write(bytes),
  stopReading: () => {
    process.stdin.pause().removeAllListeners('data')
    endAtLast()
  },
  ignoreSignal: signal => process.on(signal, () => record({ pid, event: 'signalled', signal })),
  startGrandchild: holdsPipes => {
    // It ends by itself after two minutes, for the same reason as below.
    const grandchild = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 120_000)'], {
      detached: true,
      stdio: holdsPipes ? 'inherit' : 'ignore',
    })
    grandchild.unref()
    record({ pid, event: 'grandchild', grandchild: grandchild.pid ?? -1 })
  },
  exit: exit => {
    server.die()
    // The empty write calls back after everything written before has left.
    process.stderr.write('', () =>
      process.stdout.write('', () => {
        if ('code' in exit) process.exit(exit.code)
        process.kill(pid, exit.signal)
      }),
    )
  },
  received: message => record({ pid, event: 'received', message }),
  complain: complaint => record({ pid, event: 'complained', complaint }),
})

// A client that went away is one that ended; a server that ignores the end must survive its broken pipes.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
server.start()
process.stdin.on('data', server.receive)
process.stdin.on('end', () => {
  server.end()
  endAtLast()
})

/** What its script makes deaf to the end of its input still goes away, so that a failing test does not litter. */
function endAtLast(): void {
  setTimeout(() => process.exit(99), 600_000)
}

function record(entry: LogEntry): void {
  if (logFile !== undefined) append(logFile, entry)
}
