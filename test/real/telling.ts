// What the groups of stories share: their titles, and what each is told with.
import type { Judge } from './judge.js'
import type { OpenWorkspace } from './open.js'
import type { RequestsMade } from './requests.js'
import type { ServerResult } from './results.js'
import type { RealServer } from './servers.js'
import type { Repair, Story } from './story.js'

/** What is told of every server; the values name the tests. */
export const storyTitles = {
  references: 'story 9 the very first question: references in both files',
  definition: 'story 1 definition in the other file',
  hover: 'story 1 signature of the method',
  outline: 'story 1 outline, whose paths work verbatim as the next symbol',
  search: 'story 1 the type is found by name, and its path works verbatim',
  context: 'R-111 a context for the greeter tells what it uses from the other file, and who uses that file',
  explore: 'R-111 signature, source, callers and counts in one answer',
  typeDefinition: 'R-111 type of the parameter in the other file',
  implementation: 'R-111 what implements the base',
  declaration: 'R-111 declaration in the other file',
  callers: 'R-111 who calls the method, and what the caller calls',
  reach: 'R-111 a change of the file of the type reaches its user',
  hierarchy: 'R-111 types below the base and above what derives from it',
  highlights: 'story 1 highlights of the parameter',
  completions: 'story 1 completions after the dot hold the method',
  signatureHelp: 'R-111 the call around an argument, with its parameter',
  inlayHints: 'R-111 the name of a parameter as a hint at its argument',
  semanticTokens: 'R-111 the token of the type',
  selectionRanges: 'R-102 ranges around the use of the method, each inside the next',
  foldingRanges: 'R-102 the body of the type can be folded',
  codeLenses: 'R-102 lenses with their titles',
  documents: 'R-111 a document is kept open, and closed again',
  badInput: 'story 4 bad input is a well-formed error, and the process lives on',
  status: 'story 1 status names server, version and memory',
  end: 'story 8 close leaves no process',
  ownError: 'W08 an unannounced edit breaks the file, another mends it',
  foreignError: 'R-125 an unannounced edit of an unopened file breaks this one, another mends it',
  projectError: 'R-125 an unannounced edit of the project settings breaks this file, another mends it',
  comingAndGoing: 'R-125 references right after a file was added, and after it was deleted',
  previewOwn: 'story 2 a breaking edit previews as new errors; disk and diagnostics stay as they were',
  previewForeign: 'story 2 a breaking edit previews as new errors of the file that uses what it changes',
  previewComment: 'story 2 a comment previews as nothing new',
  chain: 'story 3 a chain of edits is safe up to the step before the first broken one',
  checkOwn:
    'contract 6 a breaking edit on the disk is judged, with a baseline that was asked for and with one looked back at',
  checkForeign: 'contract 6 a breaking edit on the disk is judged by the file that uses what it changes',
  rename: 'story 1 a rename touches both files; previewed, applied, and taken back by another',
  fixes: 'R-108 fixes for an error; what is offered, applied, mends it',
  formatDocument: 'R-111 a file formatted as a proposal, and applied',
  formatRange: 'R-111 a line formatted as a proposal, and applied',
  command: 'R-111 a declared command runs and proposes; one that is not declared is refused',
  watched: 'R-111 files that changed, told of',
  folders: 'R-111 a workspace folder is added and removed',
  restart: 'R-111 restarted, it answers again',
  limited: 'S09 a workspace that is not trusted: it runs nothing of it, answers, and says what that costs',
} as const
export type StoryName = keyof typeof storyTitles

/** A command that can be run without harm, where the server declares any. */
export type StoryCommand =
  /** What a fix on the line of the cursor would run: it wants an edit. */
  | { readonly fix: RegExp }
  | {
      readonly name: string
      /** By the file of the cursor, absolute. */
      readonly arguments: (file: string) => readonly unknown[]
      /** None where it does something and says nothing. */
      readonly answer: RegExp | undefined
    }

export interface Telling {
  readonly server: RealServer
  readonly story: Story
  readonly judge: Judge
  readonly findings: Partial<ServerResult>
  /** Those of every workspace of the server. */
  readonly requests: RequestsMade[]
  readonly silentAboutVersion: boolean
  /** What it offers to mend, if anything. */
  readonly repair: Repair | undefined
  readonly command: StoryCommand | undefined
  /** Whether it places a caller where the call is, not where the caller is declared. */
  readonly placesCallersAtCalls: boolean
  /** Whether its diagnostics can show that a change breaks nothing. */
  readonly provesClean: boolean
  tell(name: StoryName, run: () => Promise<void>): void
}

/** The workspace of a group is opened once, before its first story. */
export type Opened = () => OpenWorkspace
