// The two questions the stories ask over and over, and places written so that a difference is readable.
import { expect } from 'vitest'
import type { Place } from '../../src/index.js'
import type { Judge } from './judge.js'
import type { OpenWorkspace } from './open.js'
import type { Edit, Story } from './story.js'

/** All references to the type, asked from a use of it. */
export async function askReferences(
  { bridge }: OpenWorkspace,
  story: Story,
  judge: Judge,
): Promise<string[]> {
  const [use] = story.fixture.ranges('Person').filter(({ file }) => file === story.greeter)
  const answer = await bridge.findReferences({ file: story.greeter, line: use?.line, symbol: story.type })
  return judge.accept('find_references', answer).result.references.map(shortPlace).sort()
}

export function referencesIn(story: Story): string[] {
  return story.fixture.ranges('Person').map(shortPlace).sort()
}

/** What `diagnose` tells of a file with nothing wrong. */
export const clean = { errors: [], others: [] }

/** What is wrong with the greeter, settled for its present content. */
export async function diagnose({ bridge }: OpenWorkspace, story: Story, judge: Judge) {
  const answer = await bridge.getDiagnostics({ file: story.greeter })
  const [file] = judge.accept('get_diagnostics', answer).result.files
  expect(file).toMatchObject({ file: story.greeter, verdict: 'settled' })
  const told = (errors: boolean) =>
    (file?.diagnostics ?? [])
      .filter(({ severity }) => (severity === 'error') === errors)
      .map(({ message }) => message)
  return { errors: told(true), others: told(false) }
}

/** Whatever happens meanwhile, the old text stands afterwards: one story must not break the next. */
export async function whileEdited<T>(
  workspace: OpenWorkspace,
  edit: Edit,
  run: () => Promise<T>,
): Promise<T> {
  const mend = await workspace.edit(edit)
  try {
    return await run()
  } finally {
    await mend()
  }
}

type Range = Pick<Place, 'file' | 'line' | 'column' | 'end_line' | 'end_column'>

export function shortPlace({ file, line, column, end_line, end_column }: Range): string {
  return `${file}:${line}:${column}-${end_line}:${end_column}`
}

interface Outlined extends Place {
  readonly name: string
  readonly path: string
  readonly children?: readonly Outlined[] | undefined
}

export function withChildren(symbol: Outlined): Outlined[] {
  return [symbol, ...(symbol.children ?? []).flatMap(withChildren)]
}
