// A bridge with the servers that come with the package, on a folder of its own and untouched by whatever this machine has
// configured.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BridgeOptions } from '../src/bridge.js'
import { type Bridge, createBridge } from '../src/index.js'
import { type Fixture, type TemporaryWorkspace, temporaryWorkspace } from './fixture/index.js'

export interface EmbeddedBridge extends AsyncDisposable {
  readonly bridge: Bridge
  readonly workspace: TemporaryWorkspace
  /** Another one on the same folder. */
  another(options?: BridgeOptions): Promise<Bridge>
}

export async function embeddedBridge(
  fixture: Pick<Fixture, 'files'>,
  options: BridgeOptions = {},
): Promise<EmbeddedBridge> {
  const workspace = await temporaryWorkspace(fixture)
  const state = await realpath(await mkdtemp(join(tmpdir(), 'alidade-state-')))
  const opened: Bridge[] = []
  const another = async (others: BridgeOptions = options) => {
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: join(state, 'config'),
      XDG_STATE_HOME: join(state, 'state'),
    }
    const bridge = await createBridge({ root: workspace.root, env, ...others })
    opened.push(bridge)
    return bridge
  }
  return {
    bridge: await another(),
    workspace,
    another,
    async [Symbol.asyncDispose]() {
      for (const bridge of opened) await bridge.close()
      await rm(state, { recursive: true, force: true })
      await workspace.dispose()
    },
  }
}
