// Fixes what a change will be measured against: the texts that files have now, under a handle.
import * as z from 'zod'
import { asBridgeError } from '../errors.js'
import type { ChangeStart } from '../workspace/kept-changes.js'
import type { SourceFile } from '../workspace/source-file.js'
import { type ContextOf, defineOperation } from './operation.js'
import { recordNow } from './recordings.js'
import { counted } from './render.js'
import { groupByServer } from './server-groups.js'

const mostNamed = 200
const mostFiles = 2000
const mostCharacters = 32 * 1024 * 1024
/** Asking the servers may take so long, at most this part of the time; the rest is asked when the change is checked. */
const preparingMilliseconds = 10_000
const preparingShare = 0.6

export const beginChange = defineOperation({
  name: 'begin_change',
  summary:
    'Before editing: fixes the present state of the whole workspace as the baseline and returns a handle for check_change. Files named here are looked at now, so that the check is quick.',
  effect: 'read',
  on: 'workspace',
  // The baseline is what the files hold, which takes no server.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    files: z.array(z.string()).max(mostNamed).optional().describe('The files to be edited, if known.'),
    prepare: z
      .boolean()
      .default(true)
      .describe('Ask the servers about the named files now, so that check_change is quick.'),
  }),
  output: z.object({
    change: z.string(),
    /** What the baseline of every other file is. */
    others: z.enum(['git', 'none']),
    by_content: z.number().int(),
  }),
  example: 'src/clock.ts --no-prepare',
  items: { count: () => 0, keep: result => result },

  async run({ files, prepare }, context) {
    const { workspace } = context
    const start = files === undefined ? await wholeStart(context) : await namedStart(files, context)
    if (start.gap !== undefined) context.doubt({ verdict: 'partial', reason: start.gap })
    const change = workspace.changes.begin(start)
    if (prepare && start.named.length > 0) await prepareServers(start, context)
    const others = start.head === undefined ? ('none' as const) : ('git' as const)
    return { change, by_content: start.files.length, others }
  },

  render: ({ change, by_content, others }) => [
    others === 'git'
      ? `${change}: baseline fixed, ${counted(by_content, 'file')} by content, all others by git`
      : `${change}: baseline fixed, ${counted(by_content, 'file')} by content`,
  ],
})

type Context = ContextOf['workspace']
type KeptFile = ChangeStart['files'][number]

/** Whoever names files need not keep to them: the others have the baseline they would have without. */
async function namedStart(files: readonly string[], context: Context): Promise<ChangeStart> {
  const named = [...new Set(files.map(file => context.workspace.locate(file).relative))]
  const start = await wholeStart(context)
  const kept = new Set(start.files.map(({ file }) => file))
  const missing = named.filter(file => !kept.has(file)).map(file => keptFile(file, context))
  return { ...start, named, files: [...start.files, ...missing] }
}

/** Git has every text but those that differ from it; without git, all of them are kept. */
async function wholeStart(context: Context): Promise<ChangeStart> {
  const { workspace } = context
  try {
    const wait = { signal: context.signal, milliseconds: context.remaining() * 0.5 }
    const { from, files } = await workspace.git.changedFiles(wait)
    const dirty = files
      .filter(({ type }) => type === 'file')
      .flatMap(({ file, before }) => [file, before ?? file])
    return { named: [], head: from, files: [...new Set(dirty)].map(file => keptFile(file, context)) }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    return everything(context)
  }
}

async function everything(context: Context): Promise<ChangeStart> {
  const { workspace } = context
  const files: KeptFile[] = []
  let characters = 0
  await workspace.refresh()
  for (const language of workspace.routes.languages()) {
    for (const file of await workspace.keptFilesOf(language)) {
      const found = keptFile(file, context)
      characters += found.text?.length ?? 0
      if (files.length >= mostFiles || characters > mostCharacters) {
        const gap = `without git only the first ${files.length} source files have a baseline`
        return { named: [], files, gap }
      }
      files.push(found)
    }
  }
  return { named: [], files }
}

function keptFile(file: string, { workspace }: Context): KeptFile {
  try {
    return { file, text: workspace.read(file).text.text }
  } catch (thrown) {
    const { kind, message } = asBridgeError(thrown)
    if (kind === 'PathOutsideWorkspace' || kind === 'Bug') throw thrown
    return kind === 'FileNotFound' ? { file } : { file, unread: message }
  }
}

/** Never a reason not to begin: without it the past is asked for when the change is checked. */
async function prepareServers({ named, files }: ChangeStart, context: Context): Promise<void> {
  const { workspace } = context
  const sources: { file: string; absolute: string; source: SourceFile }[] = []
  for (const { file, text } of files) {
    if (!named.includes(file) || text === undefined || workspace.routes.languageOf(file) === undefined)
      continue
    const source = workspace.read(file)
    sources.push({ file, absolute: source.absolute, source })
  }
  // What is not known now will be asked for again, and told then.
  const quiet: Context = { ...context, doubt: () => {} }
  const asked = groupByServer(sources, quiet).then(async ({ groups }) => {
    for (const [connection, own] of groups) {
      await context.during(connection, () =>
        recordNow(
          own.map(({ source }) => source),
          connection,
          quiet,
        ),
      )
    }
  })
  try {
    await context.inShare(Math.min(preparingShare, preparingMilliseconds / context.remaining()), asked)
  } catch (thrown) {
    const { kind } = asBridgeError(thrown)
    if (context.signal.aborted || kind === 'Bug') throw thrown
  }
}
