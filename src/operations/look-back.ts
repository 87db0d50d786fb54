// Shows a server the texts that files had before a change, alone and in memory, and asks what was wrong with them and who
// depended on them. The disk has only the present; this is where the past comes from when nobody recorded it.
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import { type ChangedFile, type ChangedText, spansBefore } from './changed-files.js'
import { type DeclaredName, keyOf, type Outline } from './dependents.js'
import { Examiner } from './examine.js'
import type { ContextOf } from './operation.js'
import type { PastGroup } from './past.js'
import { keepRecording } from './recordings.js'
import { type Bench, examineTouched, showStep, unseenInTrial, withinTrial } from './trial-bench.js'

type Context = ContextOf['workspace']

/** Part of the time that is left; the rest is for the present. */
const share = 0.55

/** `also`: files that depend on what the change added, and are looked at besides. */
export async function lookBack(
  files: readonly ChangedText[],
  connection: Connection,
  context: Context,
  also: readonly SourceFile[] = [],
): Promise<PastGroup> {
  const reserved = context.remaining() * (1 - share)
  const limited = { ...context, remaining: () => Math.max(context.remaining() - reserved, 0) }
  const reversed = files.map(changed => turnedRound(changed, context))
  const onDisk = reversed.flatMap(({ source }) => source ?? [])
  // While it indexes, others may still ask; only the old texts are nobody else's business.
  await context.during(connection, () => new Examiner(connection, limited).prepare(onDisk))
  const look = () => lookAlone({ files, reversed, onDisk, also }, connection, withinTrial(limited))
  return context.during(connection, look, 'alone')
}

interface Looked {
  readonly files: readonly ChangedText[]
  readonly reversed: readonly ChangedFile[]
  readonly onDisk: readonly SourceFile[]
  readonly also: readonly SourceFile[]
}

async function lookAlone(
  { files, reversed, onDisk, also }: Looked,
  connection: Connection,
  context: Context,
): Promise<PastGroup> {
  const examiner = new Examiner(connection, context)
  const { workspace } = context
  // It was waited for before, while others could still ask.
  await examiner.prepare(onDisk, 0)
  const { revision } = workspace
  const known = new Set(files.map(({ absolute }) => absolute))
  const languageIdOf = (file: string) => workspace.routes.forFile(file).languageId
  return connection.view.trying(async trial => {
    const bench: Bench = { files: reversed, examiner, connection, trial, languageIdOf, displayed: new Map() }
    const shown = await showStep(bench, 0)
    const findings = new Map(await examineTouched(bench, shown, 0))
    const outlines = new Map<string, Outline>()
    const names: DeclaredName[] = []
    const displayed = new Map([...shown].map(([{ file }, document]) => [file, document]))
    for (const changed of files) {
      const document = displayed.get(changed.file)
      const outline = document === undefined ? undefined : await examiner.outline(document)
      if (outline === undefined) continue
      outlines.set(changed.file, outline)
      names.push(...examiner.namesIn(outline, spansBefore(changed)))
    }
    const referrers = await examiner.referrers(names)
    const late = also.filter(({ absolute }) => !known.has(absolute))
    const referring = examiner.dependentsIn(
      referrers.values(),
      new Set([...known, ...late.map(({ absolute }) => absolute)]),
    )
    const found = await examiner.diagnoseDependents([...late, ...referring])
    for (const [file, examined] of found) findings.set(file, examined)
    const dependents = [...late, ...referring].filter(({ relative }) => findings.has(relative))
    const gaps = [...examiner.gaps, ...unfound(reversed, connection)]
    if (revision !== undefined && names.every(name => referrers.has(keyOf(name)))) {
      const texts = new Map(files.map(({ file, source }) => [file, source?.text]))
      keepRecording(connection, { revision, texts, outlines, referrers, findings, gaps })
    }
    return { files, findings, names, dependents, gaps }
  })
}

/** As somebody who tries an edit sees it: what is on the disk, and what it is to become. */
function turnedRound(
  { file, absolute, source, texts, baseless }: ChangedText,
  context: Context,
): ChangedFile {
  const present = texts.at(-1) === undefined ? undefined : context.workspace.read(absolute)
  const before = baseless === undefined ? source?.text.text : present?.text.text
  return { file, absolute, source: present, texts: [before] }
}

/** Where a server looks for files on the disk alone, nobody seems to have imported one that is gone. */
function unfound(files: readonly ChangedFile[], connection: Connection): string[] {
  const gone = files.filter(({ source, texts }) => source === undefined && texts[0] !== undefined)
  const unseen = unseenInTrial(gone, connection)
  if (unseen === undefined) return []
  const { title, reason } = unseen
  return unseen.files.map(
    ({ file }) => `${file} is gone, and ${title} cannot be shown who used it: ${reason}`,
  )
}
