// Folders below the root that somebody wants taken for workspaces of their own, such as a nested package the marker rule
// does not pick. The protocol has a message for it, and the servers that take it are the better for it (measured): Pyright
// reads the folder's own configuration and rust-analyzer its crate, and both still answer for the whole root with it, which
// a second server beside them would not. So whoever takes the message is told and goes on answering for the files below. A
// server that does not, and whose definition says that it finds the projects below its root by itself, needs nothing.
// What is left, one that is bound to the root its markers choose, gets a second process with the folder as its root.

import { sep } from 'node:path'
import type { Wait } from '../clock.js'
import type { RootFacts, RootRule } from '../servers/definition.js'
import type { ServerInstance } from '../supervisor/instance.js'
import { rootFor } from '../supervisor/roots.js'
import type { Session } from '../supervisor/session.js'
import { uriToPath } from '../text/uri.js'
import type { SessionView } from './session-view.js'

type AnnouncePort = Pick<SessionView, 'session' | 'turns'>

/** Indexing begins within this time where the folder holds anything for the server. */
const graceMilliseconds = 3000

export class AddedFolders {
  readonly #folders = new Set<string>()
  /** Servers that run only because of such a folder. */
  readonly #own = new Set<ServerInstance>()

  all(): readonly string[] {
    return [...this.#folders].sort()
  }

  /** False when it was there. */
  add(folder: string): boolean {
    if (this.#folders.has(folder)) return false
    this.#folders.add(folder)
    return true
  }

  /** The servers that were there for its sake; undefined when it was never added. */
  remove(folder: string): readonly ServerInstance[] | undefined {
    if (!this.#folders.delete(folder)) return undefined
    const gone = [...this.#own].filter(({ root }) => root === folder || isBelow(root, folder))
    for (const instance of gone) this.#own.delete(instance)
    return gone
  }

  /**
   * Tells a server of every folder below its root that it does not know yet. Not while somebody tries a text on it: whoever
   * added the folder waits for a turn to tell, and whoever tries may be the very caller, who would wait for himself.
   */
  async announce(
    { session, turns }: AnnouncePort,
    display: (path: string) => string,
    wait: Wait,
  ): Promise<void> {
    const { folders, readiness } = session.client
    if (turns.isAlone || this.#due(session).length === 0 || !folders.takesChanges) return
    // Told while it loads the root, Pyright gives its signal twice, and the first would be taken for both.
    await readiness.settle({ signal: wait.signal, milliseconds: wait.milliseconds / 2 })
    // Since then a trial may have begun, or somebody else has told it.
    const due = turns.isAlone ? [] : this.#due(session)
    if (due.length === 0) return
    for (const folder of due) folders.add(folder, display(folder))
    disturb(session, 'it is taking in another folder')
  }

  #due({ root, client }: Session): readonly string[] {
    return this.all().filter(folder => isBelow(folder, root) && !client.folders.has(folder))
  }

  /** Tells a server that the folder is none any more. */
  withdraw(session: Session, folder: string): void {
    const { documents, folders } = session.client
    if (!folders.remove(folder)) return
    disturb(session, 'it is letting a folder go')
    // gopls knows nothing any more of a file that was open in a folder it let go, until it is opened again.
    for (const { uri } of documents.all()) if (isBelow(uriToPath(uri) ?? '', folder)) documents.close(uri)
  }

  /** Where a server of its own has to be asked about this file, if one has to. */
  rootOf(file: string, rule: RootRule, session: Session, exists: RootFacts['exists']): string | undefined {
    if (rule.kind === 'workspace') return undefined
    const around = this.all().filter(folder => isBelow(file, folder) && isBelow(folder, session.root))
    const [deepest] = around.sort((a, b) => b.length - a.length)
    if (deepest === undefined || session.client.folders.takesChanges) return undefined
    return rootFor(file, deepest, rule, exists)
  }

  /** This server runs for the sake of such a folder. */
  claim(instance: ServerInstance): void {
    this.#own.add(instance)
  }
}

/** A server that answers only when its answer is complete gives no signal of being so. */
function disturb({ client, candidate }: Session, reason: string): void {
  if (candidate.definition.readiness.kind !== 'blocks') client.readiness.disturbed(reason, graceMilliseconds)
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
