// Chooses what is done to the files next: something breaks, something is mended, or nothing changes for a compiler. The
// choices depend on the seed and on what was chosen before, never on an answer, so a run can be repeated.
import type { BondState, Check, Dialect, Fault } from './dialect.js'
import type { Field } from './field.js'
import type { BrokenName, Ground } from './ground.js'
import type { Random } from './random.js'

/** One edit. The ground has taken it in already; the disk has not. */
export interface Change {
  readonly title: string
  /** Files whose text is another now. */
  readonly files: readonly string[]
  /** A file that is not there before or after. */
  readonly made?: { readonly file: string; readonly text: string | undefined }
  /** Who may see it: asked about first. */
  readonly affected: readonly string[]
  /** Instead of writing it: the bond whose name a rename changes. */
  readonly rename?: Renaming
}

export interface KnownName {
  readonly file: string
  readonly line: number
  readonly name: string
  /** `file:line:column`, sorted. */
  readonly places: readonly string[]
}

export interface Renaming {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly newName: string
}

export interface PlanOptions {
  readonly ground: Ground
  readonly dialect: Dialect
  readonly field: Field
  readonly checks: ReadonlySet<Check>
  readonly random: Random
}

interface LiveBond {
  readonly number: number
  readonly from: string
  readonly to: string
  readonly fromSpot: number
  readonly toSpot: number
  state: BondState
  /** What it is called after renames. */
  name: string
}

interface LiveMade {
  readonly number: number
  readonly using: string
  readonly file: string
  readonly spot: number
  state: BondState
}

interface LiveFault {
  readonly number: number
  readonly file: string
  readonly isSyntax: boolean
  readonly isNeutral: boolean
}

const mostFaults = 5
const mostBonds = 4
const mostMade = 2
const mostNeutral = 6
/** While it lasts, extra errors are not judged; so it does not last. */
const longestBroken = 3

export class Plan {
  readonly #options: PlanOptions
  readonly #faults: LiveFault[] = []
  readonly #bonds: LiveBond[] = []
  readonly #made: LiveMade[] = []
  #number = 0
  #brokenSince = 0

  constructor(options: PlanOptions) {
    this.#options = options
  }

  next(): Change {
    const { random, ground } = this.#options
    this.#number += 1
    if (ground.brokenName !== undefined) {
      this.#brokenSince += 1
      if (this.#brokenSince > longestBroken || random.chance(0.4)) return this.#mendName(ground.brokenName)
    }
    const syntax = this.#faults.find(({ isSyntax }) => isSyntax)
    if (syntax !== undefined && random.chance(0.35)) return this.#mend(syntax)
    const drawn = random.next()
    const change =
      (drawn < 0.34 && this.#fault(false)) ||
      (drawn < 0.54 && this.#bond()) ||
      (drawn < 0.68 && this.#madeFile()) ||
      (drawn < 0.8 && this.#fault(true)) ||
      (drawn < 0.88 && this.#breakName()) ||
      (drawn < 0.94 && this.#rename())
    return change || this.#fault(true)
  }

  /** A name that is declared, and every place it stands at; nothing when there is none. */
  knownName(): KnownName | undefined {
    const { random, ground } = this.#options
    const declared = this.#bonds.filter(({ state }) => state !== 'absent')
    if (declared.length === 0 || !ground.isPlain || ground.hasHidden) return undefined
    const { from, to, name, number } = random.pick(declared)
    const places = [from, to].flatMap(file => placesOf(name, file, ground.textOf(file)))
    return { file: from, line: ground.lineOf(from, number), name, places }
  }

  #fault(isNeutral: boolean): Change {
    const { random } = this.#options
    const live = this.#faults.filter(fault => fault.isNeutral === isNeutral)
    const most = isNeutral ? mostNeutral : mostFaults
    if (live.length >= most || (live.length > 0 && random.chance(0.5))) {
      return this.#mend(random.pick(live))
    }
    return isNeutral ? this.#comment() : this.#break()
  }

  #mend(gone: LiveFault): Change {
    const { file, number, isNeutral } = gone
    this.#faults.splice(this.#faults.indexOf(gone), 1)
    this.#options.ground.remove(file, number)
    const title = `${isNeutral ? 'take back comment' : 'mend'} ${number} in ${file}`
    return { title, files: [file], affected: [file] }
  }

  #comment(): Change {
    const { random, ground, dialect } = this.#options
    const file = random.pick(ground.files)
    const lines = random.chance(0.5) ? [dialect.comment(this.#number)] : ['', '']
    const number = this.#number
    ground.plant({ number, file, spot: this.#spot(file), lines, errors: [], isSyntax: false })
    this.#faults.push({ number, file, isSyntax: false, isNeutral: true })
    return { title: `comment ${number} in ${file}`, files: [file], affected: [file] }
  }

  #break(): Change {
    const { random, ground, dialect, checks } = this.#options
    const hasSyntax = this.#faults.some(({ isSyntax }) => isSyntax)
    const faults = dialect.faults.filter(
      ({ check }) => checks.has(check) && !(hasSyntax && check === 'syntax'),
    )
    const fault: Fault = random.pick(faults)
    const file = random.pick(ground.files.filter(dialect.breaks))
    const number = this.#number
    const spot = this.#spotFor(fault, file)
    const isSyntax = fault.check === 'syntax'
    ground.plant({ number, file, spot, lines: fault.lines(number), errors: fault.errors(number), isSyntax })
    this.#faults.push({ number, file, isSyntax, isNeutral: false })
    return { title: `break ${number} (${fault.check}) in ${file}`, files: [file], affected: [file] }
  }

  #bond(): Change | undefined {
    const { random, dialect, checks } = this.#options
    const { bond } = dialect
    if (!checks.has('types') || !checks.has('imports')) {
      if (!(checks.has('types') && !bond.states.includes('absent'))) return undefined
    }
    if (this.#bonds.length < mostBonds) return this.#newBond()
    const live = random.pick(this.#bonds)
    live.state = random.pick(bond.states.filter(state => state !== live.state))
    this.#plantBond(live)
    const title = `bond ${live.number}: ${live.name} of ${live.from}, used in ${live.to}, is now ${live.state}`
    return { title, files: [live.from], affected: [live.to, live.from] }
  }

  #newBond(): Change | undefined {
    const { random, ground, dialect } = this.#options
    const source = (file: string) => ({ file, lines: ground.originalOf(file) })
    const pairs = ground.files.flatMap(from =>
      ground.files
        .filter(to => to !== from && dialect.breaks(to) && dialect.bond.fits(source(from), source(to)))
        .map(to => ({ from, to })),
    )
    if (pairs.length === 0) return undefined
    const { from, to } = random.pick(pairs)
    const number = this.#number
    const spots = { fromSpot: this.#spot(from), toSpot: this.#spot(to) }
    const live: LiveBond = { number, from, to, ...spots, state: 'good', name: dialect.bond.name(number) }
    this.#bonds.push(live)
    this.#plantBond(live)
    return { title: `bond ${number}: ${to} uses ${from}`, files: [from, to], affected: [to, from] }
  }

  #plantBond({ number, from, to, fromSpot, toSpot, state, name }: LiveBond): void {
    const { ground, dialect } = this.#options
    const { bond } = dialect
    const renamed = (lines: readonly string[]) => lines.map(line => line.replaceAll(bond.name(number), name))
    const declared = renamed(bond.declared(number, state))
    ground.plant({ number, file: from, spot: fromSpot, lines: declared, errors: [], isSyntax: false })
    const errors = bond.errors(number, state).map(error => {
      const mentions = error.mentions?.replaceAll(bond.name(number), name)
      return mentions === undefined ? error : { ...error, mentions }
    })
    ground.plant({
      number,
      file: to,
      spot: toSpot,
      lines: renamed(bond.use(number, from, to)),
      errors,
      isSyntax: false,
    })
  }

  #madeFile(): Change | undefined {
    const { random, ground, dialect, checks } = this.#options
    const { made } = dialect
    if (made === undefined || !checks.has('types') || !checks.has('imports')) return undefined
    const number = this.#number
    if (this.#made.length < mostMade) {
      const using = random.pick(ground.files.filter(dialect.breaks))
      const live: LiveMade = {
        number,
        using,
        file: made.file(number, using),
        spot: this.#spot(using),
        state: 'absent',
      }
      this.#made.push(live)
      return { ...this.#plantMade(live), title: `${using} wants ${live.file}`, files: [using] }
    }
    const live = random.pick(this.#made)
    const states: readonly BondState[] = ['good', 'wrong', 'absent']
    live.state = random.pick(states.filter(state => state !== live.state))
    return { ...this.#plantMade(live), title: `${live.file} is now ${live.state}`, files: [] }
  }

  #plantMade({ number, using, file, spot, state }: LiveMade): Pick<Change, 'made' | 'affected'> {
    const { ground, dialect } = this.#options
    const { made } = dialect
    if (made === undefined) throw new TypeError('this language makes no files')
    const lines = made.use(number, using)
    ground.plant({ number, file: using, spot, lines, errors: made.errors(number, state), isSyntax: false })
    const text = state === 'absent' ? undefined : made.text(number, state)
    return { made: { file, text }, affected: [using] }
  }

  #breakName(): Change | undefined {
    const { random, ground, field, checks } = this.#options
    if (field.imports.length === 0 || ground.brokenName !== undefined || !checks.has('imports'))
      return undefined
    const { name, from, line, declaration, using } = random.pick(field.imports)
    ground.breakName({ number: this.#number, file: from, declaration, name, using, line })
    this.#brokenSince = 0
    const title = `rename ${name} in ${from} alone, which ${using} imports`
    return { title, files: [from], affected: [using] }
  }

  #mendName({ file, name, using }: BrokenName): Change {
    this.#options.ground.breakName(undefined)
    return { title: `give ${name} in ${file} its name back`, files: [file], affected: [using, file] }
  }

  #rename(): Change | undefined {
    const { random, ground } = this.#options
    const good = this.#bonds.filter(({ state }) => state === 'good')
    if (good.length === 0 || !ground.isPlain) return undefined
    const live = random.pick(good)
    const { from: file, to, name, number } = live
    const newName = `${this.#options.dialect.bond.name(number)}r${this.#number}`
    const line = ground.lineOf(file, number)
    live.name = newName
    this.#plantBond(live)
    return {
      title: `rename_symbol ${name} of ${file} to ${newName}, and apply_edit`,
      files: [file, to],
      affected: [to, file],
      rename: { file, line, name, newName },
    }
  }

  #spot(file: string): number {
    const { random, ground, dialect } = this.#options
    const lines = ground.originalOf(file)
    const spots = dialect.spots(lines)
    // The last element is what follows the last line feed. A header ends with its guard, so nothing goes there.
    return random.pick(dialect.breaks(file) ? [...spots, lines.length - 1] : spots)
  }

  #spotFor({ at }: Fault, file: string): number {
    if (at === 'head') return this.#head(file)
    return at === 'end' ? this.#options.ground.originalOf(file).length - 1 : this.#spot(file)
  }

  /** After the line that names the package. */
  #head(file: string): number {
    return this.#options.ground.originalOf(file).findLastIndex(line => /^package \w+$/.test(line)) + 1
  }
}

function placesOf(name: string, file: string, text: string): string[] {
  const word = new RegExp(`\\b${name}\\b`, 'g')
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(word)].map(({ index: at }) => `${file}:${index + 1}:${at + 1}`),
    )
}
