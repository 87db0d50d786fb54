// Finds a chain to write to, and recovers those that others left. What does not fit is not mended: it stays as it is for
// whoever verifies it, and the next chain says so.
import { Chain, type ChainOptions } from './chain.js'
import { type Claim, claimChain, claimLeft, release, remark } from './claim.js'
import { recovered } from './segment-head.js'
import type { EvidenceEvent } from './shapes.js'
import { emptyTip, surveyChain } from './survey.js'

/** `lost` names the chain that this process wrote until now, if that cannot go on. */
export async function openChain(options: ChainOptions, lost?: string): Promise<Chain> {
  const told: EvidenceEvent[] = []
  if (lost !== undefined)
    told.push(damagedChain(lost, 'its files are gone, or somebody else wrote to them', options))
  for (;;) {
    const opened = await resume(await claimChain(options), told, options)
    if (opened instanceof Chain) return opened
    told.push(opened)
  }
}

/** Recovers what writers left that ended without closing, and returns what was found damaged among it. */
export async function recoverChains(options: ChainOptions): Promise<EvidenceEvent[]> {
  const told: EvidenceEvent[] = []
  for (let claim = await claimLeft(options); claim !== undefined; claim = await claimLeft(options)) {
    const opened = await resume(claim, [], options)
    if (!(opened instanceof Chain)) {
      told.push(opened)
      continue
    }
    try {
      await opened.commit([])
      await opened.close()
    } catch (error) {
      await opened.close('left').catch(() => {})
      throw error
    }
  }
  return told
}

/** The chain, or the event that says why it is not one any more. */
async function resume(
  claim: Claim,
  told: readonly EvidenceEvent[],
  options: ChainOptions,
): Promise<Chain | EvidenceEvent> {
  const { chain, how } = claim
  const { identity, owner } = options
  try {
    if (how === 'new')
      return await Chain.resume({ chain, tip: emptyTip(identity, chain), slot: 0, told }, options)
    const survey = await surveyChain(claim, options)
    if (survey.state === 'sound') {
      const { tip, slot, tornBytes, draft } = survey
      const ended = how === 'left' ? [recovered(chain, tip, identity)] : []
      return await Chain.resume({ chain, tip, slot, tornBytes, draft, told: [...told, ...ended] }, options)
    }
    await remark(chain, { state: 'used', owner: owner.name }, { state: 'damaged' }, options)
    return damagedChain(chain, survey.reason, options)
  } catch (error) {
    // Somebody may have more luck with it, this process at its next attempt for instance.
    await release(claim, options).catch(() => {})
    throw error
  }
}

function damagedChain(chain: string, reason: string, { identity }: ChainOptions): EvidenceEvent {
  return { ...recovered(chain, emptyTip(identity, chain), identity), damaged_chain: chain, reason }
}
