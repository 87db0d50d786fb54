// Closes a file on the servers that have it open. Starts no server for it, and the file need not exist any more.
import * as z from 'zod'
import { pathToUri } from '../text/uri.js'
import { answeringServer } from './doubts.js'
import { defineOperation, listedIn } from './operation.js'
import { fileField } from './target.js'

export const closeDocument = defineOperation({
  name: 'close_document',
  summary:
    'Closes a file that open_document keeps open on its language server; the next question opens it again.',
  effect: 'read',
  on: 'workspace',
  lsp: null,
  needsWholeWorkspace: false,
  input: z.object({ file: fileField }),
  output: z.object({
    file: z.string(),
    /** Where it was closed. */
    servers: z.array(
      z.object({
        server: z.string(),
        /** Of the text the server had last. */
        version: z.number().int(),
        content: z.string(),
        was_kept: z.boolean(),
      }),
    ),
  }),
  example: 'src/clock.ts',
  items: listedIn('servers'),

  async run({ file }, { workspace, during, credit }) {
    const { absolute, relative } = workspace.locate(file)
    const uri = pathToUri(absolute)
    const servers = []
    const kept = new Map(
      workspace.instances().map(instance => [instance, workspace.kept.release(instance, absolute)]),
    )
    for (const connection of workspace.connections()) {
      const { instance, session } = connection
      const { documents } = session.client
      // Alone, for somebody may just be asking about it.
      const close = async () => {
        const document = documents.get(uri)
        documents.close(uri)
        return document
      }
      const closed = await during(connection, close, 'alone')
      if (closed === undefined) continue
      credit(answeringServer(connection))
      const { version, content } = closed
      const was_kept = kept.get(instance) ?? false
      servers.push({ server: session.candidate.definition.title, version, content, was_kept })
    }
    return { file: relative, servers }
  },

  render: ({ file, servers }) => [
    servers.length === 0 ? `${file} was not open` : `${file} is closed`,
    ...servers.map(
      ({ server, version, content, was_kept }) =>
        `${server}: version ${version}, ${content}, ${was_kept ? 'was kept open' : 'was open for a question'}`,
    ),
  ],
})
