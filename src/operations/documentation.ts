// Documentation as an answer shows it: without the marks that only matter where markdown is drawn, cleaned and bounded.
import { cleanText } from '../text/clean.js'

/** Fences and rules go, and so do empty lines: they cost as much as words and tell a reader nothing. */
export function shownDocumentation(markdown: string, longest: number): string {
  // Cut before as well, so that the length of what a server sends costs nothing.
  const lines = cleanText(markdown, 4 * longest).text.split('\n')
  const kept = lines
    .map(line => line.trimEnd())
    .filter(line => !/^\s*(?:(?:```|~~~).*|---+|\*\*\*+)?$/.test(line))
  return cleanText(kept.join('\n'), longest).text
}
