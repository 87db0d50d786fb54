// How one language server is run, as data. Everything the rest of the program knows about a particular server stands
// in its definition; a quirk is a named field whose value is the reason, and the code that honours it reads the name,
// never the id.
import type { DiagnosticsRule } from '../lsp/diagnostics.js'
import type { ReadinessRule } from '../lsp/readiness.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import type { PositionEncoding } from '../text/position.js'

export interface ServerDefinition {
  readonly id: string
  readonly title: string
  /** The language family; a root has exactly one server per family. */
  readonly language: string
  /** Extension to LSP language id. */
  readonly extensions: Readonly<Record<string, string>>
  readonly command: string
  readonly args: readonly string[]
  /** The copy shipped with the package, if any. */
  readonly embedded?: () => Launch | undefined
  /** The copy the project itself depends on; used only in a trusted workspace. */
  readonly project?: (root: string) => Launch | undefined
  readonly install: string
  /** It is never found by itself, only run where somebody names it; the value is the reason. */
  readonly onlyWhenChosen?: string
  /** Its files declare nothing that a search for a symbol by name could be about; the value is the reason. */
  readonly declaresNoSymbols?: string
  /** It keeps things in a folder that this argument or variable names: an empty one for each start, removed at its end. */
  readonly dataFolder?: DataFolder
  readonly root: RootRule
  readonly readiness: ReadinessRule
  readonly diagnostics: DiagnosticsRule
  /** Says, given what it found in a file, why there may be more that it does not tell because of that. */
  readonly hides?: (found: readonly ServerDiagnostic[]) => string | undefined
  readonly settings?: Readonly<Record<string, unknown>>
  readonly initializationOptions?: Readonly<Record<string, unknown>>
  readonly experimentalCapabilities?: Readonly<Record<string, unknown>>
  /** What to offer instead of every encoding; one alone is what a server that names none is taken to count in. */
  readonly positionEncodings?: readonly PositionEncoding[]
  readonly environment?: Readonly<Record<string, string>>
  /** Parameters this server wants in every didChange. */
  readonly changeExtras?: Readonly<Record<string, unknown>>
  /** How it runs in a workspace that is not trusted. */
  readonly limited: LimitedForm
  /** Files, besides its extensions, whose change on disk it must be told of. */
  readonly watches: readonly string[]
  /** The changes on disk after which it loads the workspace anew, and its signal of readiness comes again. */
  readonly reloads?: {
    readonly after: (path: string, type: 'created' | 'changed' | 'deleted') => boolean
    /** Where it has not begun by then, the change was none for it. */
    readonly withinMilliseconds: number
    readonly reason: string
  }
  /** It looks at its project files (`watches`) only now and then; this long after a change it surely has. */
  readonly projectFilesSeenAfter?: { readonly milliseconds: number; readonly reason: string }
  /** Projects below the root that the server knows only while one of their files is open. */
  readonly projects?: {
    /** Each lies in the folder of such a file. */
    readonly marker: readonly string[]
    /** LSP methods whose answer depends on it. */
    readonly methods: readonly string[]
    readonly reason: string
  }
  readonly limits?: (facts: RootFacts) => readonly KnownLimit[]
  /** A command of its own after which it offers every fix there is for the present text, and before it not. */
  readonly beforeFixes?: BeforeFixes
  /** It renames to whatever it is told: what cannot be a name in its language is refused here in its place. */
  readonly newNames?: NewNames
  readonly quirks: Quirks
}

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly version?: string
}

export type DataFolder =
  | { readonly argument: string; readonly reason: string }
  | { readonly variable: string; readonly reason: string }

export type RootRule =
  /** The server finds its projects below the workspace root by itself. */
  | { readonly kind: 'workspace' }
  /** The nearest folder above the file that holds one of these. */
  | { readonly kind: 'nearest'; readonly markers: readonly string[] }
  /** The outermost such folder inside the workspace. */
  | { readonly kind: 'outermost'; readonly markers: readonly string[] }

export type LimitedForm =
  /** It runs nothing from the workspace in any form. */
  | { readonly kind: 'same'; readonly reason: string }
  | {
      readonly kind: 'reduced'
      readonly settings?: Readonly<Record<string, unknown>>
      readonly initializationOptions?: Readonly<Record<string, unknown>>
      readonly environment?: Readonly<Record<string, string>>
      readonly args?: readonly string[]
      /** Why even this form must not run here: something in these folders could make it run code all the same. */
      readonly refusedWhen?: (folders: readonly string[], exists: RootFacts['exists']) => string | undefined
      /** What an answer may lack for it in this workspace; undefined when nothing was held back. */
      readonly costs: (facts: RootFacts) => string | undefined
    }
  | { readonly kind: 'refused'; readonly reason: string }

/** What a definition may look at to know its own limits; nothing else of the disk. */
export interface RootFacts {
  readonly root: string
  /** The file the question is about, absolute; absent for workspace-wide questions. */
  readonly file: string | undefined
  readonly exists: (path: string) => boolean
}

/** A bound that a correct answer of this server has by design. */
export interface KnownLimit {
  /** LSP methods it touches. */
  readonly methods: readonly string[]
  readonly reason: string
  readonly hint?: string
}

export interface BeforeFixes {
  readonly command: string
  readonly arguments: (uri: string) => Record<string, string[]>[]
  readonly reason: string
}

/** The words of a language that look like names. */
export interface NewNames {
  /** Never a name. */
  readonly reserved: readonly string[]
  /** A name of some kinds of symbols, such as members, and not of others. */
  readonly doubtful: readonly string[]
  readonly reason: string
}

/** Each value is the reason, as a sentence. */
export interface Quirks {
  /** A file changed on disk is seen, or seen in time, only when it is opened. */
  readonly changedFilesMustBeOpened?: string
  /** Of such a server: a deleted file is taken back when it is announced, and need not be shown empty. */
  readonly deletedFilesAreNoticed?: string
  /** A file created on disk is taken in only when it was opened and its diagnostics were asked for. */
  readonly createdFilesMustBeOpened?: string
  /** What changes while it loads the workspace for the first time is announced after that. */
  readonly announceOnlyWhenLoaded?: string
  /** After created or deleted files were announced, the readiness signal comes again. */
  readonly announcesNewFileList?: string
  /** A file that is only open, and not yet on the disk, is not found by those that import it. */
  readonly newFilesFoundOnDiskOnly?: string
  /** The same, but only when its folder is not there yet either. */
  readonly newFoldersFoundOnDiskOnly?: string
  /** It answers from nothing until it has parsed what was opened or changed; its report shows that it has. */
  readonly answersBeforeParsing?: string
  /** What is asked right after a change is answered from the text before it, so another question goes in between. */
  readonly parsesTooEarly?: string
  /** workspace/symbol needs at least one open document. */
  readonly symbolSearchNeedsOpenDocument?: string
  /** Who calls a function takes it far longer to say than where the function is used. */
  readonly slowCallHierarchy?: string
  /** Once a file was shown, its index has of it what it finds when it reads it alone. */
  readonly shownFilesReadAlone?: string
  /** A change without a range leaves a part of the old text standing, so changes name the whole range. */
  readonly wholeTextMisread?: string
  /** Header lines may end in a bare line feed. */
  readonly lineFeedOnlyHeaders?: string
  /** Asks for configuration with an object, not null, where nothing is set. */
  readonly needsConfigurationObject?: string
  /** What it can do is asked for in the handshake, because it would be registered too late to be waited for. */
  readonly registersTooLate?: string
}

export function defineServer(definition: ServerDefinition): ServerDefinition {
  return definition
}
