// Every fault that has a name, one list over all families. A fault is a part of a script: combine it with others
// or with rules of the test's own.
import { answerFaults } from './faults-answers.js'
import { diagnosticsFaults } from './faults-diagnostics.js'
import { framingFaults } from './faults-framing.js'
import { handshakeFaults } from './faults-handshake.js'
import { processFaults } from './faults-process.js'
import { requestFaults } from './faults-requests.js'
import { readinessFaults } from './readiness.js'
import type { Script, Selector } from './script.js'

const named = {
  ...handshakeFaults,
  ...framingFaults,
  ...answerFaults,
  ...requestFaults,
  ...diagnosticsFaults,
  ...processFaults,
  ...readinessFaults,
} satisfies Record<string, Script>

export type FaultName = keyof typeof named

export const faults: Readonly<Record<FaultName, Script>> = named

/** The fault, only for one method instead of for every query. */
export function faultOn(name: FaultName, method: Selector): Script {
  const fault = faults[name]
  return {
    ...fault,
    rules: (fault.rules ?? []).map(rule => (rule.on === '@query' ? { ...rule, on: method } : rule)),
  }
}
