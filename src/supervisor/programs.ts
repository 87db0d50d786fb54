// Where programs lie on PATH, remembered for the life of the process: for presets that look once, at the start, and
// again only when the operator asks for it.
import type { ServerDefinition } from '../servers/definition.js'
import { type LookUp, programsOnPath } from './discovery.js'

export class Programs {
  readonly #found = new Map<string, readonly string[]>()

  /** What was found stays found; what was not is looked for again, because somebody may have installed it. */
  readonly lookUp: LookUp = (command, path) => {
    const key = `${command}\0${path ?? ''}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const found = programsOnPath(command, path)
    if (found.length > 0) this.#found.set(key, found)
    return found
  }

  /** One line for each that is not there, with the way to install it. */
  missing(definitions: readonly ServerDefinition[], path: string | undefined): string[] {
    return definitions
      .filter(({ command }) => this.lookUp(command, path).length === 0)
      .map(
        ({ command, language, install }) => `${command} (${language}) is not on PATH. Install it: ${install}`,
      )
  }

  forget(): void {
    this.#found.clear()
  }
}
