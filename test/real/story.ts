// What the conformance suite tells every server: two files, a Person type and a greeter that uses it, and what may
// happen to them. One such story per language; the suite itself knows no language.
import type { ServerConfiguration } from '../../src/config/schema.js'
import type { Fixture } from '../fixture/index.js'

/** One exact replacement in one file of the story. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** An edit that the compiler must object to. */
export interface Breakage extends Edit {
  /** What the objection says. */
  readonly complaint: RegExp
}

/** A breakage that the server may offer to mend. */
export interface Repair extends Breakage {
  /** Of the fix. */
  readonly title: RegExp
}

export interface Story {
  readonly language: string
  /**
   * `$0` in the greeter is on a use of the method. Ranges: `Person` on every reference to the type, `greeting` on the
   * declaration of the method; in the greeter `caller` on the name of the function around `$0`, `parameter` on its
   * parameter `person` and on the use of that. In a file of its own a small family: `base`, `derived` on the name of what
   * inherits from it, `implementation` where a server finds that when it is asked for what implements the base, and
   * `argument` at an argument for a parameter that is called `name`.
   */
  readonly fixture: Fixture
  readonly greeter: string
  readonly person: string
  readonly type: string
  readonly method: { readonly name: string; readonly path: string; readonly signature: RegExp }
  /** Another name the method may have. */
  readonly newName: string
  /** One on the line of the caller, which nobody can rename. */
  readonly keyword: string
  /** A line that says nothing to a compiler. */
  readonly comment: string
  /** A title of one of the lenses in the file of the family. */
  readonly lens: RegExp
  /** Written in the greeter as no formatter of the language would; formatting brings the old text back. */
  readonly untidy: Edit
  readonly repair: Repair
  /** Breaks the greeter from within. */
  readonly ownBreakage: Breakage
  /** Breaks the greeter by a change of the person's file. */
  readonly foreignBreakage: Breakage
  /** Breaks the greeter by a change of the project's own settings. */
  readonly projectBreakage: Breakage
  /** A file that comes and goes, in a folder of its own; its ranges are references to the type as well. */
  readonly guest: Fixture
  /** What must know the absolute folder, which a fixture cannot. */
  readonly extraFiles?: (root: string) => ReadonlyMap<string, string>
  /** What a user of such a project would set. */
  readonly initializationOptions?: ServerConfiguration['initialization_options']
}
