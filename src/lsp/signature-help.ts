// Signature help as a server sends it. Which signature and which parameter are meant can be said in several places, with
// defaults between them, and a parameter can be named by its text or by offsets into the signature.
import { parseMarkup } from './markup.js'
import { list, malformed, record, text } from './parse.js'

export interface ServerSignature {
  readonly label: string
  readonly documentation: string | undefined
  readonly active: boolean
  readonly parameters: readonly ServerParameter[]
}

export interface ServerParameter {
  readonly label: string
  readonly documentation: string | undefined
  readonly active: boolean
}

/** Null is the answer where there is no call. */
export function parseSignatureHelp(result: unknown): ServerSignature[] {
  if (result === null || result === undefined) return []
  const help = record(result, 'signature help')
  const signatures = list(help.signatures, 'signatures')
  const { activeSignature } = help
  const chosen = isIndexOf(activeSignature, signatures) ? activeSignature : 0
  return signatures.map((value, index) => {
    const signature = record(value, 'a signature')
    const label = text(signature.label, 'a signature')
    const { parameters } = signature
    const all = parameters === undefined || parameters === null ? [] : list(parameters, 'parameters')
    // The signature's own word wins over the answer's; null is a word too, and says that none is meant.
    const own = signature.activeParameter === undefined ? help.activeParameter : signature.activeParameter
    const active = activeIndex(own)
    return {
      label,
      documentation: parseMarkup(signature.documentation),
      active: index === chosen,
      parameters: all.map((parameter, at) => parseParameter(parameter, label, at === active)),
    }
  })
}

/**
 * The protocol takes a number past the last parameter for the first one. But servers send it for a call with too many
 * arguments, where pointing at the first would be wrong, so then none is meant.
 */
function activeIndex(value: unknown): number | undefined {
  if (value === undefined) return 0
  return typeof value === 'number' ? value : undefined
}

function parseParameter(value: unknown, signature: string, active: boolean): ServerParameter {
  const parameter = record(value, 'a parameter')
  return {
    label: parameterLabel(parameter.label, signature),
    documentation: parseMarkup(parameter.documentation),
    active,
  }
}

/** Offsets count UTF-16 units of the signature's label, whatever encoding positions have. */
function parameterLabel(value: unknown, signature: string): string {
  if (!Array.isArray(value)) return text(value, 'a parameter')
  const [start, end] = value
  if (typeof start !== 'number' || typeof end !== 'number') throw malformed('a parameter', value)
  return signature.slice(Math.max(start, 0), Math.max(end, 0))
}

function isIndexOf(value: unknown, items: readonly unknown[]): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < items.length
}
