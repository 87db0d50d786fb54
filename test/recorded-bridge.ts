// A whole bridge whose servers are fakes and whose evidence can be read: for what must be on record, field by field.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PresetName } from '../src/config/presets.js'
import { systemEvidenceDisk } from '../src/evidence/disk.js'
import { evidenceFolders } from '../src/evidence/layout.js'
import { readLog } from '../src/evidence/read.js'
import {
  type EventOfKind,
  type EvidenceEvent,
  type EvidenceKind,
  readRecord,
} from '../src/evidence/shapes.js'
import { type FakeBridge, type FakeLanguage, fakeBridge } from './fake-bridge.js'
import type { Fixture } from './fixture/index.js'

export interface RecordedBridge extends FakeBridge {
  /** The events of a kind, in order. Records that may follow an answer are waited for by closing the bridge first. */
  recorded<Kind extends EvidenceKind>(kind: Kind): Promise<EventOfKind<Kind>[]>
}

export async function recordedBridge(
  fixture: Pick<Fixture, 'files'>,
  languages: readonly FakeLanguage[],
  { preset }: { readonly preset?: PresetName } = {},
): Promise<RecordedBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'alidade-recorded-'))
  const state = join(folder, 'state')
  const opened = await fakeBridge(fixture, languages, {
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: state },
    preset,
    // Or the governed preset would look for no server at all.
    interactive: true,
  })
  return {
    ...opened,
    recorded: kind => recordedIn(state, opened.bridge.root, kind),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a bridge with this state folder kept of the workspace. */
async function recordedIn<Kind extends EvidenceKind>(
  state: string,
  root: string,
  kind: Kind,
): Promise<EventOfKind<Kind>[]> {
  const folders = evidenceFolders(join(state, 'alidade'), root)
  const found: EventOfKind<Kind>[] = []
  for await (const { text } of readLog({}, { disk: systemEvidenceDisk, folders })) {
    const event = readRecord(text)?.event
    if (isKind(event, kind)) found.push(event)
  }
  return found
}

function isKind<Kind extends EvidenceKind>(
  event: EvidenceEvent | undefined,
  kind: Kind,
): event is EventOfKind<Kind> {
  return event?.kind === kind
}
