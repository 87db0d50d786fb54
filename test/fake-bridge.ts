// A whole bridge on a small workspace whose servers are fakes, one for each language the story needs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BridgeOptions } from '../src/bridge.js'
import { type Bridge, createBridge } from '../src/index.js'
import type { ServerDefinition } from '../src/servers/definition.js'
import { fakeDefinition, startedBy } from './fake-definition.js'
import { type FakeServerCommand, fakeServerCommand, type Script } from './fake-server/index.js'
import { type Fixture, type TemporaryWorkspace, temporaryWorkspace } from './fixture/index.js'

export interface FakeLanguage {
  /** Also the extension of its files. */
  readonly language: string
  readonly script?: Script
  readonly definition?: Partial<ServerDefinition>
}

export interface FakeBridge extends AsyncDisposable {
  readonly bridge: Bridge
  readonly workspace: TemporaryWorkspace
  readonly servers: readonly FakeServerCommand[]
  /** Starts the server of a file, so that a short deadline is spent on the question itself. */
  warm(file: string): Promise<void>
}

export async function fakeBridge(
  fixture: Pick<Fixture, 'files'>,
  languages: readonly FakeLanguage[],
  options: BridgeOptions = {},
): Promise<FakeBridge> {
  const workspace = await temporaryWorkspace(fixture)
  const state = mkdtempSync(join(tmpdir(), 'alidade-state-'))
  const servers = languages.map(({ script }) =>
    fakeServerCommand({ diagnostics: 'push-versioned', ...script }),
  )
  const bridge = await createBridge({
    root: workspace.root,
    env: { ...process.env, XDG_CONFIG_HOME: join(state, 'config'), XDG_STATE_HOME: join(state, 'state') },
    definitions: languages.map((language, index) => definitionOf(language, servers[index])),
    ...options,
  })
  return {
    bridge,
    workspace,
    servers,
    async warm(file) {
      const answer = await bridge.listSymbols({ file })
      if (!answer.ok && answer.kind !== 'CapabilityMissing') throw new Error(answer.error)
    },
    async [Symbol.asyncDispose]() {
      await bridge.close()
      for (const server of servers) server.dispose()
      rmSync(state, { recursive: true, force: true })
      await workspace.dispose()
    },
  }
}

export function definitionOf(
  { language, definition }: FakeLanguage,
  server: FakeServerCommand | undefined,
): ServerDefinition {
  return fakeDefinition({
    id: language,
    title: `Fake ${language}`,
    language,
    extensions: { [`.${language}`]: language },
    ...(server === undefined ? { command: 'no-such-program' } : startedBy(server)),
    install: `npm install ${language}-server`,
    ...definition,
  })
}
