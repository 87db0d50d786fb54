// `alidade status`: what this folder holds, and for each language which server answers or would answer, and why. A
// command is a process of its own, so it looks without starting anything.
import { setTimeout as pause } from 'node:timers/promises'
import type { BridgeCore, LanguageChoice, ServerChoice } from '../../bridge.js'
import type { Answer } from '../../operations/answer.js'
import { counted } from '../../operations/render.js'
import { serverStatus } from '../../operations/server-status.js'
import { exitCodeOf } from './answer-code.js'
import type { CommonFlags } from './common-flags.js'
import { reportFailure } from './failure.js'
import { type CommandContext, withBridge } from './with-bridge.js'

export interface StatusFlags extends CommonFlags {
  readonly watch: boolean
}

const roundMilliseconds = 2000

export function runStatusCommand(flags: StatusFlags, context: CommandContext): Promise<number> {
  const { console, signal } = context
  const json = flags.json === true
  return withBridge(flags, context, {
    use: look,
    async show(first, bridge) {
      let seen = ''
      for (let status = first; ; status = await look(bridge)) {
        const { answer } = status
        const text = describe(status, bridge)
        if (!answer.ok) await reportFailure(answer, { console, json, text })
        else if (text !== seen) await (json ? console.json(asAnswer(status, bridge)) : console.text(text))
        seen = text
        if (!flags.watch || !(await another(signal))) return exitCodeOf(serverStatus, answer)
      }
    },
  })
}

interface Status {
  readonly answer: Answer<unknown>
  readonly choices: readonly LanguageChoice[]
}

async function look(bridge: BridgeCore): Promise<Status> {
  const answer = await bridge.run(serverStatus, {}, { caller: 'host', synthetic: true })
  return { answer, choices: await bridge.candidates() }
}

/** The envelope of `server_status`, its languages with who would answer for them. */
function asAnswer({ answer, choices }: Status, { root, trusted, preset }: BridgeCore) {
  if (!answer.ok) return answer
  const result = serverStatus.output.parse(answer.result)
  return {
    ...answer,
    result: { root, trusted, preset: preset.name, languages: choices, servers: result.servers },
  }
}

function describe({ answer, choices }: Status, bridge: BridgeCore): string {
  const trust = bridge.trusted ? 'trusted' : 'not trusted (see alidade trust --help)'
  return [
    bridge.render(serverStatus, answer),
    `root ${bridge.root}, ${trust}, preset ${bridge.preset.name}`,
    ...choices.flatMap(describeLanguage),
  ].join('\n')
}

/** Who would answer for a language, and why. */
export function describeLanguage({ language, files, candidates, error }: LanguageChoice): string[] {
  const head = `${language} (${counted(files, 'file')})`
  const [first, ...others] = candidates
  if (first === undefined) {
    return [
      `${head}: ${error?.kind}: ${error?.message}`,
      ...(error?.hint === undefined ? [] : [`  hint: ${error.hint}`]),
    ]
  }
  return [
    `${head}: ${named(first)} would answer`,
    ...(first.command.length === 0 ? [] : [`  command: ${first.command.join(' ')}`]),
    ...(first.limited === undefined ? [] : [`  not trusted: ${first.limited}`]),
    ...(others.length === 0 ? [] : [`  if it does not start: ${others.map(named).join(', then ')}`]),
  ]
}

function named({ title, version, how }: ServerChoice): string {
  return `${version === undefined ? title : `${title} ${version}`} (${how})`
}

/** Whether there is to be one more round. */
async function another(signal: AbortSignal): Promise<boolean> {
  return pause(roundMilliseconds, true, { signal }).catch(() => false)
}
