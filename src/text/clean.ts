// Text that servers send is written by strangers: comments of the code base and of its libraries. What could
// command a terminal, reorder or hide characters is taken out, and the length is bounded (reliability 3.5).

export interface CleanText {
  readonly text: string
  /** How many characters were taken out; what the bound cut off is not counted, the mark shows it. */
  readonly removed: number
}

/**
 * Keeps line feeds and tabs; other line ends become line feeds. All invisible characters go, the joiners of
 * emoji and of Persian or Indic words too: a family falls apart into its members, which is readable, while a
 * hidden message is not. `maxLength` counts UTF-16 units and includes the mark of a cut.
 */
export function cleanText(text: string, maxLength: number): CleanText {
  // More than this is never looked at, so that a text of only invisible characters cannot cost more time than
  // the answer is worth.
  const window = bounded(text, 4 * Math.max(maxLength, 0) + 1024)
  const { cleaned, removed } = strip(window)
  return { text: cut(cleaned, maxLength, window.length < text.length), removed }
}

/** The same on one line: the lines, trimmed, joined by single spaces. */
export function cleanLine(text: string, maxLength: number): CleanText {
  // Thousands of source lines go through here in one answer, and nearly all are plain.
  if (text.length <= maxLength && !suspicious.test(text) && !text.includes('\n'))
    return { text: text.trim(), removed: 0 }
  const window = bounded(text, 4 * Math.max(maxLength, 0) + 1024)
  const { cleaned, removed } = strip(window)
  const parts = cleaned.split('\n').map(part => part.trim())
  const line = parts.filter(part => part !== '').join(' ')
  return { text: cut(line, maxLength, window.length < text.length), removed }
}

const cutMark = '\u2026'

// No control character is allowed inside a sequence, so none is scanned twice and an unterminated one cannot
// swallow the text: then only its introducer goes, as a control character.
const terminalSequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

// Unicode's own list of what is not to be seen holds the zero-width characters, bidirectional controls, tags,
// fillers and variation selectors. The two selectors that choose between a drawn and a written emoji stay.
const invisibles =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\p{Surrogate}]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu

const lineEnds = /\r\n?|[\u2028\u2029]/g

function strip(text: string): { cleaned: string; removed: number } {
  // The common case, plain text, is one scan without a copy.
  if (!suspicious.test(text)) return { cleaned: text, removed: 0 }
  let removed = 0
  const remove = (match: string) => {
    removed += codePoints(match)
    return ''
  }
  const cleaned = text.replace(terminalSequences, remove).replace(lineEnds, '\n').replace(invisibles, remove)
  return { cleaned, removed }
}

const suspicious = /[^\n\t\x20-\x7e]/

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function cut(text: string, maxLength: number, wasLonger: boolean): string {
  if (text.length <= maxLength && !wasLonger) return text
  if (!(maxLength >= 1)) return ''
  return bounded(text, maxLength - cutMark.length) + cutMark
}

/** The longest beginning of at most `length` units that splits no surrogate pair. */
function bounded(text: string, length: number): string {
  if (text.length <= length) return text
  if (length < 1) return ''
  const next = text.charCodeAt(length)
  const splitsPair = next >= 0xdc00 && next <= 0xdfff
  return text.slice(0, splitsPair ? length - 1 : length)
}
