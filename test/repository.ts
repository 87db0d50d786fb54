// A git repository in a folder of its own, untouched by whatever this machine has configured for git.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Repository extends Disposable {
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  path(file: string): string
  write(file: string, text: string): void
  /** Runs git as its user would, with everything that is configured. */
  git(...args: readonly string[]): string
  commit(message?: string): void
}

/** In a new folder, or in one that exists. */
export function repository(where?: string, ...initOptions: readonly string[]): Repository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-git-')))
  const root = where ?? join(folder, 'work tree')
  const home = join(folder, 'home')
  mkdirSync(home)
  if (!existsSync(root)) mkdirSync(root)
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'n',
    GIT_AUTHOR_EMAIL: 'n@example.com',
    GIT_COMMITTER_NAME: 'n',
    GIT_COMMITTER_EMAIL: 'n@example.com',
  }
  const path = (file: string) => join(root, file)
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  git('init', '-q', '-b', 'main', ...initOptions)
  return {
    root,
    env,
    path,
    write(file, text) {
      mkdirSync(dirname(path(file)), { recursive: true })
      writeFileSync(path(file), text)
    },
    git,
    commit(message = 'a commit') {
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', message)
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}
