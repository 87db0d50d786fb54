// From a file to the servers that may answer for it: by extension, then by the scope of what was registered. Two that
// claim one extension are ordered: registered ones first, then the order of the definitions (fault K09).
import { basename, extname } from 'node:path'
import picomatch from 'picomatch'
import { BridgeError } from '../errors.js'
import type { ServerDefinition } from '../servers/definition.js'
import type { RegisteredServer } from '../supervisor/discovery.js'

export interface ScopedRegistration extends RegisteredServer {
  readonly name: string
  /** Workspace-relative globs; empty means everything. */
  readonly scope: readonly string[]
  /** The only ones it answers for; undefined: all of its language. */
  readonly extensions?: readonly string[] | undefined
}

export interface Route {
  readonly language: string
  readonly languageId: string
  /** In order of preference. */
  readonly definitions: readonly ServerDefinition[]
  readonly registered: readonly ScopedRegistration[]
}

export interface RoutesOptions {
  readonly definitions: readonly ServerDefinition[]
  readonly registered: readonly ScopedRegistration[]
  /** Empty: every language. */
  readonly languages: readonly string[]
}

export class Routes {
  #options: RoutesOptions
  /** By extension, of one or more parts, or by the whole name of a file. */
  readonly #byExtension = new Map<string, { language: string; languageId: string }>()

  constructor(options: RoutesOptions) {
    this.#options = options
    this.replace(options)
  }

  /** From now on files lead to these servers. */
  replace({ definitions, ...others }: RoutesOptions): void {
    this.#byExtension.clear()
    // One that somebody must choose answers only where somebody did: it is then among the registered.
    const options = {
      ...others,
      definitions: definitions.filter(({ onlyWhenChosen }) => onlyWhenChosen === undefined),
    }
    this.#options = options
    const all = [...options.registered.map(server => server.definition), ...options.definitions]
    for (const definition of all) {
      for (const [written, languageId] of Object.entries(definition.extensions)) {
        const extension = written.toLowerCase()
        if (this.#byExtension.has(extension)) continue
        this.#byExtension.set(extension, { language: definition.language, languageId })
      }
    }
  }

  get extensions(): ReadonlySet<string> {
    return new Set(this.#byExtension.keys())
  }

  hasExtension(extension: string): boolean {
    return this.#byExtension.has(extension)
  }

  /** Every language that is enabled, in the order of the definitions. */
  languages(): string[] {
    const all = new Set([...this.#byExtension.values()].map(entry => entry.language))
    return [...all].filter(language => this.#isEnabled(language))
  }

  extensionsOf(language: string): ReadonlySet<string> {
    const matching = [...this.#byExtension].filter(([, entry]) => entry.language === language)
    return new Set(matching.map(([extension]) => extension))
  }

  /** Whether a search for a symbol by its name can be about this language at all. */
  declaresSymbols(language: string): boolean {
    const { registered, definitions } = this.#options
    return [...registered.map(server => server.definition), ...definitions].some(
      definition => definition.language === language && definition.declaresNoSymbols === undefined,
    )
  }

  /** The title of a server for one of the languages that reads files of this name besides sources, such as settings. */
  readerOf(name: string, languages: readonly string[]): string | undefined {
    const { registered, definitions } = this.#options
    const all = [...registered.map(server => server.definition), ...definitions]
    return all.find(
      ({ language, watches }) =>
        languages.includes(language) &&
        watches.length > 0 &&
        picomatch.isMatch(name, [...watches], { dot: true }),
    )?.title
  }

  languageOf(file: string): string | undefined {
    return this.#entryOf(file)?.language
  }

  forFile(relative: string): Route {
    const entry = this.#entryOf(relative)
    if (entry === undefined) throw this.#noServer(relative, extname(relative).toLowerCase())
    return this.#route(entry.language, entry.languageId, relative)
  }

  forLanguage(language: string): Route {
    return this.#route(language, language, undefined)
  }

  /** By the whole name, then by the longest extension: `page.blade.php` is first a `.blade.php`, then a `.php`. */
  #entryOf(file: string) {
    return keysOf(file)
      .map(key => this.#byExtension.get(key))
      .find(entry => entry !== undefined)
  }

  #route(language: string, languageId: string, relative: string | undefined): Route {
    if (!this.#isEnabled(language)) throw this.#notEnabled(language)
    const registered = this.#options.registered.filter(
      server => server.definition.language === language && inScope(server, relative),
    )
    const definitions = this.#options.definitions.filter(definition => definition.language === language)
    return { language, languageId, definitions, registered }
  }

  #isEnabled(language: string): boolean {
    const { languages } = this.#options
    return languages.length === 0 || languages.includes(language)
  }

  #notEnabled(language: string): BridgeError {
    return new BridgeError({
      kind: 'LanguageNotEnabled',
      message: `${language} is not among the enabled languages (${this.#options.languages.join(', ')})`,
      hint: 'Add it to "languages" in the configuration, or leave that list empty for all.',
    })
  }

  #noServer(relative: string, extension: string): BridgeError {
    const known = [...this.#byExtension.keys()].join(' ')
    return new BridgeError({
      kind: 'NoServerForExtension',
      message:
        extension === ''
          ? `${relative} has no extension that tells its language`
          : `no server is known for ${extension} files`,
      hint: `Known extensions: ${known}. Register a server for others under "servers" in the configuration.`,
    })
  }
}

function keysOf(file: string): string[] {
  const name = basename(file).toLowerCase()
  const parts = name.split('.')
  const extensions = parts.slice(1).map((_, index) => `.${parts.slice(index + 1).join('.')}`)
  // What begins with a dot is no extension of nothing: `.ts` is a hidden file of that name.
  return parts[0] === '' ? extensions.slice(1) : [name, ...extensions]
}

function inScope({ scope, extensions }: ScopedRegistration, relative: string | undefined): boolean {
  if (relative === undefined) return true
  const keys = keysOf(relative)
  if (extensions?.some(extension => keys.includes(extension.toLowerCase())) === false) return false
  return scope.length === 0 || picomatch.isMatch(relative, [...scope], { dot: true })
}
