#!/usr/bin/env node
// The executable: runs one command and turns its outcome into an exit code. Nothing below this file ends the process.
import { createConsole } from './console.js'
import { exitCodes, failureCode } from './exit-code.js'
import { failureOf, reportFailure } from './failure.js'
import { interrupts } from './interrupts.js'
import { runProgram } from './program.js'

const typed = process.argv.slice(2)
const console = createConsole(process)

// Node's own exit code for a crash is 1, which here means "findings".
process.on('uncaughtException', thrown => {
  console.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  process.exit(exitCodes.notEstablished)
})

const interrupted = interrupts(process)
let code: number
try {
  code = await runProgram(typed, {
    console,
    signal: interrupted.signal,
    serveMcp: async options => (await import('../mcp/serve.js')).serveMcp(options),
  })
} catch (thrown) {
  const [command] = typed
  const failure = await failureOf(thrown, command?.startsWith('-') ? undefined : command)
  await reportFailure(failure, { console, json: typed.includes('--json') })
  code = failureCode(failure)
}
// Everything was stopped in order by now; a handle that somebody forgot must not keep the shell waiting.
process.exit(interrupted.code() ?? (console.broken() ? exitCodes.notEstablished : code))
