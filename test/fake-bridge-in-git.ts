// A bridge with one fake server on a repository with one commit.
import { type FakeBridge, type FakeLanguage, fakeBridge } from './fake-bridge.js'
import type { Fixture } from './fixture/index.js'
import { type Repository, repository } from './repository.js'

export interface FakeBridgeInGit extends FakeBridge {
  readonly repo: Repository
}

export async function fakeBridgeInGit(
  files: Pick<Fixture, 'files'>,
  ...languages: readonly FakeLanguage[]
): Promise<FakeBridgeInGit> {
  const opened = await fakeBridge(files, languages)
  const repo = repository(opened.workspace.root)
  repo.commit()
  return {
    ...opened,
    repo,
    async [Symbol.asyncDispose]() {
      repo[Symbol.dispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}
