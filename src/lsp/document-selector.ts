// Which documents a registration is about. A server that registers for some files says nothing of the others, and what it
// answers about them all the same is no report.
import { property } from '../json.js'
import type { OpenDocument } from './documents.js'

type Selected = Pick<OpenDocument, 'uri' | 'languageId'>

/** Without a selector it is about every document that the server is shown. */
export function isSelected(registerOptions: unknown, document: Selected): boolean {
  const selector = property(registerOptions, 'documentSelector')
  return !Array.isArray(selector) || selector.some(filter => fits(filter, document))
}

function fits(filter: unknown, document: Selected): boolean {
  if (typeof filter === 'string') return filter === '*' || filter === document.languageId
  // Cells of notebooks are not shown to servers.
  if (property(filter, 'notebook') !== undefined) return false
  const language = property(filter, 'language')
  const scheme = property(filter, 'scheme')
  const pattern = property(filter, 'pattern')
  const glob = typeof pattern === 'string' ? pattern : property(pattern, 'pattern')
  if (typeof language === 'string' && language !== '*' && language !== document.languageId) return false
  if (typeof scheme === 'string' && !document.uri.startsWith(`${scheme}:`)) return false
  return typeof glob !== 'string' || mayMatch(glob, document.uri)
}

/** Only endings are compared: a pattern that a server makes up may take for ever, and is then taken to match. */
function mayMatch(glob: string, uri: string): boolean {
  const [, plain, list] = /^\*\*\/\*\.(?:(\w+)|\{([\w,]+)\})$/.exec(glob) ?? []
  const endings = plain === undefined ? list?.split(',') : [plain]
  return endings?.some(ending => uri.toLowerCase().endsWith(`.${ending.toLowerCase()}`)) ?? true
}
