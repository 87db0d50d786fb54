// Puts real questions to the server of every language found: does it start, and does it know that a symbol of one file is
// used in another? A server that runs and knows one file only is the fault people meet most.
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import type { BridgeCore, LanguageChoice } from '../../../bridge.js'
import type { Answer, Completeness } from '../../../operations/answer.js'
import { findReferences } from '../../../operations/find-references.js'
import { listSymbols } from '../../../operations/list-symbols.js'
import { serverStatus } from '../../../operations/server-status.js'

export interface Examination extends LanguageChoice {
  /** Who answered. */
  readonly server?: {
    readonly id: string
    readonly name: string
    readonly version: string
    readonly how: string
  }
  /** The question that was put, and what came of it. */
  readonly question?: CrossFileQuestion
  readonly ready_ms?: number
  readonly first_answer_ms?: number
  readonly memory_mb?: number
  readonly health: 'good' | 'limited' | 'faulty'
  readonly finding: string
  /** One concrete thing to do, when something is off. */
  readonly fix?: string
}

export interface CrossFileQuestion {
  readonly file: string
  readonly symbol: string
  readonly references: number
  readonly files: number
  readonly verdict: Completeness['verdict']
}

/** Where only the model may ask, what it would ask is tried in its name. */
function asker({ preset }: BridgeCore) {
  return { caller: preset.plane === 'tools' ? 'model' : 'host' } as const
}

const mostFiles = 6
const mostSymbols = 4

export async function examine(choice: LanguageChoice, bridge: BridgeCore): Promise<Examination> {
  if (choice.error !== undefined) {
    const { message, hint } = choice.error
    return { ...choice, health: 'faulty', finding: message, ...(hint === undefined ? {} : { fix: hint }) }
  }
  const began = performance.now()
  let readyAt: number | undefined
  const ids = new Set(choice.candidates.map(({ id }) => id))
  const stop = bridge.events.subscribe(event => {
    if (event.type === 'server.stateChanged' && event.to === 'ready' && ids.has(event.server))
      readyAt ??= performance.now()
  })
  const asked = await question(choice.language, bridge).finally(stop)
  const time = {
    ...(readyAt === undefined ? {} : { ready_ms: Math.round(readyAt - began) }),
    ...(asked.answeredAt === undefined ? {} : { first_answer_ms: Math.round(asked.answeredAt - began) }),
  }
  return { ...choice, ...time, ...(await whoAnswered(choice.language, bridge)), ...judged(asked) }
}

interface Asked {
  /** The last answer; undefined when no file declares anything to ask about. */
  readonly answer: Answer<unknown> | undefined
  readonly question: CrossFileQuestion | undefined
  readonly answeredAt: number | undefined
}

const references = z.object({ references: z.array(z.object({ file: z.string() })) })

/** Goes on until a symbol turns up that another file uses; most files declare one. */
async function question(language: string, bridge: BridgeCore): Promise<Asked> {
  let asked: Asked = { answer: undefined, question: undefined, answeredAt: undefined }
  for (const file of spread(await bridge.files(language))) {
    const outline = await bridge.run(listSymbols, { file }, asker(bridge))
    asked = { ...asked, answer: asked.answer ?? outline }
    if (!outline.ok) return { ...asked, answer: outline }
    for (const symbol of topNames(outline.result)) {
      const answer = await bridge.run(findReferences, { file, symbol }, asker(bridge))
      const answeredAt = asked.answeredAt ?? performance.now()
      if (!answer.ok) {
        // A name it cannot resolve says nothing about the others, a server that is gone does.
        if (answer.kind === 'SymbolAmbiguous' || answer.kind === 'SymbolNotFound') continue
        return { ...asked, answer }
      }
      const found = references.parse(answer.result).references
      const places = found.filter(place => !place.file.startsWith('external:') && !isAbsolute(place.file))
      const put = {
        file,
        symbol,
        references: places.length,
        files: new Set(places.map(place => place.file)).size,
        verdict: answer.completeness.verdict,
      }
      asked = { answer, question: put, answeredAt }
      if (put.files > 1) return asked
    }
  }
  return asked
}

/** A few, from all over the list: the first ones are often settings and generated files. */
function spread(files: readonly string[]): string[] {
  const step = Math.max(files.length / mostFiles, 1)
  const chosen = Array.from({ length: mostFiles }, (_, index) => files[Math.floor(index * step)])
  return [...new Set(chosen.filter(file => file !== undefined))]
}

const outline = z.object({ symbols: z.array(z.object({ path: z.string() })) })

function topNames(result: unknown): string[] {
  return outline
    .parse(result)
    .symbols.slice(0, mostSymbols)
    .map(({ path }) => path)
}

async function whoAnswered(
  language: string,
  bridge: BridgeCore,
): Promise<Pick<Examination, 'server' | 'memory_mb'>> {
  const status = await bridge.run(serverStatus, {}, { caller: 'host', synthetic: true })
  if (!status.ok) return {}
  const { servers } = serverStatus.output.parse(status.result)
  const found = servers.find(server => server.language === language)
  if (found === undefined) return {}
  const { id, name, version, how, memory_mb } = found
  return { server: { id, name, version, how }, memory_mb }
}

function judged({
  answer,
  question: put,
}: Asked): Pick<Examination, 'question' | 'health' | 'finding' | 'fix'> {
  if (answer === undefined) {
    return { health: 'limited', finding: 'no file declares anything that could be asked about' }
  }
  if (!answer.ok && answer.kind === 'CapabilityMissing') {
    return {
      health: 'limited',
      finding: 'it answers, for single files; it offers no search for uses in others',
    }
  }
  if (!answer.ok) return { health: 'faulty', finding: `${answer.kind}: ${answer.error}`, fix: answer.hint }
  const { completeness } = answer
  const asked = put === undefined ? {} : { question: put }
  if (completeness.verdict !== 'complete') {
    const { reason, hint } = completeness
    const health = completeness.verdict === 'unknown' ? 'faulty' : 'limited'
    return { ...asked, health, finding: reason, ...(hint === undefined ? {} : { fix: hint }) }
  }
  if (put === undefined || put.files < 2)
    return {
      ...asked,
      health: 'limited',
      finding: 'it answers; no symbol that was tried is used in another file',
    }
  const finding = `${put.symbol} of ${put.file} is used in ${put.files} files`
  return { ...asked, health: 'good', finding }
}
