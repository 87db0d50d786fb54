// The text form of what a change reaches: each changed symbol once with its users and tests, and what else was changed.
import { cleanLine } from '../text/clean.js'
import type { RenderContext } from './operation.js'
import type { Affected, Radius, User } from './radius.js'
import { counted, countedOf } from './render.js'

const longestTitle = 60

export function radiusLines(result: Radius, { total }: Pick<RenderContext, 'total'>): string[] {
  const { symbols, files, tests, untested, depth } = result
  const within = depth === 1 ? '' : ` within ${depth} steps`
  const isShown = new Set(
    symbols.flatMap(({ users, tests: own }) => [...users, ...own].map(({ file }) => file)),
  )
  const testFiles = [...new Set(tests.map(({ file }) => file))]
  return [
    `${countedOf(symbols.length, total, 'changed symbol')}, used in ${counted(files.length, 'file')}${within}; ${counted(tests.length, 'test')} in ${counted(testFiles.length, 'file')}; ${untested.length} untested`,
    ...symbolLines(result),
    ...listLine(
      'used in more files',
      files.filter(file => !isShown.has(file)),
    ),
    ...listLine('test files to run', testFiles),
    ...changedLines(result),
  ]
}

function symbolLines({ symbols, changed }: Radius): string[] {
  const changes = new Map(changed.map(({ file, change }) => [file, change]))
  const lines: string[] = []
  let last: string | undefined
  for (const symbol of symbols) {
    const { file, kind, line, change, references, users, users_total, tests, tests_total, untested } = symbol
    if (file !== last) {
      const status = changes.get(file)
      const isPlain = status === undefined || status === 'modified' || status === 'named'
      lines.push(isPlain ? file : `${file} (${status})`)
      const gone = symbols.filter(other => other.file === file && isUnused(other))
      lines.push(...listLine('  removed, not used any more', gone.map(written)))
    }
    last = file
    if (isUnused(symbol)) continue
    const count = references === undefined ? 'references unknown' : counted(references, 'reference')
    const left = change === 'removed' ? ' left' : ''
    // Of a file that was named nobody said what in it is changed.
    const what = changes.get(file) === 'named' ? '' : ` ${change},`
    lines.push(
      `  ${line} ${kind} ${shortened(symbol.symbol)},${what} ${count}${left}${untested ? ', untested' : ''}`,
    )
    lines.push(...userLines('users', users, users_total), ...userLines('tests', tests, tests_total))
  }
  return lines
}

function isUnused({ change, references }: Affected): boolean {
  return change === 'removed' && references === 0
}

function written({ kind, symbol, line }: Affected): string {
  return `${kind} ${symbol} (line ${line})`
}

function userLines(noun: string, users: readonly User[], total: number): string[] {
  if (users.length === 0) return []
  const depths = [...new Set(users.map(({ depth }) => depth))]
  const lines = depths.map(depth => {
    const own = users.filter(user => user.depth === depth)
    const at = depth === 1 ? '' : ` at depth ${depth}`
    return `    ${noun}${at}: ${byFile(own, ({ symbol, line }) => nameOf(symbol, line)).join('; ')}`
  })
  return total > users.length ? [...lines, `    +${total - users.length} more ${noun}`] : lines
}

function nameOf(symbol: string, line: number): string {
  return `${symbol === '' ? 'top level' : shortened(symbol)}:${line}`
}

/** TypeScript calls a test by all of its first line: `test('adds') callback`. */
function shortened(symbol: string): string {
  const [, title] = /^[\w.\\]+\((['"`].*['"`])\) callback$/s.exec(symbol) ?? []
  return title === undefined ? symbol : cleanLine(title.replace(/\\(?=[./:#])/g, ''), longestTitle).text
}

/** Each file once, with what was found in it. */
function byFile<T extends { readonly file: string }>(
  found: readonly T[],
  show: (item: T) => string,
): string[] {
  const files = new Map<string, string[]>()
  for (const item of found) files.set(item.file, [...(files.get(item.file) ?? []), show(item)])
  return [...files].map(([file, shown]) => `${file} ${shown.join(', ')}`)
}

function listLine(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}: ${items.join(', ')}`]
}

/** What was changed and is no symbol. */
function changedLines({ changed, symbols, others, others_total }: Radius): string[] {
  const more = others_total > others.length ? [`+${others_total - others.length} more`] : []
  const shown = new Set(symbols.map(({ file }) => file))
  const quiet = changed.filter(({ file, note }) => note === undefined && !shown.has(file))
  const kinds = [...new Set(quiet.map(({ change }) => change))]
  return [
    ...changed.flatMap(({ file, change, note }) =>
      note === undefined ? [] : [`${file} (${change}): ${note}`],
    ),
    ...kinds.flatMap(kind =>
      listLine(
        `also ${kind}`,
        quiet.filter(({ change }) => change === kind).map(({ file }) => file),
      ),
    ),
    ...listLine('also changed, in no language with a server', [...others, ...more]),
  ]
}
