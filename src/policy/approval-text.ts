// The question that is put to a person, in one place for every surface: what is to be done comes before the reason, whose
// words may be a stranger's, and it says as much as the reply counts for.
import { cleanLine } from '../text/clean.js'
import type { ApprovalRequest } from './call-authority.js'

const mostNamed = 5
const longestName = 200
const longestReason = 500

export function approvalText({
  operation,
  effect,
  method,
  language,
  files,
  onlyThese,
  reason,
}: ApprovalRequest): string {
  const act = method === undefined ? 'run' : `send ${method}`
  const asked = `may ${operation} (class ${effect}) ${act}${language === undefined ? '' : ` for ${language}`}`
  const named = files.slice(0, mostNamed).map(file => cleanLine(file, longestName).text)
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : ''
  const list = `${named.join(', ')}${more}`
  const where = files.length === 0 ? '' : onlyThese ? ` in ${list}` : ` on ${list} and what that leads to`
  return `${asked}${where}? It has to be approved because ${cleanLine(reason, longestReason).text}.`
}
