// What git knows of a change: which files differ from a revision, and what they held there. It is asked with plumbing
// commands alone, through `git-process.ts`, and everything it prints is taken for a stranger's text.
import { createHash } from 'node:crypto'
import { decodeSource } from '../text/decode.js'
import {
  filterWithEquals,
  gitFailure,
  isOutsideRepository,
  nothingShared,
  unknownRevision,
  unreadable,
} from './git-failures.js'
import type { GitWait, RunGit } from './git-process.js'
import { quoted } from './path-errors.js'

export type FileStatus = 'modified' | 'added' | 'deleted' | 'renamed'

export interface ChangedFile {
  /** Relative to the root, with `/`. Of a deleted file, where it was. */
  readonly file: string
  readonly status: FileStatus
  /** Of a renamed file, where it was. */
  readonly before?: string
  /** A link or another repository has no text of its own. */
  readonly type: 'file' | 'link' | 'submodule'
}

export interface Change {
  /** The commit, or the empty tree, that the files are compared with. */
  readonly from: string
  /** The commit where the change ends; undefined for what is on the disk now. */
  readonly to: string | undefined
  /** In the order of their names. */
  readonly files: readonly ChangedFile[]
}

export interface ChangeRequest extends GitWait {
  /**
   * A revision: everything since then, what is not committed and not tracked included. `A..B` and `A...B` are that
   * range alone, the second from where the two parted. Without it: what is not committed.
   */
  readonly since?: string | undefined
}

export interface Git {
  changedFiles(request: ChangeRequest): Promise<Change>
  /** The text of a file at a commit or tree; undefined when it was not there. Throws on what is no UTF-8 text. */
  textAt(revision: string, file: string, wait: GitWait): Promise<string | undefined>
}

export interface GitOptions {
  readonly run: RunGit
  /** The text of a file as it is on the disk now, with its byte order mark; undefined when it cannot be read. */
  readonly read: (file: string) => string | undefined
}

export function createGit({ run, read }: GitOptions): Git {
  const asked = async (args: readonly string[], wait: GitWait) => {
    const output = await run(args, wait)
    if (output.code !== 0) throw gitFailure(args, output)
    return output.stdout
  }
  const objectAt = async (revision: string, file: string, wait: GitWait) => {
    const tree = await resolveRevision(revision, 'tree', run, wait)
    const listed = await asked(['ls-tree', '-z', tree, '--', file], wait)
    return /^100\d{3} blob ([0-9a-f]+)\t/.exec(listed.toString('utf8'))?.[1]
  }
  // Which object a changed file was before comes with the list of changes and need not be asked for again.
  const objects = new Map<string, string>()
  const remember = (from: string, entries: readonly RawEntry[]) => {
    objects.clear()
    for (const { file, before, oldObject, wasFile } of entries)
      if (wasFile) objects.set(`${from}:${before ?? file}`, oldObject)
    return entries
  }
  return {
    async changedFiles({ since, ...wait }) {
      const { from, to } = await resolveRange(since, run, wait)
      if (to !== undefined) {
        // Two commits: nothing of the working tree is looked at, so renames can be left to git.
        const args = ['diff-tree', '-r', '-z', '--raw', '--no-ext-diff', '--no-textconv', '-M', '--relative']
        const entries = parseRaw(await asked([...args, from, to, '--'], wait))
        return { from, to, files: sorted(remember(from, entries)) }
      }
      const noFilters = await withoutFilters(run, wait)
      const tree = ['diff-index', '-z', '--raw', '-M', '--no-ext-diff', '--no-textconv']
      const [tracked, untracked] = await Promise.all([
        // A look into a submodule would be a second git, in a folder with a configuration of its own.
        asked([...noFilters, ...tree, '--ignore-submodules=dirty', '--relative', from, '--'], wait),
        asked(['ls-files', '-z', '--others', '--exclude-standard'], wait),
      ])
      const known = changedIndeed(remember(from, parseRaw(tracked)), read)
      const fresh = names(untracked).filter(name => !name.endsWith('/'))
      return { from, to, files: sorted(withUntracked(known, fresh, read)) }
    },

    async textAt(revision, file, wait) {
      const object = objects.get(`${revision}:${file}`) ?? (await objectAt(revision, file, wait))
      if (object === undefined) return undefined
      return decodeSource(await asked(['cat-file', 'blob', object], wait), quoted(file)).text
    },
  }
}

interface RawEntry extends ChangedFile {
  /** What it held before; all zeros for nothing. */
  readonly oldObject: string
  /** It was a regular file before. */
  readonly wasFile: boolean
}

/**
 * A filter is a program that git runs on a file's content before it compares it, also when all it wants to know is
 * whether the file changed: an index made for the purpose leads every file there. Each one that is configured is
 * replaced by none.
 */
async function withoutFilters(run: RunGit, wait: GitWait): Promise<string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\.']
  const { code, stdout, stderr } = await run(args, wait)
  // 1 is git's word for "there are none".
  if (code === 1) return []
  if (code !== 0) throw gitFailure(args, { code, stdout, stderr })
  const drivers = new Set(names(stdout).map(key => key.replace(/^filter\.|\.[^.]*$/g, '')))
  return [...drivers].flatMap(driver => {
    if (driver.includes('=')) throw filterWithEquals(driver)
    const settings = ['clean=', 'smudge=', 'process=', 'required=false']
    return settings.flatMap(setting => ['-c', `filter.${driver}.${setting}`])
  })
}

interface Range {
  readonly from: string
  readonly to: string | undefined
}

async function resolveRange(since: string | undefined, run: RunGit, wait: GitWait): Promise<Range> {
  if (since === undefined) return { from: await headOrNothing(run, wait), to: undefined }
  const [, first, dots, second] = /^(.*?)(\.{2,3})(.*)$/s.exec(since) ?? []
  if (first === undefined || dots === undefined || second === undefined) {
    return { from: await resolveRevision(since, 'commit', run, wait), to: undefined }
  }
  const ends = [first, second].map(end => (end === '' ? 'HEAD' : end))
  const [from = '', to = ''] = await Promise.all(ends.map(end => resolveRevision(end, 'commit', run, wait)))
  if (dots === '..') return { from, to }
  const base = await run(['merge-base', from, to], wait)
  if (base.code !== 0) throw nothingShared(ends)
  return { from: base.stdout.toString('latin1').trim(), to }
}

/** Before the first commit everything there is counts as new, compared with the tree that holds nothing. */
async function headOrNothing(run: RunGit, wait: GitWait): Promise<string> {
  const head = await run(verify('HEAD', 'commit'), wait)
  if (head.code === 0) return head.stdout.toString('latin1').trim()
  if (isOutsideRepository(head)) throw gitFailure(['rev-parse'], head)
  const args = ['hash-object', '-t', 'tree', '--stdin']
  const empty = await run(args, wait)
  if (empty.code !== 0) throw gitFailure(args, empty)
  return empty.stdout.toString('latin1').trim()
}

async function resolveRevision(
  revision: string,
  type: 'commit' | 'tree',
  run: RunGit,
  wait: GitWait,
): Promise<string> {
  if (objectNames.test(revision)) return revision
  if (!isPlain(revision)) throw unknownRevision(revision)
  const resolved = await run(verify(revision, type), wait)
  if (resolved.code === 0) return resolved.stdout.toString('latin1').trim()
  throw isOutsideRepository(resolved) ? gitFailure(['rev-parse'], resolved) : unknownRevision(revision)
}

/** Whole ones need no looking up; if there is none of this name, the next command says so. */
const objectNames = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

function verify(revision: string, type: 'commit' | 'tree'): string[] {
  return ['rev-parse', '--verify', '--quiet', `${revision}^{${type}}`]
}

/** What begins with a dash would be an option. */
function isPlain(revision: string): boolean {
  return revision !== '' && !revision.startsWith('-') && !/[\x00-\x1f\x7f]/.test(revision)
}

/** `:100644 100644 <old> <new> M` NUL path NUL, and a second path after a rename. */
function parseRaw(output: Buffer): RawEntry[] {
  const parts = names(output)
  const entries: RawEntry[] = []
  for (let index = 0; index < parts.length; ) {
    const fields = /^:(\d{6}) (\d{6}) ([0-9a-f]+) [0-9a-f]+ ([A-Z])\d*$/.exec(parts[index] ?? '')
    const [, oldMode = '', newMode = '', oldObject = '', letter = ''] = fields ?? []
    if (fields === null) throw unreadable(parts[index] ?? '')
    const isMove = letter === 'R' || letter === 'C'
    const path = parts[index + 1] ?? ''
    const moved = parts[index + 2] ?? ''
    const type = typeOf(letter === 'D' ? oldMode : newMode)
    const old = { oldObject, wasFile: oldMode.startsWith('100') }
    if (isMove) entries.push({ file: moved, before: path, status: 'renamed', type, ...old })
    else entries.push({ file: path, status: statuses[letter] ?? 'modified', type, ...old })
    index += isMove ? 3 : 2
  }
  return entries
}

const statuses: Readonly<Record<string, FileStatus>> = { A: 'added', D: 'deleted' }

function typeOf(mode: string): ChangedFile['type'] {
  if (mode === '160000') return 'submodule'
  return mode === '120000' ? 'link' : 'file'
}

/** More than this are taken at git's word: reading them all would take longer than the answer is worth. */
const mostCompared = 2000

/**
 * Git goes by the times of a file here and does not look inside: one that was only touched, or written again with the
 * same content, is not changed. Line ends may differ by `core.autocrlf`.
 */
function changedIndeed(entries: readonly RawEntry[], read: GitOptions['read']): RawEntry[] {
  let compared = 0
  return entries.filter(({ status, type, file, oldObject }) => {
    if (status !== 'modified' || type !== 'file' || ++compared > mostCompared) return true
    const text = read(file)
    const forms = text === undefined ? [] : [text, text.replaceAll('\r\n', '\n')]
    return forms.every(form => objectName(form, oldObject.length) !== oldObject)
  })
}

function objectName(text: string, length: number): string {
  const bytes = Buffer.from(text)
  const hash = createHash(length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/**
 * A file taken out of the index but left in its place is deleted for one command and untracked for the other; and one
 * that was moved without git's knowledge is deleted here and untracked there.
 */
function withUntracked(
  known: readonly RawEntry[],
  untracked: readonly string[],
  read: GitOptions['read'],
): ChangedFile[] {
  const fresh = new Set(untracked)
  const kept = known.map(entry =>
    entry.status === 'deleted' && fresh.delete(entry.file)
      ? { ...entry, status: 'modified' as const }
      : entry,
  )
  const deleted = kept.filter(({ status, type }) => status === 'deleted' && type === 'file')
  const [{ oldObject: some } = { oldObject: '' }] = deleted
  const moved = new Map<RawEntry, string>()
  for (const file of some === '' ? [] : [...fresh].slice(0, mostCompared)) {
    const text = read(file)
    const name = text === undefined ? undefined : objectName(text, some.length)
    const origin = deleted.find(entry => entry.oldObject === name && !moved.has(entry))
    if (origin !== undefined && fresh.delete(file)) moved.set(origin, file)
  }
  const tracked = kept.map(entry => {
    const file = moved.get(entry)
    return file === undefined ? entry : { ...entry, file, before: entry.file, status: 'renamed' as const }
  })
  return [...tracked, ...[...fresh].map(file => ({ file, status: 'added' as const, type: 'file' as const }))]
}

function sorted(files: readonly (ChangedFile | RawEntry)[]): ChangedFile[] {
  return files
    .map(({ file, status, before, type }) => ({
      file,
      status,
      ...(before === undefined ? {} : { before }),
      type,
    }))
    .sort((a, b) => (a.file === b.file ? 0 : a.file < b.file ? -1 : 1))
}

function names(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter(name => name !== '')
}
