// Asks the person behind an MCP client whether a call may go on. The answer comes with a further round of the same call
// (`input_required`; for clients of 2025 the SDK turns it into an elicitation), so a round that asks must have done nothing.
import { createHash } from 'node:crypto'
import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { BridgeError } from '../../errors.js'
import { approvalText } from '../../policy/approval-text.js'
import type { Approve } from '../../policy/authority.js'
import type { ApprovalRequest } from '../../policy/call-authority.js'
import { approvalHint } from '../../policy/rules.js'

export interface Approval {
  readonly approve: Approve
  /** What the client is to ask, if a call came to that; undefined when there is an answer to give. */
  question(): InputRequiredResult | undefined
}

export interface Round {
  /** What came of the questions of the round before. */
  readonly responses: Record<string, unknown> | undefined
  /** What came of those of earlier rounds, as this side wrote it; a client that forges it might as well forge a reply. */
  readonly state: unknown
}

/** For a client that can ask somebody. A question has a key of its own, so that no reply counts for another one. */
export function approvalOf({ responses, state }: Round): Approval {
  const replies = new Map(Object.entries(earlierReplies(state)))
  for (const key of Object.keys(responses ?? {})) {
    const response = inputResponse(responses, key)
    if (response.kind === 'elicit')
      replies.set(key, response.action === 'accept' && response.content?.approve === true)
  }
  const wanted = new Map<string, ApprovalRequest>()
  return {
    async approve(request) {
      const key = keyOf(request)
      const reply = replies.get(key)
      if (reply !== undefined) return reply
      wanted.set(key, request)
      throw new BridgeError({ kind: 'ApprovalRequired', message: request.reason, hint: approvalHint })
    },
    question() {
      if (wanted.size === 0) return undefined
      const questions = [...wanted].map(([key, request]) => [key, elicitation(request)] as const)
      return inputRequired({
        inputRequests: Object.fromEntries(questions),
        // A client sends back the replies of the last round alone.
        ...(replies.size === 0 ? {} : { requestState: JSON.stringify(Object.fromEntries(replies)) }),
      })
    },
  }
}

function elicitation(request: ApprovalRequest) {
  return inputRequired.elicit({
    message: `Alidade: ${approvalText(request)}`,
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Approve this call' } },
      required: ['approve'],
    },
  })
}

function keyOf({ operation, effect, method, language, files, onlyThese, reason }: ApprovalRequest): string {
  const facts = JSON.stringify([operation, effect, method, language, files, onlyThese, reason])
  return `approval:${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`
}

const repliesSchema = z.record(z.string(), z.boolean())

/** Nothing where it cannot be read: then it is asked again. */
function earlierReplies(state: unknown): Readonly<Record<string, boolean>> {
  if (typeof state !== 'string') return {}
  try {
    return repliesSchema.parse(JSON.parse(state))
  } catch {
    return {}
  }
}
