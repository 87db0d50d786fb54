// Git asked about real repositories: ordinary ones with names nobody expects, broken ones, and one whose configuration
// tries everything it can to run a program.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Repository, repository } from '../../test/repository.js'
import { virtualClock } from '../../test/virtual-clock.js'
import { systemClock } from '../clock.js'
import { createSpawn, type Spawn } from '../supervisor/process.js'
import { type ChangedFile, createGit, type Git } from './git.js'
import { createRunGit, type RunGit } from './git-process.js'
import { createPathGate } from './path-gate.js'
import { readSource } from './source-file.js'

const wait = { signal: new AbortController().signal, milliseconds: 30_000 }
const spawn = createSpawn({ clock: systemClock, owner: undefined, atMost: 'group' })

function gitIn({ root, env }: Pick<Repository, 'root' | 'env'>, run?: RunGit): Git {
  const gate = createPathGate(root)
  return createGit({
    run: run ?? createRunGit({ root, env, spawn, clock: systemClock }),
    read(file) {
      try {
        return readSource(gate, file).text.text
      } catch {
        return undefined
      }
    },
  })
}

function temporary(...initOptions: readonly string[]): Repository {
  const made = repository(undefined, ...initOptions)
  onTestFinished(() => made[Symbol.dispose]())
  return made
}

const shortly = ({ file, status, before, type }: ChangedFile) =>
  [status, ...(before === undefined ? [] : [before]), file, ...(type === 'file' ? [] : [type])].join(' ')

async function changes(made: Repository, since?: string): Promise<string[]> {
  return (await gitIn(made).changedFiles({ since, ...wait })).files.map(shortly)
}

const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')

test('contract 3 what is not committed is every tracked change and every file that is not ignored', async () => {
  const made = temporary()
  for (const name of ['same.ts', 'edited.ts', 'staged.ts', 'gone.ts', 'removed.ts', 'touched.ts'])
    made.write(name, `${name}\n`)
  made.write('moved.ts', `${long}\nmoved`)
  made.write('walked.ts', `${long}\nwalked`)
  made.write('.gitignore', 'ignored.ts\n')
  made.commit()
  made.write('edited.ts', 'edited again\n')
  made.write('staged.ts', 'staged\n')
  made.git('add', 'staged.ts')
  rmSync(made.path('gone.ts'))
  made.git('rm', '-q', 'removed.ts')
  utimesSync(made.path('touched.ts'), 1, 1)
  made.git('mv', 'moved.ts', 'here.ts')
  made.write('here.ts', `${long}\nmoved and edited`)
  renameSync(made.path('walked.ts'), made.path('there.ts'))
  made.write('new.ts', 'new\n')
  made.write('ignored.ts', 'ignored\n')
  expect(await changes(made)).toEqual(
    [
      'modified edited.ts',
      'deleted gone.ts',
      'renamed moved.ts here.ts',
      'added new.ts',
      'deleted removed.ts',
      'modified staged.ts',
      'renamed walked.ts there.ts',
    ].sort((a, b) => ((a.split(' ').at(-1) ?? '') < (b.split(' ').at(-1) ?? '') ? -1 : 1)),
  )
})

const oddNames = [
  'plain.ts',
  'with space.ts',
  'line\nfeed.ts',
  '\u00fcml\u00e4ut \u{1f600}.ts',
  '-n.ts',
  ':(top)x.ts',
  '*.ts',
  'q"uote.ts',
  'a/b/c.ts',
  'back\\slash.ts',
  'tab\t.ts',
] as const

test('contract 3 whatever a file is called, and whatever became of it, it is named exactly', async () => {
  const what = fc.constantFrom('same', 'edited', 'deleted', 'added', 'staged', 'uncached')
  await fc.assert(
    fc.asyncProperty(fc.tuple(...oddNames.map(() => what)), async fates => {
      using made = repository()
      const fated = oddNames.map((name, index) => ({ name, fate: fates[index] ?? 'same' }))
      for (const { name, fate } of fated) if (fate !== 'added') made.write(name, `before ${name}\n`)
      made.commit()
      for (const { name, fate } of fated) {
        if (fate === 'deleted') rmSync(made.path(name))
        else if (fate === 'uncached') made.git('rm', '-q', '--cached', '--', `:(literal)${name}`)
        if (fate === 'edited' || fate === 'added' || fate === 'staged' || fate === 'uncached')
          made.write(name, `after ${name} and more\n`)
        if (fate === 'staged') made.git('add', '--', `:(literal)${name}`)
      }
      const expected = fated
        .filter(({ fate }) => fate !== 'same')
        .map(({ name, fate }) => ({
          file: name,
          status: fate === 'deleted' || fate === 'added' ? fate : 'modified',
          type: 'file',
        }))
        .sort((a, b) => (a.file < b.file ? -1 : 1))
      const git = gitIn(made)
      const { from, files } = await git.changedFiles(wait)
      expect(files).toEqual(expected)
      for (const { name, fate } of fated) {
        const text = await git.textAt(from, name, wait)
        expect(text).toBe(fate === 'added' ? undefined : `before ${name}\n`)
      }
    }),
    { numRuns: 4 },
  )
})

test('contract 3 a root below the repository sees its own files alone, under its own names', async () => {
  const made = temporary()
  made.write('outside.ts', 'a\n')
  made.write('inner/deep/x.ts', 'a\n')
  made.commit()
  made.write('outside.ts', 'b\n')
  made.write('inner/deep/x.ts', 'b\n')
  made.write('inner/y.ts', 'b\n')
  const git = gitIn({ root: made.path('inner'), env: made.env })
  const { from, files } = await git.changedFiles(wait)
  expect(files.map(shortly)).toEqual(['modified deep/x.ts', 'added y.ts'])
  expect(await git.textAt(from, 'deep/x.ts', wait)).toBe('a\n')
  expect(await git.textAt(from, '../outside.ts', wait).catch(() => undefined)).not.toBe('b\n')
})

test('contract 3 a revision means since then, a range means the range', async () => {
  const made = temporary()
  made.write('a.ts', 'one\n')
  made.commit()
  made.git('checkout', '-q', '-b', 'side')
  made.write('b.ts', 'side\n')
  made.write('a.ts', 'side\n')
  made.commit()
  made.git('checkout', '-q', 'main')
  made.write('c.ts', 'main\n')
  made.commit()
  made.git('checkout', '-q', 'side')
  made.write('d.ts', 'not committed\n')
  expect(await changes(made)).toEqual(['added d.ts'])
  expect(await changes(made, 'HEAD~1')).toEqual(['modified a.ts', 'added b.ts', 'added d.ts'])
  expect(await changes(made, 'HEAD~1..HEAD')).toEqual(['modified a.ts', 'added b.ts'])
  expect(await changes(made, 'main..')).toEqual(['modified a.ts', 'added b.ts', 'deleted c.ts'])
  expect(await changes(made, 'main...side')).toEqual(['modified a.ts', 'added b.ts'])
  const git = gitIn(made)
  const { from, to } = await git.changedFiles({ since: 'main...', ...wait })
  expect(await git.textAt(from, 'a.ts', wait)).toBe('one\n')
  expect(await git.textAt(to ?? '', 'a.ts', wait)).toBe('side\n')
  expect(await git.textAt('main', 'c.ts', wait)).toBe('main\n')
})

test.each([[], ['--object-format=sha256']])(
  'contract 3 before the first commit everything is new %s',
  async (...options) => {
    const made = temporary(...options)
    made.write('a.ts', 'a\n')
    made.write('b.ts', 'b\n')
    made.git('add', 'a.ts')
    expect(await changes(made)).toEqual(['added a.ts', 'added b.ts'])
    const git = gitIn(made)
    const { from } = await git.changedFiles(wait)
    expect(await git.textAt(from, 'a.ts', wait)).toBeUndefined()
    made.commit()
    utimesSync(made.path('a.ts'), 1, 1)
    expect(await changes(made)).toEqual([])
  },
)

test('contract 3 links and submodules are told apart from files, and have no text', async () => {
  const inner = temporary()
  inner.write('x.ts', 'x\n')
  inner.commit()
  const made = temporary()
  made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
  symlinkSync('x.ts', made.path('link.ts'))
  made.write('folder/file.ts', 'x\n')
  made.commit()
  made.write('sub/x.ts', 'edited inside\n')
  expect(await changes(made)).toEqual([])
  made.git('-C', 'sub', 'commit', '-q', '-a', '-m', 'moved on')
  rmSync(made.path('link.ts'))
  symlinkSync('y.ts', made.path('link.ts'))
  expect(await changes(made)).toEqual(['modified link.ts link', 'modified sub submodule'])
  const git = gitIn(made)
  for (const name of ['link.ts', 'sub', 'folder', 'sub/x.ts', 'absent.ts'])
    expect(await git.textAt('HEAD', name, wait), name).toBeUndefined()
})

test('contract 3 other line ends alone are no change, and a text comes without its byte order mark', async () => {
  const made = temporary()
  made.write('unix.ts', 'a\nb\n')
  made.write('marked.ts', '\ufeffa\r\n')
  made.commit()
  made.write('unix.ts', 'a\r\nb\r\n')
  expect(await changes(made)).toEqual([])
  expect(await gitIn(made).textAt('HEAD', 'marked.ts', wait)).toBe('a\r\n')
  made.write('bytes.ts', 'x')
  made.commit()
  made.git(
    'update-index',
    '--cacheinfo',
    `100644,${made.git('hash-object', '-w', '--', '/bin/sh').trim()},bytes.ts`,
  )
  made.git('commit', '-q', '-m', 'binary')
  await expect(gitIn(made).textAt('HEAD', 'bytes.ts', wait)).rejects.toMatchObject({
    kind: 'InvalidArguments',
  })
})

test('S09 nothing that a repository configures is run', async () => {
  const made = temporary()
  const trap = made.path('../trap.sh')
  const sprung = made.path('../sprung')
  made.write('../trap.sh', `#!/bin/sh\necho "$0 $*" >> '${sprung}'\n`)
  chmodSync(trap, 0o755)
  const inner = temporary()
  inner.write('x.txt', 'x\n')
  inner.write('.gitattributes', '*.txt filter=evil\n')
  inner.commit()
  made.write('a.txt', 'hello\n')
  made.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n')
  made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub')
  made.commit()
  const hooks = made.path('.git/hooks')
  mkdirSync(hooks, { recursive: true })
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'pre-commit', 'reference-transaction']) {
    made.write(`.git/hooks/${hook}`, readFileSync(trap, 'utf8'))
    chmodSync(join(hooks, hook), 0o755)
  }
  const planted: Readonly<Record<string, string>> = {
    'core.fsmonitor': trap,
    'core.pager': trap,
    'core.editor': trap,
    'core.askPass': trap,
    'core.sshCommand': trap,
    'pager.diff-index': trap,
    'alias.diff-index': `!${trap}`,
    'diff.external': trap,
    'diff.evil.textconv': trap,
    'diff.evil.command': trap,
    'filter.evil.clean': trap,
    'filter.evil.smudge': trap,
    'filter.evil.process': trap,
    'filter.evil.required': 'true',
    'merge.evil.driver': trap,
    'credential.helper': `!${trap}`,
    'core.hooksPath': hooks,
    'core.repositoryformatversion': '1',
    'extensions.partialClone': 'evil',
    'remote.evil.promisor': 'true',
    'remote.evil.url': 'ssh://evil/x',
    'remote.evil.uploadpack': trap,
    'remote.evil.fetch': '+refs/heads/*:refs/x/*',
  }
  // A time that lies ahead makes git compare the content every time, through the filter.
  const racy = (path: string, text: string) => {
    made.write(path, text)
    utimesSync(made.path(path), 4_000_000_000, 4_000_000_000)
  }
  racy('a.txt', 'hellp\n')
  made.git('add', 'a.txt')
  racy('a.txt', 'hellq\n')
  made.write('sub/x.txt', 'y\n')
  for (const [key, value] of Object.entries(planted)) {
    made.git('config', key, value)
    if (!key.startsWith('core.') && !key.startsWith('extensions.'))
      made.git('-C', 'sub', 'config', key, value)
  }
  const lost = made.git('-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD:a.txt').trim()
  rmSync(made.path(`.git/objects/${lost.slice(0, 2)}/${lost.slice(2)}`))
  const fell = () => {
    try {
      return readFileSync(sprung, 'utf8')
    } catch {
      return ''
    }
  }

  rmSync(sprung, { force: true })
  const git = gitIn(made)
  const { from, files } = await git.changedFiles(wait)
  expect(files.map(shortly)).toEqual(['modified a.txt'])
  await expect(git.textAt(from, 'a.txt', wait)).rejects.toMatchObject({ kind: 'ServerError' })
  expect(await git.textAt(from, '.gitattributes', wait)).toContain('filter=evil')
  await git.changedFiles({ since: 'HEAD', ...wait })
  await git.changedFiles({ since: 'HEAD..HEAD', ...wait })
  expect(fell()).toBe('')

  // The traps do work, or this test would prove nothing.
  for (const args of [
    ['status'],
    ['-c', 'core.fsmonitor=false', 'diff-index', '--raw', 'HEAD', '--'],
    ['-c', 'core.fsmonitor=false', 'cat-file', 'blob', lost],
  ]) {
    rmSync(sprung, { force: true })
    try {
      made.git(...args)
    } catch {
      // Whether it goes well is not the question.
    }
    expect(fell(), args.join(' ')).not.toBe('')
  }
})

test('S09 a filter whose name hides it from being switched off is refused, not run', async () => {
  const made = temporary()
  made.write('a.txt', 'a\n')
  made.commit()
  made.write(
    '.git/config',
    `${readFileSync(made.path('.git/config'), 'utf8')}\n[filter "a=b"]\n\tclean = false\n`,
  )
  await expect(gitIn(made).changedFiles(wait)).rejects.toMatchObject({ kind: 'NotTrusted' })
})

test('S09 a git that lies in the workspace is not the git that is run', async () => {
  const made = temporary()
  made.write('bin/git', `#!/bin/sh\ntouch '${made.path('../sprung')}'\n`)
  chmodSync(made.path('bin/git'), 0o755)
  made.commit()
  const env = { ...made.env, PATH: `${made.path('bin')}:.:${made.env.PATH}` }
  expect((await gitIn({ root: made.root, env }).changedFiles(wait)).files).toEqual([])
  expect(() => readFileSync(made.path('../sprung'))).toThrow()
})

test('contract 3 without git, without a repository, without the revision: an error that says what to do', async () => {
  const made = temporary()
  made.write('a.ts', 'a\n')
  const noGit = gitIn({ root: made.root, env: { ...made.env, PATH: made.path('..') } })
  await expect(noGit.changedFiles(wait)).rejects.toMatchObject({
    kind: 'ServerUnavailable',
    hint: /Install git/,
  })
  const elsewhere = gitIn({ root: made.path('../home'), env: made.env })
  const outside = { kind: 'InvalidArguments', message: /not a git working tree/, hint: /Name the files/ }
  for (const since of [undefined, 'HEAD', 'a..b'])
    await expect(elsewhere.changedFiles({ since, ...wait })).rejects.toMatchObject(expectStrings(outside))
  made.commit()
  for (const since of [
    'nowhere',
    'HEAD~99',
    '-n',
    '--output=x',
    '',
    'a\nb',
    'main..nowhere',
    '...nowhere',
    '\0',
  ])
    await expect(gitIn(made).changedFiles({ since, ...wait }), since).rejects.toMatchObject(
      expectStrings({ kind: 'InvalidArguments', message: /git knows no revision/ }),
    )
  made.git('checkout', '-q', '--orphan', 'other')
  made.commit('another beginning')
  await expect(gitIn(made).changedFiles({ since: 'main...other', ...wait })).rejects.toMatchObject(
    expectStrings({ kind: 'InvalidArguments', message: /no commit in common/ }),
  )
})

function expectStrings(detail: Readonly<Record<string, string | RegExp>>) {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [
      key,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]),
  )
}

test('contract 3 a repository of somebody else is refused with the words that help', async () => {
  const stderr = "fatal: detected dubious ownership in repository at '/x'\nTo add an exception..."
  const run: RunGit = async () => ({ code: 128, stdout: Buffer.alloc(0), stderr })
  const made = temporary()
  for (const since of [undefined, 'HEAD', 'a...b'])
    await expect(gitIn(made, run).changedFiles({ since, ...wait })).rejects.toMatchObject(
      expectStrings({ kind: 'NotTrusted', hint: /safe\.directory/ }),
    )
})

test('contract 3 output that is no description of a change is an error, never half a list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1 }), async garbage => {
      fc.pre(!garbage.startsWith('\0'))
      const run: RunGit = async ([command = '', ...rest]) => {
        const isList = command === 'diff-index' || rest.includes('diff-index')
        return { code: command === 'config' ? 1 : 0, stdout: Buffer.from(isList ? garbage : ''), stderr: '' }
      }
      const git = createGit({ run, read: () => undefined })
      await expect(git.changedFiles(wait)).rejects.toMatchObject({ kind: 'ServerError' })
    }),
  )
})

test('F05 a git that does not end is ended at the deadline, and one that prints without end is too', async () => {
  const clock = virtualClock()
  let killed = 0
  const stdout = new PassThrough()
  const silent: Spawn = async () => ({
    pid: 1,
    stdin: new PassThrough(),
    stdout,
    contained: 'group',
    exited: new Promise(() => {}),
    stderrTail: () => '',
    memoryBytes: () => undefined,
    kill() {
      killed += 1
    },
    terminate: async () => {},
  })
  const run = createRunGit({ root: '/', env: {}, spawn: silent, clock })
  const slow = run(['status'], { ...wait, milliseconds: 5000 })
  const settled = expect(slow).rejects.toMatchObject({ kind: 'RequestTimeout' })
  await clock.advance(5000)
  await settled
  expect(killed).toBe(1)
  const endless = run(['status'], wait)
  const refused = expect(endless).rejects.toMatchObject({ kind: 'Overloaded' })
  const chunk = Buffer.alloc(8 * 1024 * 1024)
  for (let round = 0; round < 10; round += 1) stdout.write(chunk)
  await refused
  expect(killed).toBe(2)
  const controller = new AbortController()
  const given = run(['status'], { ...wait, signal: controller.signal })
  const cancelled = expect(given).rejects.toMatchObject({ kind: 'Cancelled' })
  await Promise.resolve()
  controller.abort()
  await cancelled
})
