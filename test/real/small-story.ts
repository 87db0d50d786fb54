// The story of a language that the large one does not fit, because it has no types, or its servers know few questions:
// a file, what a server is expected to know about it, and edits it must object to. What else it offers is recorded.
import type { ServerConfiguration } from '../../src/config/schema.js'
import type { Fixture } from '../fixture/index.js'
import type { Breakage } from './story.js'

export interface SmallStory {
  /**
   * `$0` stands on a name that means something. Ranges, where a server knows them: `definition` is where that name is
   * declared, `reference` every place that means the same, the declaration included.
   */
  readonly fixture: Fixture
  readonly file: string
  /** Names that the outline must hold. */
  readonly outline?: readonly string[]
  /** Of the name at the cursor. */
  readonly hover?: RegExp
  /** Of what is offered at `$1`. */
  readonly completion?: RegExp
  /** A name that a search of the workspace must find in the file. */
  readonly search?: string
  readonly ownBreakage: Breakage
  /** Breaks the file by a change of another: a schema, a settings file. */
  readonly foreignBreakage?: Breakage
  /** A file that comes and goes, in a folder of its own; its ranges named `reference` are some as well. */
  readonly guest?: Fixture
  /** What a user of such a project would set. */
  readonly initializationOptions?: ServerConfiguration['initialization_options']
  /** Written with the folder, which a fixture cannot know. */
  readonly extraFiles?: (root: string) => ReadonlyMap<string, string>
}
