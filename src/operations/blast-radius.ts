// What a change reaches: the symbols it touches, who uses them, which tests cover them and which none does.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { isTestFile } from '../text/test-names.js'
import { changeSet, lineSpans, type TouchedFile } from './change-set.js'
import { byPlace, type ChangedSymbol, type ChangedSymbols, changedSymbols } from './changed-symbols.js'
import { doubtChangedFiles } from './doubts.js'
import { defineOperation } from './operation.js'
import { type Affected, type Radius, radiusSchema, type User } from './radius.js'
import { radiusLines } from './radius-text.js'
import { type Reached, UsageWalk } from './usage-walk.js'
import { DeclarationsByFile } from './uses.js'

const mostUsers = 20
const mostListed = 200
const mostOthers = 20
/** The part of the time that is kept back, so that what was found can still be told. */
const reserve = 0.15

export const blastRadius = defineOperation({
  name: 'blast_radius',
  summary:
    'What a change reaches: the changed symbols, who uses each (removed ones too), the tests that cover them, and what is untested. Use after editing, before you call it done.',
  effect: 'read',
  on: 'workspace',
  lsp: ReferencesRequest,
  needsWholeWorkspace: true,
  input: z.object({
    files: z.array(z.string()).optional().describe('Files: all they declare, or with since their change.'),
    since: z.string().optional().describe('Git revision or range; default: what is not committed.'),
    depth: z.number().int().min(1).max(3).default(1).describe('Steps to follow; 2 adds users of users.'),
    limit: z.number().int().min(1).max(500).default(60).describe('Most changed symbols to follow.'),
  }),
  output: radiusSchema,
  example: '--since HEAD~1',
  items: {
    count: ({ symbols }) => symbols.length,
    keep: (result, count) => ({ ...result, symbols: result.symbols.slice(0, count) }),
  },

  async run({ files, since, depth, limit }, context) {
    const ends = context.remaining() * reserve
    const mayAsk = () => context.remaining() > ends
    const declarations = new DeclarationsByFile(context, mayAsk)
    const change = await changeSet({ files, since }, context)
    const sources = change.touched
      .filter(({ status }) => status !== 'deleted')
      .map(({ file }) => context.workspace.read(file))
    const found = await changedSymbols(change.touched, declarations, context)
    const symbols = chosen(found.symbols, limit)
    if (symbols.length < found.symbols.length) {
      context.doubt({
        verdict: 'partial',
        reason: `limit ${limit} leaves out ${found.symbols.length - limit} of the ${found.symbols.length} changed symbols`,
        hint: 'Raise limit, or name the files.',
      })
    }
    const walk = new UsageWalk(context, declarations, mayAsk)
    for (const symbol of symbols) if (symbol.left !== undefined) await walk.learn(symbol, symbol.left)
    // Of what is gone nothing can be asked any more.
    const present = symbols.filter(({ change, left }) => change !== 'removed' || left !== undefined)
    await walk.walk(present, depth)
    for (const reason of declarations.gaps) context.doubt({ verdict: 'partial', reason })
    // Lines are told of the texts as they were in the beginning.
    doubtChangedFiles(sources, context)
    const affected = symbols.map(symbol => affectedBy(symbol, walk, depth))
    return {
      depth,
      ...summed(affected, found),
      changed: changedFiles(change.touched, found),
      others: change.others.slice(0, mostOthers),
      others_total: change.others.length,
    }
  },

  render: radiusLines,
})

/** What is gone and still used comes first, then what changed, then what is new; each from the outside inwards. */
function chosen(symbols: readonly ChangedSymbol[], limit: number): ChangedSymbol[] {
  const rank = ({ change, left }: ChangedSymbol) => {
    if (change === 'removed') return left === undefined || left.length > 0 ? 0 : 3
    return change === 'modified' ? 1 : 2
  }
  const depthOf = ({ declaration }: ChangedSymbol) => {
    let depth = 0
    for (let above = declaration.parent; above !== undefined; above = above.parent) depth += 1
    return depth
  }
  return [...symbols]
    .sort((a, b) => rank(a) - rank(b) || depthOf(a) - depthOf(b) || byPlace(a, b))
    .slice(0, limit)
    .sort(byPlace)
}

/** All of it; what is shown of each symbol is bounded later. */
interface Reach {
  readonly changed: ChangedSymbol
  readonly references: number | undefined
  readonly users: readonly User[]
  readonly tests: readonly User[]
  readonly untested: boolean
}

function affectedBy(changed: ChangedSymbol, walk: UsageWalk, depth: number): Reach {
  const { change, declaration } = changed
  const { reached, isWhole } = walk.reach(changed, depth)
  const tests = reached.filter(({ use }) => isTestUse(use)).map(userOf)
  return {
    changed,
    // To what has no name, such as a callback, nobody can refer.
    references: declaration.isNamed ? walk.usesOf(changed)?.references : 0,
    users: reached
      .filter(({ use }) => !isTestUse(use))
      .map(userOf)
      .sort(byUse),
    tests: tests.sort(byUse),
    untested: change !== 'removed' && !declaration.isTest && isWhole && tests.length === 0,
  }
}

function shown({ changed, references, users, tests, untested }: Reach): Affected {
  const { declaration, file, change, text } = changed
  const { at, path, kind, name } = declaration
  return {
    symbol: path,
    kind,
    file,
    line: at.line,
    column: at.column,
    end_line: at.line,
    end_column: at.column + name.length,
    text,
    change,
    ...(references === undefined ? {} : { references }),
    users: users.slice(0, mostUsers),
    users_total: users.length,
    tests: tests.slice(0, mostUsers),
    tests_total: tests.length,
    untested,
  }
}

function isTestUse({ unit, file }: Reached['use']): boolean {
  return unit?.isTest ?? isTestFile(file)
}

function userOf({ use, distance }: Reached): User {
  return { file: use.file, symbol: use.unit?.path ?? '', line: use.places[0]?.line ?? 1, depth: distance }
}

function byUse(a: User, b: User): number {
  if (a.depth !== b.depth) return a.depth - b.depth
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1
}

function summed(
  affected: readonly Reach[],
  { outside }: ChangedSymbols,
): Pick<Radius, 'symbols' | 'files' | 'tests' | 'untested'> {
  const files = new Set(affected.flatMap(({ users, tests }) => [...users, ...tests].map(({ file }) => file)))
  const tests = new Map<string, Named>()
  const addTest = ({ file, symbol, line }: Named) => {
    const key = `${file}#${symbol}`
    if (!tests.has(key)) tests.set(key, { file, symbol, line })
  }
  for (const own of affected) for (const test of own.tests) addTest(test)
  // A test that was changed itself is one to run.
  for (const { changed } of affected) {
    if (changed.declaration.isTest && changed.change !== 'removed') addTest(nameAndLine(changed))
  }
  for (const [file, { now }] of outside) {
    const [line] = now
    if (line !== undefined && isTestFile(file)) addTest({ file, symbol: '', line })
  }
  return {
    symbols: affected.map(shown),
    files: [...files].sort().slice(0, mostListed),
    tests: [...tests.values()].sort(byLine).slice(0, mostListed),
    untested: affected.filter(({ untested }) => untested).map(({ changed }) => nameAndLine(changed)),
  }
}

type Named = Radius['untested'][number]

function nameAndLine({ file, declaration }: ChangedSymbol): Named {
  return { file, symbol: declaration.path, line: declaration.at.line }
}

function byLine(a: Named, b: Named): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1
}

function changedFiles(touched: readonly TouchedFile[], { outside }: ChangedSymbols): Radius['changed'] {
  return touched.map(({ file, status, before }) => {
    // Of a file that is new, and of tests, it is plain what the lines outside are.
    const lines = status === 'added' || isTestFile(file) ? undefined : outside.get(file)
    const notes = [
      ...(before === undefined ? [] : [`was ${before}`]),
      ...(lines === undefined || lines.now.length === 0
        ? []
        : [`changed outside of symbols: line ${lineSpans(lines.now)}`]),
      ...(lines === undefined || lines.before.length === 0
        ? []
        : [`taken out there: old line ${lineSpans(lines.before)}`]),
    ]
    return { file, change: status as string, ...(notes.length === 0 ? {} : { note: notes.join(', ') }) }
  })
}
