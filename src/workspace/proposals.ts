// Keeps plans under handles, so that what is applied later is exactly what was shown. They are also kept on disk,
// because every command of the command line is a process of its own; what is read back has to prove itself by its
// handle, which is made from all of its content.
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { Events } from '../events.js'
import { staleProposal } from './apply-errors.js'
import { refuseProtected } from './draft-files.js'
import type { EditPlan, PlannedBefore } from './edit-plan.js'
import { HandleFolder } from './handle-folder.js'
import { quoted } from './path-errors.js'
import type { PathGate } from './path-gate.js'
import type { SourceCache, SourceFile } from './source-file.js'
import {
  handleOf,
  handlePrefix,
  parseStored,
  type StoredBefore,
  type StoredPlan,
  shortHash,
  toStored,
} from './stored-plan.js'

export interface ProposalsOptions {
  readonly gate: PathGate
  readonly cache: SourceCache
  /** The user's state folder; undefined keeps everything in memory. */
  readonly stateFolder: string | undefined
  readonly events: Events
  readonly clock?: Clock
}

export class Proposals {
  readonly #options: ProposalsOptions
  readonly #folder: HandleFolder | undefined
  readonly #kept: LRUCache<string, EditPlan>

  constructor(options: ProposalsOptions) {
    this.#options = options
    const { gate, stateFolder, clock = systemClock } = options
    this.#folder =
      stateFolder === undefined
        ? undefined
        : new HandleFolder({
            path: join(stateFolder, 'proposals', shortHash(gate.root, 16)),
            what: 'proposals',
            clock,
            mostFiles: mostProposals,
            keptMilliseconds: keptDays * 24 * 60 * 60 * 1000,
            log: message => this.#log(message),
          })
    this.#kept = new LRUCache({ max: mostProposals, maxSize: mostCharacters, sizeCalculation: sizeOf })
  }

  /** Equal plans have equal handles. */
  add(plan: EditPlan): string {
    const stored = toStored(plan, this.#options.gate.root)
    const handle = handleOf(stored)
    this.#kept.set(handle, plan)
    this.#folder?.write(nameOf(handle), JSON.stringify(stored))
    return handle
  }

  /** As it was proposed, and only while every file it touches is as it was then. */
  get(handle: string): EditPlan {
    refuseOtherKinds(handle)
    const kept = this.#kept.get(handle)
    const stored = kept === undefined ? this.#read(handle) : toStored(kept, this.#options.gate.root)
    if (stored === undefined) throw unknownHandle(handle)
    const plan = this.#toPlan(stored)
    this.#kept.set(handle, plan)
    return plan
  }

  #toPlan({ files, folders, excluded }: StoredPlan): EditPlan {
    const planned = files.map(({ file, before, after, edits }) => ({
      file,
      before: before && this.#present(before),
      after,
      edits,
    }))
    return { files: planned, folders, excluded }
  }

  #present({ file, content, bom, isBinary }: StoredBefore): PlannedBefore {
    if (isBinary) return { file, content, text: '', bom, isBinary }
    const source = this.#sourceOf(file)
    if (source?.content !== content) throw staleProposal(file)
    return { file, content, text: source.text.text, bom }
  }

  #sourceOf(file: string): SourceFile | undefined {
    try {
      return this.#options.cache.get(file)
    } catch {
      // Gone, or no longer to be read: another content in any case.
      return undefined
    }
  }

  #read(handle: string): StoredPlan | undefined {
    const text = this.#folder?.read(nameOf(handle))
    if (text === undefined) return undefined
    const stored = parseStored(text)
    if (stored !== undefined && handleOf(stored) === handle && this.#isOurs(stored)) return stored
    this.#log(`the proposal ${handle} on disk is damaged and was not used`)
    return undefined
  }

  /** Every path has to be the one that a plan would have made of it. */
  #isOurs({ root, files, folders }: StoredPlan): boolean {
    const { gate } = this.#options
    const paths = [...files.flatMap(({ file, before }) => [file, before?.file ?? file]), ...folders]
    try {
      for (const path of paths) {
        refuseProtected(path)
        if (path === '.' || gate.locate(path).relative !== path) return false
      }
    } catch {
      return false
    }
    return root === gate.root
  }

  #log(message: string): void {
    this.#options.events.emit({ type: 'bridge.logged', level: 'warning', message })
  }
}

const mostProposals = 100
const keptDays = 7
const mostCharacters = 256 * 1024 * 1024

function sizeOf({ files }: EditPlan): number {
  return files.reduce((sum, { before, after }) => sum + (before?.text.length ?? 0) + (after?.length ?? 0), 1)
}

function nameOf(handle: string): string {
  return handle.slice(handlePrefix.length)
}

function refuseOtherKinds(handle: string): void {
  if (/^p:[0-9a-f]{12}$/.test(handle)) return
  const shown = quoted(handle)
  const others: Readonly<Record<string, string>> = {
    's:': 'a symbol: give it to an operation on symbols, such as find_references or rename_symbol',
    'c:': 'a change: give it to check_change',
  }
  const other = others[handle.slice(0, 2)]
  throw new BridgeError({
    kind: 'InvalidArguments',
    message:
      other === undefined ? `${shown} is not the handle of a proposal` : `${shown} is the handle of ${other}`,
    hint: 'The handle of a proposal begins with "p:" and comes from rename_symbol, suggest_fixes or format_document.',
  })
}

function unknownHandle(handle: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `there is no proposal ${quoted(handle)} in this workspace`,
    hint: `Proposals are kept for ${keptDays} days, the last ${mostProposals} of a workspace: make it again (rename_symbol, suggest_fixes or format_document) and use the handle from that answer.`,
  })
}
