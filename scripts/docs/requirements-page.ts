// docs/requirements.md: every requirement with the tests that hold it.
import { filesByNumber, readRequirements } from '../requirements/list.js'
import { page, table } from './markdown.js'

export function requirementsPage(): string {
  const files = filesByNumber()
  const requirements = readRequirements()
  const sections = [...new Set(requirements.map(({ section }) => section))]
  const parts = sections.flatMap(section => [
    `## ${section}`,
    table(
      ['', 'Requirement', 'Held by'],
      requirements
        .filter(requirement => requirement.section === section)
        .map(({ number, sentence, notTested }) => [
          number,
          sentence,
          notTested ?? (files.get(number) ?? []).map(link).join(', '),
        ]),
    ),
  ])
  return page('Requirements', [
    'One testable sentence each. A requirement is held when every test that carries its number passes; `npm run requirements` prints what the last full run says and fails on a gap.',
    ...parts,
  ])
}

function link(file: string): string {
  return `[${file
    .split('/')
    .at(-1)
    ?.replace(/(?:\.test)?\.ts$/, '')}](../${file})`
}
