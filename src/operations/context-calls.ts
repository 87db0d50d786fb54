// What calls into libraries take, as installed here: which version of a library there is, a reader cannot know.
import { SignatureHelpRequest } from 'vscode-languageserver-protocol'
import type { NameUse } from '../context/names.js'
import { parseSignatureHelp } from '../lsp/signature-help.js'
import { cleanLine } from '../text/clean.js'
import { fromIndex, toIndex, toServerPosition } from '../text/position.js'
import { askedServer, type ContextBatch, stampOf } from './context-batch.js'
import type { FileContext } from './operation.js'

const mostCalls = 6
const longestSignature = 240

export async function askCallSignatures(
  calls: readonly NameUse[],
  file: FileContext,
  batch: ContextBatch,
): Promise<void> {
  if (calls.length === 0 || !batch.knowsAlready(SignatureHelpRequest, file.server)) return
  const often = calls.toSorted((a, b) => b.uses - a.uses).slice(0, mostCalls)
  await Promise.all(often.map((call, place) => tellSignature(call, place, file, batch)))
}

async function tellSignature(
  { name, line, column }: NameUse,
  place: number,
  file: FileContext,
  batch: ContextBatch,
): Promise<void> {
  const { source, document, server } = file
  const written = source.text.line(line) ?? ''
  const opening = written.indexOf('(', toIndex(column) + name.length)
  if (opening < 0) return
  const inside = fromIndex(opening) + '('.length
  const position = toServerPosition(written, { line, column: inside }, server.client.encoding)
  const queriedAt = file.now()
  const found = await batch.ask(
    { kind: 'call_signature', target: `${source.relative}:${line} ${name}` },
    async () =>
      parseSignatureHelp(
        await server.request(SignatureHelpRequest, { textDocument: { uri: document.uri }, position }),
      ),
  )
  const signature = found?.find(({ active }) => active)
  if (found === undefined || signature === undefined) return
  const label = cleanLine(signature.label, longestSignature).text
  const others = found.length > 1 ? ` (one of ${found.length} overloads)` : ''
  batch.add(
    {
      kind: 'call_signature',
      file: source.relative,
      line,
      column,
      symbol: name,
      forms: [[`${label.startsWith('(') ? name : ''}${label}${others}`]],
      query: SignatureHelpRequest.method,
      server: askedServer(server),
      queriedAt,
      sources: [stampOf(source)],
    },
    place,
  )
}
