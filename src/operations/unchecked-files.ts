// The changed files that no server is asked about: which of them may hide an error, and whose mind they may change.
import { basename } from 'node:path'
import { asBridgeError } from '../errors.js'
import type { ChangedText } from './changed-files.js'
import { isHarmless } from './harmless-files.js'
import type { MeasuredChange } from './measured-change.js'
import type { ContextOf } from './operation.js'

type Context = ContextOf['workspace']

export interface UncheckedFile {
  readonly file: string
  readonly reason: string
}

/** The files a server can be asked about, and those nobody speaks for. */
export function byLanguage(
  { files, textless }: MeasuredChange,
  context: Context,
): { readonly known: readonly ChangedText[]; readonly unknown: readonly UncheckedFile[] } {
  const unknown: UncheckedFile[] = [...textless]
  const known = files.filter(({ file }) => {
    const reason = unspokenFor(file, context)
    if (reason !== undefined) unknown.push({ file, reason })
    return reason === undefined
  })
  return { known, unknown }
}

function unspokenFor(file: string, { workspace }: Context): string | undefined {
  const { routes } = workspace
  try {
    const { language } = routes.forFile(file)
    // Data is in every project, and few have a server for it: without one it is like any other text.
    if (routes.declaresSymbols(language) || !isHarmless(file)) return undefined
    const missing = workspace.missingServer(file)
    return missing === undefined ? undefined : `no server for ${missing.language} is installed`
  } catch (thrown) {
    return asBridgeError(thrown).message
  }
}

export function tellUnchecked(unknown: readonly UncheckedFile[], { doubt }: Context): void {
  const [first, ...others] = unknown.filter(({ file }) => !isHarmless(file))
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  doubt({ verdict: 'partial', reason: `${first.file}${more} was not checked: ${first.reason}` })
}

/** What a server reads besides the sources of its own language may change its mind about any of them. */
export async function projectFileGaps(
  files: readonly { readonly file: string }[],
  { workspace }: Context,
): Promise<string[]> {
  if (files.length === 0) return []
  const { routes } = workspace
  const languages = (await workspace.census()).map(({ language }) => language)
  return files.flatMap(({ file }) => {
    const own = routes.languageOf(file)
    const reader = routes.readerOf(
      basename(file),
      languages.filter(language => language !== own),
    )
    return reader === undefined
      ? []
      : [`${file} is read by ${reader}, and what its change does to other files was not looked at`]
  })
}
