// Runs a command of a language server. What it wants changed in files becomes proposals; the server itself is told that
// nothing was applied, and nothing is written on this path.
import { ExecuteCommandRequest, type LSPAny } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import { property } from '../json.js'
import { parseWorkspaceEdit } from '../lsp/edit-results.js'
import { cleanText } from '../text/clean.js'
import { nearest } from '../text/nearest.js'
import type { Connection } from '../workspace/workspace.js'
import { answeringServer, doubtCurrency } from './doubts.js'
import { type ContextOf, defineOperation, type ServerPort } from './operation.js'
import {
  extent,
  linesOf,
  type Proposal,
  type ProposingContext,
  planned,
  proposalFields,
  proposalLines,
  proposed,
} from './propose.js'
import { fileField } from './target.js'

const longestResult = 10_000
const mostListed = 40

export const executeCommand = defineOperation({
  name: 'execute_command',
  summary:
    'Runs a command that a language server declares, e.g. one from a code lens or a fix. Edits it asks for come back as proposals for apply_edit; the server may do more than that by itself.',
  effect: 'execute',
  on: 'workspace',
  lsp: null,
  sends: ExecuteCommandRequest,
  needsWholeWorkspace: false,
  input: z.object({
    command: z
      .string()
      .describe('Its name, as the server declares it; a wrong one is answered with the list.'),
    arguments: z
      .array(z.string())
      .default([])
      .describe('Each a JSON value, e.g. {"uri": "file:///..."}; what is no JSON is passed as a string.'),
    file: fileField.optional().describe('A file of the server to ask; it is opened for the command.'),
    language: z.string().optional().describe('Language of the server to ask, instead of file.'),
  }),
  output: z.object({
    command: z.string(),
    /** What the server answered, as JSON. */
    result: z.string().optional(),
    /** Its words, where it did not go on because its edit was not applied. */
    error: z.string().optional(),
    proposals: z.array(z.object(proposalFields)),
  }),
  example: `gopls.list_known_packages --language go --arguments '{"URI": "file:///code/main.go"}'`,
  items: {
    count: ({ proposals }) => proposals.reduce((sum, { diff }) => sum + linesOf(diff).length, 0),
    keep: (result, count) => ({ ...result, proposals: keepLines(result.proposals, count) }),
  },

  async run({ command, arguments: written, file, language }, context) {
    const args = written.map(parseArgument)
    const connection = await chooseServer({ file, language }, context)
    context.credit(answeringServer(connection))
    // Alone, so that an edit which arrives meanwhile is this command's and the server sees the disk.
    return context.during(
      connection,
      async () => {
        await prepare(connection, file, context)
        const server = context.port(connection)
        await checkDeclared(command, server, context)
        const { answer, error, edits } = await runCommand({ command, arguments: args }, server)
        const proposals = edits.flatMap(edit => proposal(edit, { ...context, server }))
        if (error !== undefined) {
          context.doubt({
            verdict: 'partial',
            reason:
              'the command ended when its edit was not applied at once; what it would have done next is missing',
            hint: 'Apply the proposal; run the command again only if more was to be done.',
          })
        }
        return {
          command,
          ...(answer === undefined ? {} : { result: answer }),
          ...(error === undefined ? {} : { error }),
          proposals,
        }
      },
      'alone',
    )
  },

  render: ({ command, result, error, proposals }, { total }) => {
    const some = proposals.filter(({ handle }) => handle !== undefined)
    const cut = proposals.reduce((sum, { diff }) => sum + linesOf(diff).length, 0) < total
    const wants = some.map(({ files }) => extent(files)).join('; ')
    return [
      some.length === 0 ? `${command} ran and asks for no edit` : `${command} proposes ${wants}`,
      ...(result === undefined ? [] : [`answer: ${result}`]),
      ...(error === undefined ? [] : [`its words: ${error}`]),
      ...some.flatMap(proposal => proposalLines(proposal, linesOf(proposal.diff).length)),
      ...(cut ? ['the diffs are cut; each proposal holds all of its own'] : []),
    ]
  },
})

function parseArgument(written: string): LSPAny {
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

interface Choice {
  readonly file: string | undefined
  readonly language: string | undefined
}

async function chooseServer(
  { file, language }: Choice,
  { workspace, signal, remaining, authorize }: ContextOf['workspace'],
): Promise<Connection> {
  const { method } = ExecuteCommandRequest
  const wait = () => ({ signal, milliseconds: remaining() })
  if (file !== undefined) return workspace.connect(workspace.read(file), wait())
  if (language === undefined) {
    const running = workspace.connections()
    const [only] = running
    if (only !== undefined && running.length === 1) {
      await authorize({ method, language: only.instance.language })
      return only
    }
    throw whichServer(running.length === 0 ? 'no server runs' : `${running.length} servers run`)
  }
  const roots = await workspace.rootsOf(language)
  const known = roots.filter(({ isKnown }) => isKnown)
  const [first, ...others] = known.length > 0 ? known : roots
  if (first === undefined)
    throw whichServer(`there is nothing in the language ${JSON.stringify(language)} here`)
  if (others.length > 0) throw whichServer(`${language} has a server in each of several folders`)
  // Before a server is started for it.
  await authorize({ method, language })
  return first.connect(wait())
}

function whichServer(message: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${message}: which server is meant?`,
    hint: 'Give file, any file of its language; server_status shows what runs.',
  })
}

async function prepare(
  { view }: Connection,
  file: string | undefined,
  { workspace, signal, remaining, doubt, fresh }: ContextOf['workspace'],
): Promise<void> {
  doubtCurrency(await view.bringUpToDate({ signal, milliseconds: remaining() }), { doubt, fresh })
  if (file === undefined) return
  const source = workspace.read(file)
  const { languageId } = workspace.routes.forFile(source.relative)
  await view.open(source, languageId, { signal, milliseconds: remaining() })
}

async function checkDeclared(
  command: string,
  { client, connection }: ServerPort,
  { signal }: ContextOf['workspace'],
): Promise<void> {
  await client.offers(ExecuteCommandRequest, signal)
  const { capabilities } = client
  const registered = capabilities
    .registrations(ExecuteCommandRequest.method)
    .flatMap(({ registerOptions }) => namesIn(property(registerOptions, 'commands')))
  const declared = capabilities.declared.executeCommandProvider
  const commands = [...namesIn(property(declared, 'commands')), ...registered]
  if (commands.includes(command)) return
  const { title } = connection.session.candidate.definition
  if (commands.length === 0) {
    throw new BridgeError({
      kind: 'CapabilityMissing',
      message: `${title} declares no commands`,
      hint: 'suggest_fixes and the other operations offer what it can do.',
    })
  }
  const close = nearest(command, commands, 3)
  const listed = [...new Set([...close, ...commands])]
  const more = listed.length > mostListed ? ` and ${listed.length - mostListed} more` : ''
  throw new BridgeError({
    kind: 'CapabilityMissing',
    message: `${title} declares no command ${JSON.stringify(command)}`,
    hint: `It declares: ${cleanText(listed.slice(0, mostListed).join(', '), 4000).text}${more}.`,
  })
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(name => typeof name === 'string') : []
}

interface CommandOutcome {
  readonly answer: string | undefined
  readonly error: string | undefined
  readonly edits: readonly unknown[]
}

function runCommand(
  params: { readonly command: string; readonly arguments: LSPAny[] },
  server: ServerPort,
): Promise<CommandOutcome> {
  return server.client.collectEdits(async edits => {
    try {
      const answer = await server.request(ExecuteCommandRequest, params)
      const isNothing = answer === null || answer === undefined
      const text = isNothing ? undefined : cleanText(JSON.stringify(answer), longestResult).text
      return { answer: text, error: undefined, edits: [...edits] }
    } catch (thrown) {
      const error = asBridgeError(thrown)
      // gopls calls it an error when its edit is not applied; the edit is what was wanted.
      if (edits.length === 0 || error.kind !== 'ServerError') throw error
      return { answer: undefined, error: error.message, edits: [...edits] }
    }
  })
}

/** Nothing for an empty edit; one that cannot be proposed does not take back what the command did besides. */
function proposal(edit: unknown, context: ProposingContext): Proposal[] {
  try {
    const parsed = parseWorkspaceEdit(edit)
    return parsed === undefined ? [] : [proposed(planned(parsed, context), context)]
  } catch (thrown) {
    const { message, hint } = asBridgeError(thrown)
    context.doubt({ verdict: 'partial', reason: `an edit it asked for cannot be proposed: ${message}`, hint })
    return []
  }
}

function keepLines(proposals: readonly Proposal[], count: number): Proposal[] {
  let left = count
  return proposals.map(proposal => {
    const lines = linesOf(proposal.diff).slice(0, left)
    left -= lines.length
    return { ...proposal, diff: lines.map(line => `${line}\n`).join('') }
  })
}
