// docs/truth.md: what `npm run truth` found, from the committed results.
import { share } from '../truth/report.js'
import type { EditsResult, StartsResult, Truth } from '../truth/results.js'
import { code, page, table } from './markdown.js'

export function truthPage({ starts, edits }: Truth): string {
  return page('Truth on real servers', [
    'From `test/real/truth.json`, which `npm run truth -- --write` and `npm run truth -- edits --write` keep.',
    '## The first answer after a cold start',
    'The first question (all references to a widely used symbol) comes at a random moment within 5 s of the start. **Not whole** counts the answers that were called complete and lacked a place that the server finds when it is left alone. The ratio is the time from the start to the first complete answer, divided by that of the same server asked directly over and over until its answer is whole, which only who knows the answer can do; both are asked from the same moment on. Medians, on a machine with other work.',
    table(
      ['Server', 'Real code', 'Symbol', 'Starts', 'Complete', 'Partial', 'Unknown', 'Not whole', 'Ratio'],
      Object.entries(starts).map(([id, result]) => startsRow(id, result)),
    ),
    '## Diagnostics after an edit',
    'Random edits break and mend files of the real code: undeclared names, wrong types and calls, missing imports, errors of syntax, declarations that another file uses, files that come and go, and lines that mean nothing. They are written the ways programs write, previewed first, or made by applying a rename; some while a question is under way. What is true is known from the edit, and every twentieth time the same engine is run in batch. A **violation** is a broken file called clean, an error that is gone or never was, one told of another line, or one blamed on an edit that did not make it.',
    table(
      ['Server', 'Real code', 'Edits', 'Reports', 'Unknown', 'In batch', 'Violations'],
      Object.entries(edits).map(([id, result]) => editsRow(id, result)),
    ),
  ])
}

function startsRow(id: string, result: StartsResult): string[] {
  const { version, workspace, symbol, steady, starts, complete, partial, unknown, lies, ratio } = result
  return [
    `${code(id)} ${version}`,
    workspace,
    `${code(symbol)}, ${steady} places`,
    String(starts),
    share(complete, starts),
    share(partial, starts),
    share(unknown, starts),
    String(lies),
    ratio === undefined ? '' : `${ratio}x`,
  ]
}

function editsRow(id: string, result: EditsResult): string[] {
  const { version, workspace, edits, reports, unknown, confirmed, confirmed_by, violations } = result
  return [
    `${code(id)} ${version}`,
    workspace,
    String(edits),
    String(reports),
    share(unknown, reports),
    confirmed_by === undefined ? '' : `${confirmed} times, ${code(confirmed_by)}`,
    String(violations),
  ]
}
