// Who may ask: under some presets a model reaches no server at all, under others nobody but the model does.
import { unreachable } from '../errors.js'
import type { Policy, PolicyDecision, PolicyQuestion } from '../policy/policy.js'
import { operations } from './index.js'

export type Plane = 'passive' | 'tools' | 'both'

/** The plane is judged first: what may not ask at all need not be judged further. */
export function mayAsk(plane: Plane, policy: Policy): Policy {
  return question => refusal(plane, question) ?? policy(question)
}

function refusal(plane: Plane, { caller, operation }: PolicyQuestion): PolicyDecision | undefined {
  switch (plane) {
    case 'both':
      return undefined
    case 'passive':
      if (caller === 'host') return undefined
      return {
        decision: 'deny',
        reason: 'a model may not ask here: context is assembled for it by the host',
        hint: 'Choose another preset, or set knobs.plane to both.',
      }
    case 'tools':
      if (caller === 'model' || housekeeping.has(operation)) return undefined
      return {
        decision: 'deny',
        reason: 'only the model may ask here, through the tools it is offered',
        hint: 'Ask through tools(), choose another preset, or set knobs.plane to both.',
      }
    default:
      return unreachable(plane)
  }
}

/** What a host does to run the servers, and asks nobody for. */
const housekeeping: ReadonlySet<string> = new Set(
  operations
    .map(({ name }) => name)
    .filter(name =>
      /^(?:server_status|restart_server|(?:open|close)_document|did_change_watched_files|\w+_workspace_folders?)$/.test(
        name,
      ),
    ),
)
