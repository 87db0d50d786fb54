// Opens the evidence of a workspace for writing: where it lies, who writes, what is told when it fails.
import { type Clock, systemClock } from '../clock.js'
import type { Events } from '../events.js'
import { type EvidenceDisk, systemEvidenceDisk } from './disk.js'
import { type EvidenceMode, eventRecorder, type Recorder } from './evidence.js'
import { evidenceFolders, identityOf, isInside } from './layout.js'
import { EvidenceLog, type LogStatus, logDefaults } from './log.js'
import { processOwner } from './owner.js'
import { createRecorder } from './recorder.js'
import { createRedact } from './redact.js'
import type { EvidenceEvent } from './shapes.js'
import { storable } from './storable.js'
import { findTelemetry } from './telemetry.js'

export interface EvidenceOptions {
  /** Read anew each time, but for whether records are kept at all. */
  readonly mode: EvidenceMode
  /** The user's. */
  readonly stateFolder: string
  /** Whether somebody chose that folder; only then may it lie inside the workspace. */
  readonly isChosen: boolean
  /** Canonical. */
  readonly root: string
  readonly home: string | undefined
  readonly events: Events
  readonly clock?: Clock | undefined
  /** The seam of the tests. */
  readonly disk?: EvidenceDisk | undefined
}

/** Touches no file before the first record. */
export function openEvidence(options: EvidenceOptions): Recorder {
  const { stateFolder, isChosen, root, home, events, clock = systemClock } = options
  if (options.mode === 'none') return eventRecorder(events)
  const folders = evidenceFolders(stateFolder, root)
  const redact = createRedact({ root, home })
  const clean = (event: EvidenceEvent) => storable(event, redact)
  const identity = identityOf(root)
  const misplaced = !isChosen && isInside(folders.log, root)
  const log = new EvidenceLog({
    ...logDefaults,
    disk: misplaced ? refusingDisk() : (options.disk ?? systemEvidenceDisk),
    folders,
    identity: { ...identity, name: redact(identity.name, 100) },
    owner: processOwner(),
    clock,
    clean,
    onChange: status => events.emit({ type: 'bridge.logged', ...toldOf(status, options.mode) }),
  })
  const telemetry = findTelemetry(clean)
  return createRecorder({
    log,
    get mode() {
      return options.mode === 'required' ? 'required' : 'best-effort'
    },
    events,
    clock,
    root,
    folder: folders.log,
    onEvent: telemetry,
  })
}

function toldOf(status: LogStatus, mode: EvidenceMode) {
  const { state, cause } = status
  if (state !== 'failing')
    return { level: 'info', message: 'evidence is kept again; the gap is on record' } as const
  const consequence =
    mode === 'required'
      ? 'calls are refused until it can be'
      : 'answers go on without it, and the gap will be on record'
  return { level: 'warning', message: `evidence cannot be kept (${cause}): ${consequence}` } as const
}

function refusingDisk(): EvidenceDisk {
  return {
    ...systemEvidenceDisk,
    async makeFolder() {
      throw new Error(
        'its folder would lie inside the workspace; set XDG_STATE_HOME to say that it may, or elsewhere',
      )
    },
  }
}
