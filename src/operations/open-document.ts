// Keeps a file open on its server. Every question opens the file it is about anyway; this one stays open when many
// others are asked about, for servers that watch or report on open files alone.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { mostKept } from '../workspace/kept-documents.js'
import { defineOperation } from './operation.js'
import { fileField } from './target.js'

export const openDocument = defineOperation({
  name: 'open_document',
  summary:
    'Keeps a file open on its language server until close_document. Rarely needed: every question opens the file it is about.',
  effect: 'read',
  on: 'file',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({ file: fileField }),
  output: z.object({
    file: z.string(),
    server: z.string(),
    /** Of the text the server has now. */
    version: z.number().int(),
    content: z.string(),
    /** Whether it was kept open before. */
    was_kept: z.boolean(),
  }),
  example: 'src/clock.ts',
  items: { count: () => 0, keep: result => result },

  async run(_input, { source, document, server, workspace }) {
    const { instance, session } = server.connection
    const kept = workspace.kept.of(instance)
    const was_kept = kept.has(source.absolute)
    const { title } = session.candidate.definition
    if (!was_kept && kept.size >= mostKept) {
      const first = [...kept.keys()].slice(0, 3).map(path => workspace.locate(path).relative)
      throw new BridgeError({
        kind: 'Overloaded',
        message: `${title} keeps ${mostKept} documents open already`,
        hint: `Close one with close_document first: ${first.join(', ')}, ...`,
      })
    }
    workspace.kept.keep(instance, session, source.absolute, document)
    workspace.reads.note(source)
    const { version, content } = document
    return { file: source.relative, server: title, version, content, was_kept }
  },

  render: ({ file, server, version, content, was_kept }) => [
    `${file} ${was_kept ? 'was kept open already' : 'is kept open'} on ${server}, version ${version}, ${content}`,
  ],
})
