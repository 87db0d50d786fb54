// Whether a symbol may be called that. Most servers see to it and say so in their own words; for those that put in
// whatever they are given, what cannot be a name is refused here, and what may clash is pointed out.
import { BridgeError } from '../errors.js'
import { identifiersOn, occurrences, SourceText } from '../text/lines.js'
import type { EditPlan } from '../workspace/edit-plan.js'
import type { Connection } from '../workspace/workspace.js'

type Definition = Connection['session']['candidate']['definition']

/** Throws for what is no name; otherwise says what is doubtful about it. */
export function checkNewName(
  newName: string,
  symbol: string,
  { title, language, newNames }: Pick<Definition, 'title' | 'language' | 'newNames'>,
): string | undefined {
  if (newName.trim() === '' || /[\p{Cc}\u2028\u2029]/u.test(newName)) {
    throw noName('a new name cannot be empty or hold line ends and control characters')
  }
  if (newNames === undefined) return undefined
  const isMeant = !isIdentifier(symbol) || isIdentifier(newName.replace(/^#/, ''))
  if (!isMeant) throw noName(`${newName} is no name in ${language}, and ${title} does not check that`)
  if (newNames.reserved.includes(newName)) throw noName(`${newName} is a reserved word in ${language}`)
  if (!newNames.doubtful.includes(newName)) return undefined
  return `${newName} is a reserved word, possible for members alone; ${title} does not check that`
}

/** Where the new name stands already in the files that change: few servers look whether it is taken. */
export function occurrencesOfNewName(newName: string, plan: EditPlan): string | undefined {
  const places: string[] = []
  for (const { before } of plan.files) {
    if (before === undefined || !before.text.includes(newName)) continue
    const lines = new SourceText(before.text)
    for (let line = 1; line <= lines.lineCount && places.length <= mostPlaces; line += 1) {
      if (occurrences(lines.line(line) ?? '', newName).length > 0) places.push(`${before.file}:${line}`)
    }
  }
  if (places.length === 0) return undefined
  const more = places.length > mostPlaces ? ' and elsewhere' : ''
  return `${newName} already stands at ${places.slice(0, mostPlaces).join(', ')}${more}; the two may clash`
}

const mostPlaces = 3

function isIdentifier(text: string): boolean {
  const [first] = identifiersOn(text)
  return first?.name === text
}

function noName(message: string): BridgeError {
  return new BridgeError({ kind: 'InvalidArguments', message, hint: 'Give another new_name.' })
}
