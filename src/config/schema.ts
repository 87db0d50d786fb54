// The configuration, once: what is valid, what each key means and what holds when it is absent. Messages, the
// generated docs and the types all come from this schema.
import * as z from 'zod'
import { knobsSchema } from './knobs.js'
import { policySchema } from './policy-schema.js'
import { presetNames, presets } from './presets.js'

/** What holds in every preset; the other defaults are the preset's. */
export const defaults = { timeoutMs: 55_000, frameLimitMb: 64 } as const

export type ServerEndpoint =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** `127.0.0.1:4389`, `[::1]:4389` or `unix:/run/server.sock`; undefined when it is none of these. */
export function parseEndpoint(text: string): ServerEndpoint | undefined {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length)
    // The kernel's `sun_path` holds 108 bytes with the final zero; a longer path would be cut to another one.
    const fits = path.startsWith('/') && !path.includes('\0') && Buffer.byteLength(path) <= 107
    return fits ? { kind: 'unix', path } : undefined
  }
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)):([0-9]{1,5})$/.exec(
    text,
  )
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || host.length > 253 || !(port >= 1 && port <= 65_535)) return undefined
  return { kind: 'tcp', host, port }
}

// Names end up in folder names, log lines and messages, so they are made of harmless characters only.
const name = z
  .string()
  .max(64)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._+-]*$/,
    'must begin with a letter or digit and hold only letters, digits and . _ + -',
  )

const text = z.string().refine(value => !value.includes('\0'), 'must not contain a zero character')

const command = text
  .min(1)
  .max(4096)
  .refine(value => !value.startsWith('-'), 'must not begin with a dash: give options in args')

const scope = z
  .string()
  .min(1)
  .max(256)
  .superRefine((glob, context) => {
    const problem = globProblem(glob)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

const extension = z
  .string()
  .max(32)
  .regex(/^\.[A-Za-z0-9_+#-]+(?:\.[A-Za-z0-9_+#-]+)*$/, 'must begin with a dot, as in ".go"')

const rootMarker = z
  .string()
  .max(128)
  .regex(/^(?!\.{1,2}$)[^/\\\0]+$/, 'must be the plain name of a file or folder')

const environmentName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')

const jsonObject = z.record(z.string(), z.json())

const serverSchema = z
  .strictObject({
    language: name.describe('The language it serves, e.g. `go`. Required.'),
    command: command
      .optional()
      .describe(
        'The program to start, by absolute path or by name on PATH. Exactly one of `command` and `endpoint`.',
      ),
    args: z
      .array(text.max(32_768))
      .max(1000)
      .optional()
      .describe(
        'Its arguments, one per entry; no shell is involved. Absent: those of the known server, if it is one.',
      ),
    endpoint: z
      .string()
      .refine(
        value => parseEndpoint(value) !== undefined,
        'must be "host:port" or "unix:/absolute/path", e.g. "127.0.0.1:4389"',
      )
      .optional()
      .describe('A server that runs already: `host:port` or `unix:/path`.'),
    scope: z
      .array(scope)
      .min(1)
      .max(100)
      .optional()
      .describe('Globs, relative to the workspace, of the files it answers for.')
      .meta({ default: ['**'] }),
    extensions: z
      .array(extension)
      .min(1)
      .max(100)
      .optional()
      .describe('The file extensions it serves, with their dot. May be absent for a language that is known.'),
    root_markers: z
      .array(rootMarker)
      .max(100)
      .optional()
      .describe('Files or folders that mark the root of a project, e.g. `go.mod`.')
      .meta({ default: [] }),
    initialization_options: jsonObject
      .optional()
      .describe('Handed to the server in the `initialize` request.')
      .meta({ default: {} }),
    settings: jsonObject
      .optional()
      .describe('What the server is told when it asks for its configuration, by section.')
      .meta({ default: {} }),
    env: z
      .record(environmentName, text.max(32_768))
      .optional()
      .describe(
        `Environment variables for the server. \`\${NAME}\` stands for a variable of our own environment, which must exist; two dollar signs make it literal.`,
      )
      .meta({ default: {} }),
  })
  .superRefine((server, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message })
    if (server.command !== undefined && server.endpoint !== undefined) {
      refuse('endpoint', 'cannot stand beside command: a server is either started or connected to')
    } else if (server.endpoint !== undefined) {
      if (server.args !== undefined) refuse('args', 'need a command: nothing is started for an endpoint')
      if (server.env !== undefined)
        refuse('env', 'needs a program to start: nothing is started for an endpoint')
    } else if (server.command === undefined && server.args !== undefined) {
      refuse('args', 'need a command')
    }
  })

const languageList = z.array(name).max(200)

export const configurationSchema = z.strictObject({
  servers: z
    .record(name, serverSchema)
    .optional()
    .describe('Registered servers by name. They come before everything that is detected.')
    .meta({ default: {} }),
  preset: z
    .enum(presetNames)
    .optional()
    .describe('The named set of policy knobs to start from.')
    .meta({ default: presets.default.name }),
  languages: languageList
    .optional()
    .describe('The languages that may be used; empty allows every language found.')
    .meta({ default: [] }),
  prewarm: languageList
    .optional()
    .describe('Languages whose servers start at once, in the background, and not at the first call.')
    .meta({ default: [] }),
  idle_seconds: z
    .int()
    .min(0)
    .max(604_800)
    .optional()
    .describe('A server without activity for this long is stopped; 0 is never.')
    .meta({ default: presets.default.idle.seconds }),
  timeout_ms: z
    .int()
    .min(1)
    .max(3_600_000)
    .optional()
    .describe('The deadline of one operation, in milliseconds.')
    .meta({ default: defaults.timeoutMs }),
  restart: z
    .strictObject({
      max: z
        .int()
        .min(0)
        .max(100)
        .optional()
        .describe(
          'How often a server may fail before it is given up; the preset says what counts as failing.',
        )
        .meta({ default: presets.default.restart.max }),
      backoff_ms: z
        .array(z.int().min(0).max(3_600_000))
        .max(20)
        .optional()
        .describe(
          'The waits before the first restart, the second and so on, in milliseconds; the last one repeats.',
        )
        .meta({ default: presets.default.restart.backoffMs }),
      counts: z
        .enum(['failed-starts', 'restarts', 'crashes'])
        .optional()
        .describe(
          'What `max` counts: failed starts in a row, restarts, or exits with a status other than zero.',
        )
        .meta({ default: presets.default.restart.counts }),
      trigger: z
        .enum(['eager', 'on-call'])
        .optional()
        .describe('Whether a server is started again by itself, or at the next call.')
        .meta({ default: presets.default.restart.trigger }),
      reset: z
        .enum(['on-initialize', 'never'])
        .optional()
        .describe('Whether a successful start forgives what was counted.')
        .meta({ default: presets.default.restart.reset }),
    })
    .optional()
    .describe('What happens after a server died.'),
  limit_kb: z
    .int()
    .min(1)
    .max(10_240)
    .optional()
    .describe(
      'The largest answer in text form, in KB (40 by default, 100 in the presets other than `default`).',
    )
    .meta({ default: presets.default.limitKb }),
  frame_limit_mb: z
    .int()
    .min(1)
    .max(1024)
    .optional()
    .describe('The largest single message accepted from a server, in MiB.')
    .meta({ default: defaults.frameLimitMb }),
  policy: policySchema(scope).optional().describe('What may be asked and done, beyond what the preset says.'),
  knobs: knobsSchema
    .optional()
    .describe('Single values of the preset, turned. Only your own file and a trusted workspace may.'),
})

const agentSchema = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe('Whether this agent is offered the tools at all.')
    .meta({ default: false }),
  languages: languageList
    .optional()
    .describe('The languages this agent may use; empty allows every language found.')
    .meta({ default: [] }),
  prewarm: languageList
    .optional()
    .describe('Languages whose servers start at once for this agent.')
    .meta({ default: [] }),
  idle_teardown_secs: z
    .int()
    .min(0)
    .max(604_800)
    .optional()
    .describe('The same as `idle_seconds`, for this agent.')
    .meta({ default: presets.default.idle.seconds }),
})

const agentsSchema = z
  .array(
    z.looseObject({
      id: z.string().min(1).max(128).describe('What `--agent` names. Required.'),
      lsp: agentSchema.optional().describe("This agent's block."),
    }),
  )
  .max(1000)
  .describe('Settings per agent, in `agents.yaml` or in the file given as `--config`.')

/** `agents.yaml` is the host's file as much as ours: only the blocks called `lsp` are checked key by key. */
export const agentsFileSchema = z.looseObject({ agents: agentsSchema })

/** A file given as `--config` may hold both. */
export const combinedSchema = configurationSchema.extend({ agents: agentsSchema.optional() })

export type Configuration = z.infer<typeof configurationSchema>
export type ServerConfiguration = z.infer<typeof serverSchema>
export type AgentBlock = z.infer<typeof agentSchema>
export type AgentsFile = z.infer<typeof agentsFileSchema>

/**
 * A glob becomes a regular expression, and the file may come from a stranger's repository: with six stars in one
 * segment picomatch was not done after 59 s on a name of 200 letters. Within these bounds the worst case found is
 * 42 ms, on a path of 1000.
 */
function globProblem(glob: string): string | undefined {
  if (/[\\\0()|]/.test(glob)) return 'must be a plain glob: no backslash, parentheses or bars'
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob)) return 'must be relative to the workspace'
  const segments = glob.split('/')
  if (segments.includes('..')) return 'must not lead out of the workspace'
  const wildcards = (part: string) => part.match(/\*+/g)?.length ?? 0
  if (wildcards(glob) > 4 || segments.some(segment => wildcards(segment) > 2)) {
    return 'may hold at most four wildcards, and two between slashes'
  }
  if ((glob.match(/\{/g)?.length ?? 0) > 2) return 'may hold at most two groups in braces'
  return undefined
}
