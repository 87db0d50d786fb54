#!/usr/bin/env node
// The executable: runs one command and turns its outcome into an exit code. Nothing below this file ends the process.
import { createConsole } from './console.js'
import { exitCodes, failureCode } from './exit-code.js'
import { failureOf } from './failure.js'
import { interrupts } from './interrupts.js'
import { runProgram } from './program.js'

const arguments_ = process.argv.slice(2)
const console_ = createConsole(process)

// Node's own exit code for a crash is 1, which here means "findings".
process.on('uncaughtException', thrown => {
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`)
  process.exit(exitCodes.notEstablished)
})

const interrupted = interrupts(process)
let code: number
try {
  code = await runProgram({ arguments: arguments_, console: console_, signal: interrupted.signal })
} catch (thrown) {
  const failure = failureOf(thrown, arguments_)
  await console_.failure(failure, { json: arguments_.includes('--json') })
  code = failureCode(failure)
}
// Everything was stopped in order by now; a handle that somebody forgot must not keep the shell waiting.
process.exit(interrupted.code() ?? (console_.broken() ? exitCodes.notEstablished : code))
