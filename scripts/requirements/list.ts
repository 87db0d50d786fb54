// The requirements, one sentence each, and the tests that carry their numbers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const schema = z.array(
  z.object({
    number: z.string().regex(/^R-\d+$/),
    section: z.string(),
    sentence: z.string(),
    /** Why no test can hold it. */
    notTested: z.string().optional(),
  }),
)

export type Requirement = z.infer<typeof schema>[number]

const requirementsFile = 'test/requirements.json'

export function readRequirements(project = '.'): Requirement[] {
  return schema.parse(JSON.parse(readFileSync(join(project, requirementsFile), 'utf8')))
}

/** Which files hold a number in the name of a test, as written; what became of the tests only a run can say. */
export function filesByNumber(project = '.'): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of testFiles(project)) {
    const numbers = new Set(titlesIn(readFileSync(join(project, file), 'utf8')).flatMap(numbersIn))
    for (const number of numbers) found.set(number, [...(found.get(number) ?? []), file])
  }
  return found
}

export function numbersIn(title: string): string[] {
  return title.match(/\bR-\d+\b/g) ?? []
}

function testFiles(project: string): string[] {
  return ['src', 'test']
    .flatMap(folder =>
      readdirSync(join(project, folder), { recursive: true }).map(name => `${folder}/${name}`),
    )
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => /\.ts$/.test(name) && (name.startsWith('test/') || name.endsWith('.test.ts')))
    .sort()
}

/** String literals that begin with a number of a requirement or of a fault: this is how tests are named here. */
function titlesIn(source: string): string[] {
  return source.match(/(['"`])(?:[A-Z]+-?[A-Z]*-?\d+\b[, ]*)+[^'"`\n]*/g) ?? []
}
