// What an operation's argument is when it is not given, where a preset wants another default than the declaration's.
import { findReferences } from './find-references.js'

export interface DefaultsOfPreset {
  readonly referencesIncludeDeclaration: boolean
}

/** By operation, then by argument. */
export function presetDefaults({
  referencesIncludeDeclaration,
}: DefaultsOfPreset): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return { [findReferences.name]: { include_declaration: referencesIncludeDeclaration } }
}
