// What can go wrong with git, told so that the caller knows what to do instead.
import { BridgeError } from '../errors.js'
import { cleanLine } from '../text/clean.js'
import type { GitOutput } from './git-process.js'
import { quoted } from './path-errors.js'

export function isOutsideRepository({ stderr }: GitOutput): boolean {
  return /not a git repository|dubious ownership|must be run in a work tree/.test(stderr)
}

export function gitFailure(args: readonly string[], { stderr, code }: GitOutput): BridgeError {
  if (/dubious ownership/.test(stderr)) {
    return new BridgeError({
      kind: 'NotTrusted',
      message: 'git refuses to look into this repository because it belongs to another user',
      hint: 'If you trust it, run: git config --global --add safe.directory <its folder>; or name the files.',
    })
  }
  if (/not a git repository|must be run in a work tree/.test(stderr)) {
    return new BridgeError({
      kind: 'InvalidArguments',
      message: 'the workspace is not a git working tree, so nobody knows what changed',
      hint: 'Name the files instead.',
    })
  }
  const command = args.find(word => /^[a-z]/.test(word) && !word.includes('='))
  const said = cleanLine(stderr, 300).text
  return new BridgeError({
    kind: 'ServerError',
    message: `git ${command ?? ''} failed: ${said === '' ? `exit code ${code}` : said}`,
    hint: 'Try the same with git itself; or name the files instead of asking for what changed.',
  })
}

export function unknownRevision(revision: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `git knows no revision ${quoted(revision)}`,
    hint: 'Give a branch, a tag or a commit, or a range of two (main...HEAD). A shallow clone lacks old commits.',
  })
}

export function nothingShared(ends: readonly string[]): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${ends.map(quoted).join(' and ')} have no commit in common`,
    hint: 'Give a range with two dots instead; a shallow clone lacks old commits.',
  })
}

export function filterWithEquals(driver: string): BridgeError {
  return new BridgeError({
    kind: 'NotTrusted',
    message: `git is configured with a filter ${quoted(driver)}, which cannot be switched off`,
    hint: 'A filter is a program that git would run: rename it in the configuration, or name the files.',
  })
}

export function unreadable(line: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `git printed ${quoted(line)} where the description of a change was expected`,
    hint: 'Another version of git may help; or name the files instead of asking for what changed.',
  })
}
