// Asks the person behind an MCP client whether a call may go on. The answer comes with a second round of the same call
// (`input_required`; for clients of 2025 the SDK turns it into an elicitation), so the first round must have done nothing.
import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { BridgeError } from '../../errors.js'
import type { ApprovalRequest, Approve } from '../../policy/authority.js'
import { approvalHint } from '../../policy/rules.js'

export interface Approval {
  readonly approve: Approve
  /** What the client is to ask, if a call came to that; undefined when there is an answer to give. */
  question(): InputRequiredResult | undefined
}

const key = 'approval'

/** For a client that can ask somebody; `responses` are what came of it, in the second round. */
export function approvalOf(responses: Record<string, unknown> | undefined): Approval {
  const response = inputResponse(responses, key)
  let wanted: ApprovalRequest | undefined
  return {
    async approve(request) {
      if (response.kind === 'elicit')
        return response.action === 'accept' && response.content?.approve === true
      wanted = request
      throw new BridgeError({ kind: 'ApprovalRequired', message: request.reason, hint: approvalHint })
    },
    question() {
      if (wanted === undefined) return undefined
      return inputRequired({
        inputRequests: {
          [key]: inputRequired.elicit({
            message: messageFor(wanted),
            requestedSchema: {
              type: 'object',
              properties: { approve: { type: 'boolean', title: 'Approve this call' } },
              required: ['approve'],
            },
          }),
        },
      })
    },
  }
}

function messageFor({ operation, effect, file, reason }: ApprovalRequest): string {
  const where = file === undefined ? '' : ` in ${file}`
  return `Alidade: may ${operation} (class ${effect}) run${where}? It has to be approved because ${reason}.`
}
