// Stops language servers and starts them anew: the way out of a state that only a person can mend, such as a server that
// has died too often.
import * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import type { KnownServer } from '../workspace/workspace.js'
import { defineOperation, listedIn } from './operation.js'
import { countedOf } from './render.js'

export const restartServer = defineOperation({
  name: 'restart_server',
  summary:
    'Stops a language server and starts it anew; also brings back one that is off for good. Use when server_status shows a failed or stuck server.',
  effect: 'execute',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({
    language: z
      .string()
      .optional()
      .describe('Language or server id, as server_status shows it; needed when several run.'),
  }),
  output: z.object({
    restarted: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        version: z.string(),
        language: z.string(),
        root: z.string(),
        before: z.string(),
        state: z.string(),
        error: z.string().optional(),
      }),
    ),
  }),
  example: '--language typescript',
  items: listedIn('restarted'),

  async run({ language }, { workspace, signal, remaining, doubt, credit }) {
    const chosen = choose(language, workspace.servers())
    const outcomes = await Promise.all(
      chosen.map(async server => {
        const before = server.report().state
        try {
          await server.restart({ signal, milliseconds: remaining() })
          return { server, before, error: undefined }
        } catch (thrown) {
          return { server, before, error: asBridgeError(thrown) }
        }
      }),
    )
    const failed = outcomes.flatMap(({ error }) => error ?? [])
    const [first] = failed
    if (first !== undefined && failed.length === outcomes.length) throw first
    const restarted = outcomes.map(({ server, before, error }) => {
      const { id, name, version, language: family, root, state } = server.report()
      const shown = { id, name, version, language: family, root, before, state }
      if (error === undefined) {
        credit({ id, name, version })
        return shown
      }
      doubt({ verdict: 'partial', reason: `${name} did not start: ${error.message}`, hint: error.hint })
      return { ...shown, error: error.message }
    })
    return { restarted }
  },

  render: ({ restarted }, { total }) => [
    `${countedOf(restarted.length, total, 'server')} restarted`,
    ...restarted.map(
      ({ language, id, name, version, root, before, state, error }) =>
        `${language}: ${name} ${version} (${id}), root ${root}: ${before}, now ${state}${error === undefined ? '' : `: ${error}`}`,
    ),
  ],
})

function choose(language: string | undefined, known: readonly KnownServer[]): readonly KnownServer[] {
  const names = [...new Set(known.map(server => server.report().language))]
  if (known.length === 0) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: 'no language server has been started yet',
      hint: 'One starts by itself with the first question about a file of its language.',
    })
  }
  if (language === undefined) {
    if (names.length === 1) return known
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `servers for ${names.join(', ')} run: which one?`,
      hint: 'Give language.',
    })
  }
  const meant = known.filter(server => {
    const report = server.report()
    return report.language === language || report.id === language
  })
  if (meant.length > 0) return meant
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `no server for ${JSON.stringify(language)} has been started`,
    hint: `Those that have: ${names.join(', ')}.`,
  })
}
