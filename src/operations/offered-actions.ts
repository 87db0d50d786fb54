// The code actions a server offers for a part of a file: asked for the part as a whole and for every finding in it, sorted
// by how likely they are wanted, and completed where the server sends only a stub at first.
import { CodeActionTriggerKind } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import { property } from '../json.js'
import { codeActionResolve, codeActions } from '../lsp/code-action-requests.js'
import { parseCodeAction, parseCodeActions, type ServerCodeAction } from '../lsp/edit-results.js'
import type { ServerRange } from '../lsp/parse.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import type { FileContext } from './operation.js'
import { resolveSome } from './resolve-some.js'
import { type Selection, sameRange, touches } from './selection.js'

export interface ActionsWanted {
  readonly selection: Selection
  readonly findings: readonly ServerDiagnostic[]
  /** Kinds, each with all that is below it. */
  readonly only: readonly string[] | undefined
}

/** Findings whose own range is asked about; a file may have hundreds. */
const mostQuestions = 20
const resolveMilliseconds = 10_000

/** What is wanted of a whole file, besides the fixes of its findings; its refactorings would be of no one place. */
const wholeFileKinds = ['quickfix', 'source']

export async function offeredActions(
  wanted: ActionsWanted,
  context: FileContext,
): Promise<ServerCodeAction[]> {
  const { selection, findings, only } = wanted
  const forAll = await ask(selection.range, only ?? (selection.isWhole ? wholeFileKinds : undefined))
  const ranges = wantsFixes(only) ? ownRanges(wanted) : []
  // Asked about a whole file, gopls offers fixes that it then cannot work out, and rust-analyzer few at all: both go by
  // the exact range of the finding.
  const { results, gap } = await resolveSome({
    items: ranges,
    most: mostQuestions,
    resolve: range => ask(range, only ?? ['quickfix']),
  })
  if (gap !== undefined) {
    context.doubt({
      verdict: 'partial',
      reason: `fixes of single findings were not asked for: ${gap}`,
      hint: 'Give a line to ask about it alone.',
    })
  }
  const offered = [...results.flatMap(actions => actions ?? []), ...forAll]
  const wantedOnes = offered.filter(action => isOfKind(action.kind, only) && isWorthTelling(action, only))
  return distinct(wantedOnes).sort((a, b) => rank(a) - rank(b))

  async function ask(range: ServerRange, kinds: readonly string[] | undefined): Promise<ServerCodeAction[]> {
    const answer = await context.server.request(codeActions, {
      textDocument: { uri: context.document.uri },
      range,
      context: {
        diagnostics: findings.filter(found => touches(found.range, range)).map(found => found.raw),
        triggerKind: CodeActionTriggerKind.Invoked,
        ...(kinds === undefined ? {} : { only: kinds }),
      },
    })
    return [...parseCodeActions(answer)]
  }
}

export interface CompletedAction {
  readonly action: ServerCodeAction
  /** Why it could not be completed. */
  readonly failure?: string
}

/** Each with its edit, as far as the server tells one; a failure costs one action, not the answer. */
export async function completed(
  actions: readonly ServerCodeAction[],
  { server, signal, remaining }: FileContext,
): Promise<readonly CompletedAction[]> {
  const { client } = server
  const milliseconds = Math.min(resolveMilliseconds, remaining() / 2)
  const { results } = await resolveSome({
    items: actions,
    most: actions.length,
    resolve: async (action): Promise<CompletedAction> => {
      if (!isStub(action) || !client.supports(codeActionResolve)) return { action }
      try {
        const answer = await client.request(codeActionResolve, action.raw, { signal, milliseconds })
        return { action: parseCodeAction(answer) }
      } catch (thrown) {
        return { action, failure: asBridgeError(thrown).message }
      }
    },
  })
  return results.filter(result => result !== undefined)
}

/** With a command and nothing to remember it by, resolving would only bring the same action again. */
function isStub({ edit, command, disabledReason, raw }: ServerCodeAction): boolean {
  if (edit !== undefined || disabledReason !== undefined) return false
  return command === undefined || property(raw, 'data') !== undefined
}

/** The worst findings first, each range once; the part as a whole has been asked about already. */
function ownRanges({ selection, findings }: ActionsWanted): ServerRange[] {
  const ranges: ServerRange[] = []
  for (const { range } of [...findings].sort((a, b) => a.severity - b.severity)) {
    if (![selection.range, ...ranges].some(known => sameRange(known, range))) ranges.push(range)
  }
  return ranges
}

function wantsFixes(only: readonly string[] | undefined): boolean {
  return only === undefined || only.some(kind => kind === '' || /^quickfix(\.|$)/.test(kind))
}

/** Some servers send more than they were asked for. */
function isOfKind(kind: string | undefined, only: readonly string[] | undefined): boolean {
  if (only === undefined) return true
  return only.some(wanted => wanted === '' || kind === wanted || (kind ?? '').startsWith(`${wanted}.`))
}

/** typescript-language-server sends a dozen refactorings with the reason why not; that is told to whoever asks for such. */
function isWorthTelling(
  { kind, disabledReason }: ServerCodeAction,
  only: readonly string[] | undefined,
): boolean {
  return disabledReason === undefined || only !== undefined || !(kind ?? '').startsWith('refactor')
}

function distinct(actions: readonly ServerCodeAction[]): ServerCodeAction[] {
  const known = new Map<string, ServerCodeAction>()
  for (const action of actions) {
    const { title, kind, edit, command, raw } = action
    const key = JSON.stringify([title, kind, edit, command, property(raw, 'data')])
    const other = known.get(key)
    // Asked about one finding alone, a server says more often that a fix is the one to take.
    if (other === undefined || (action.isPreferred && !other.isPreferred)) known.set(key, action)
  }
  return [...known.values()]
}

/** Fixes before clean-ups before refactorings; what only a command can do, and what is not possible now, at the end. */
function rank(action: ServerCodeAction): number {
  const { kind = '', isPreferred, disabledReason, edit } = action
  if (disabledReason !== undefined) return 6
  if (edit === undefined && !isStub(action)) return 5
  if (isPreferred) return 0
  if (kind.startsWith('quickfix')) return 1
  if (kind.startsWith('source')) return 2
  return kind.startsWith('refactor') ? 3 : 4
}
