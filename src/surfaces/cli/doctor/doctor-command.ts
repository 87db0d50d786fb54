// `alidade doctor`: one row per language, with who answers, whether it really does, and one thing to do where it does not.
import type { BridgeCore, ServerChoice } from '../../../bridge.js'
import { counted } from '../../../operations/render.js'
import type { CommonFlags } from '../common-flags.js'
import { exitCodes } from '../exit-code.js'
import { type CommandContext, withBridge } from '../with-bridge.js'
import { type Examination, examine } from './examine.js'

export function runDoctorCommand(flags: CommonFlags, context: CommandContext): Promise<number> {
  const { console, signal } = context
  return withBridge(flags, context, {
    use: bridge => examineAll(bridge, signal),
    async show(examinations, bridge) {
      const faulty = examinations.filter(({ health }) => health === 'faulty')
      if (flags.json === true) {
        const { root, trusted, preset } = bridge
        await console.json({
          ok: true,
          result: { root, trusted, preset: preset.name, languages: examinations },
        })
      } else await console.text(describe(examinations, bridge))
      return faulty.length > 0 ? exitCodes.findings : exitCodes.answer
    },
  })
}

/** One after another: two servers that start at once make each other's times worse than they are. */
async function examineAll(bridge: BridgeCore, signal: AbortSignal): Promise<Examination[]> {
  const examinations: Examination[] = []
  for (const choice of await bridge.candidates()) {
    if (signal.aborted) break
    examinations.push(await examine(choice, bridge))
  }
  return examinations
}

function describe(examinations: readonly Examination[], { root, trusted, preset }: BridgeCore): string {
  const faulty = examinations.filter(({ health }) => health === 'faulty').length
  const summary =
    examinations.length === 0
      ? 'no file of a language that is known and enabled was found here'
      : `${counted(examinations.length, 'language')}, ${faulty === 0 ? 'none with a fault' : `${faulty} with a fault`}`
  const rows = [
    ['', 'language', 'server', 'found', 'ready', 'first answer', 'memory'],
    ...examinations.map(row),
  ]
  return [
    summary,
    `root ${root}, ${trusted ? 'trusted' : 'not trusted'}, preset ${preset.name}`,
    ...(examinations.length === 0 ? [] : aligned(rows)),
    ...examinations.flatMap(details),
  ].join('\n')
}

const marks = { good: 'ok', limited: '--', faulty: '!!' } as const

function row({
  health,
  language,
  files,
  server,
  ready_ms,
  first_answer_ms,
  memory_mb,
}: Examination): string[] {
  return [
    marks[health],
    `${language} (${files})`,
    server === undefined ? 'none' : `${server.name} ${server.version}`,
    server?.how ?? '',
    milliseconds(ready_ms),
    milliseconds(first_answer_ms),
    memory_mb === undefined ? '' : `${memory_mb} MB`,
  ]
}

function details({ language, finding, fix, candidates, server }: Examination): string[] {
  const others = candidates.filter(({ id }) => id !== server?.id)
  return [
    `${language}: ${finding}`,
    ...(fix === undefined ? [] : [`  do: ${fix}`]),
    ...(others.length === 0 ? [] : [`  also there: ${others.map(named).join(', ')}`]),
  ]
}

function named({ title, version, how }: ServerChoice): string {
  return `${version === undefined ? title : `${title} ${version}`} (${how})`
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '' : `${value} ms`
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(cells => cells[column]?.length ?? 0)),
  )
  return rows.map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
