// Tells the servers that files changed on disk, for whoever knows it sooner or better than the watchers: another machine
// wrote them, or they lie where nobody watches, such as among installed packages.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import type { FileChange } from '../workspace/change-log.js'
import type { Connection } from '../workspace/workspace.js'
import { answeringServer } from './doubts.js'
import { type ContextOf, defineOperation, listedIn } from './operation.js'
import { counted, countedOf } from './render.js'

const types = ['created', 'changed', 'deleted'] as const
const mostFiles = 1000

export const didChangeWatchedFiles = defineOperation({
  name: 'did_change_watched_files',
  summary:
    'Tells the language servers that files changed on disk. Changes are noticed by themselves; use it for what lies in node_modules or on a network drive.',
  effect: 'read',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({
    files: z
      .array(z.string())
      .min(1)
      .max(mostFiles)
      .describe('Paths of files or folders, relative to the workspace root or absolute inside it.'),
    type: z
      .enum(types)
      .default('changed')
      .describe('What happened; whether a file exists, the disk decides.'),
  }),
  output: z.object({
    changes: z.array(z.object({ file: z.string(), type: z.enum(types) })),
    servers: z.array(z.object({ server: z.string(), root: z.string(), told_of: z.number().int() })),
  }),
  example: 'src/clock.ts',
  items: listedIn('changes'),

  async run({ files, type }, context) {
    const { workspace, doubt } = context
    // All of them pass the gate before any is told of.
    const located = files.map(file => workspace.locate(file))
    const changes = await workspace.lookAt(located, type)
    if (changes.length === 0) throw nothingSeen(located.map(({ relative }) => relative))
    const servers = []
    for (const connection of workspace.connections()) {
      const cared = changes.filter(({ path }) => connection.view.caresAbout(path))
      const { title } = connection.session.candidate.definition
      const root = workspace.locate(connection.session.root).relative
      if (cared.length > 0) {
        const reason = await tell(connection, context)
        if (reason !== undefined) doubt({ verdict: 'unknown', reason: `${title}: ${reason}` })
      }
      servers.push({ server: title, root, told_of: cared.length })
    }
    return { changes: changes.map(change => shown(change, context)), servers }
  },

  render: ({ changes, servers }, { total }) => [
    `${countedOf(changes.length, total, 'change')} taken in`,
    ...changes.map(({ file, type }) => `  ${type} ${file}`),
    ...(servers.length === 0
      ? ['no server runs; one that starts reads the files as they are']
      : servers.map(
          ({ server, root, told_of }) =>
            `${server} (${root}) ${told_of === 0 ? 'takes no interest in them' : `was told of ${counted(told_of, 'file')}`}`,
        )),
  ],
})

/** Why the server may not have heard of it, if it may not. */
async function tell(
  connection: Connection,
  { during, credit, signal, remaining }: ContextOf['workspace'],
): Promise<string | undefined> {
  credit(answeringServer(connection))
  const wait = { signal, milliseconds: remaining() }
  const currency = await during(connection, () => connection.view.bringUpToDate(wait))
  return currency.current ? undefined : currency.reason
}

function shown({ path, type }: FileChange, { workspace }: ContextOf['workspace']) {
  return { file: workspace.locate(path).relative, type }
}

function nothingSeen(files: readonly string[]): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `nothing changed in ${files.slice(0, 3).join(', ')}, or nobody looks into these folders`,
    hint: 'Name the files themselves.',
  })
}
