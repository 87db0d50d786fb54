// Holds a search by name against the text of the workspace. A server lists what the projects it has loaded declare and
// says nothing of the rest; a file that seems to declare the name and is not in the answer is asked for its outline, and
// what it really declares is added. The text only raises the question: it never adds a symbol by itself.
import { setImmediate } from 'node:timers/promises'
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { parseDocumentSymbols } from '../lsp/results.js'
import { passable } from './cross-check.js'
import type { ContextOf } from './operation.js'
import { counted, listed } from './render.js'
import type { IndexedSymbol } from './search.js'
import { sourcePlace } from './source-place.js'
import { symbolKindName } from './symbol-kind.js'
import { declaredSegments, joinPath } from './symbol-path.js'

export interface DeclarationCheck {
  /** What else declares the name, beyond the files in which it was found; doubts say so. */
  missedBy(found: readonly IndexedSymbol[], wasSearched: (file: string) => boolean): Promise<IndexedSymbol[]>
}

const searchMilliseconds = 2000
const mostAsked = 8
const wholeName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** Begin before the server is asked: the text is then searched while it works. */
export function beginDeclarationCheck(
  name: string,
  language: string,
  context: ContextOf['workspace'],
): DeclarationCheck {
  const { witnesses } = context.workspace
  // Of a part of a name or a path nothing can be said by looking for words.
  if (!wholeName.test(name)) return { missedBy: async () => [] }
  const milliseconds = Math.min(searchMilliseconds, context.remaining() / 4)
  const searched = setImmediate().then(() =>
    witnesses.filesWith(name, language, { milliseconds, signal: context.signal }),
  )
  // Nobody may come for it, when the server fails.
  searched.catch(() => undefined)
  return {
    async missedBy(found, wasSearched) {
      const named = new Set(found.filter(symbol => symbol.name === name).map(({ file }) => file))
      const suspects = witnesses.declarers(await searched, { name, named }).filter(wasSearched)
      return suspects.length === 0 ? [] : asked(suspects, name, context)
    },
  }
}

async function asked(
  suspects: readonly string[],
  name: string,
  context: ContextOf['workspace'],
): Promise<IndexedSymbol[]> {
  const missed: IndexedSymbol[] = []
  const unclear = suspects.slice(mostAsked)
  for (const file of suspects.slice(0, mostAsked)) {
    const declared = await declaredIn(file, name, context)
    if (declared === undefined) unclear.push(file)
    else missed.push(...declared)
  }
  const files = [...new Set(missed.map(({ file }) => file))]
  if (files.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `the search by name missed ${counted(files.length, 'file')} that ${files.length === 1 ? 'declares' : 'declare'} ${name}; asked one by one, what they declare was added: ${listed(files)}`,
      hint: 'They belong to no project the server has loaded, or its list is cut; others like them may be missing. Search the text as well.',
    })
  }
  if (unclear.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `${counted(unclear.length, 'file')} that ${unclear.length === 1 ? 'seems' : 'seem'} to declare ${name} ${unclear.length === 1 ? 'is' : 'are'} not in the answer: ${listed(unclear)}`,
      hint: 'Look at them yourself: no server could be asked what they declare.',
    })
  }
  return missed
}

/** Undefined when nobody could say. */
async function declaredIn(
  file: string,
  name: string,
  context: ContextOf['workspace'],
): Promise<IndexedSymbol[] | undefined> {
  const needs = { name: 'find_symbol', lsp: DocumentSymbolRequest, needsWholeWorkspace: false }
  try {
    return await context.inFile(file, needs, async ({ source, document, server }) => {
      const textDocument = { uri: document.uri }
      const outline = parseDocumentSymbols(await server.request(DocumentSymbolRequest, { textDocument }))
      return outline
        .map(symbol => ({ symbol, segments: declaredSegments(symbol, []) }))
        .filter(({ segments }) => segments.at(-1) === name)
        .map(({ symbol, segments }) => ({
          name,
          kind: symbolKindName(symbol.kind),
          path: joinPath(segments),
          ...sourcePlace(source, symbol.selection, server.client.encoding),
        }))
    })
  } catch (thrown) {
    passable(thrown)
    return undefined
  }
}
