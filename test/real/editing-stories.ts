// What an edit would break, and the edits that servers themselves propose: previewed, applied by their handle, and looked
// at on the disk. Every story leaves the files as it found them.
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Answer, Success } from '../../src/index.js'
import { clean, diagnose, whileEdited } from './questions.js'
import { placesOf } from './reading-stories.js'
import type { Breakage, Edit, Story } from './story.js'
import type { Opened, Telling } from './telling.js'

export function tellOfEditing(telling: Telling, opened: Opened): void {
  tellOfPreviews(telling, opened)
  tellOfChecks(telling, opened)
  tellOfRename(telling, opened)
  tellOfFixes(telling, opened)
  tellOfFormatting(telling, opened)
  tellOfCompletions(telling, opened)
}

function tellOfPreviews({ story, judge, provesClean, tell }: Telling, opened: Opened): void {
  const harmless = harmlessClass(provesClean)

  /** Previews the edits; the disk and what the server says of it must be as before. */
  const preview = async (edits: readonly PreviewedEdit[]) => {
    const workspace = opened()
    const before = textsOf(story, opened)
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
    const answer = await workspace.bridge.previewEdit({ edits: [...edits] })
    const { result } = judge.accept('preview_edit', answer)
    expect(textsOf(story, opened)).toEqual(before)
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
    return result
  }
  const comment = (step: number): PreviewedEdit => {
    const { file, line } = placesOf(story).caller
    return { file, line, column: 1, new_text: `${story.comment}\n`, step }
  }

  tell('previewOwn', async () => {
    const result = await preview([previewed(story.ownBreakage)])
    expect(result).toMatchObject({ class: 'new_errors' })
    expect(newErrors(result)).toMatchObject([
      { file: story.greeter, message: expect.stringMatching(story.ownBreakage.complaint) },
    ])
  })

  tell('previewForeign', async () => {
    const result = await preview([previewed(story.foreignBreakage)])
    expect(result).toMatchObject({ class: 'new_errors', scope: 'dependents' })
    expect(newErrors(result)).toMatchObject([
      { file: story.greeter, message: expect.stringMatching(story.foreignBreakage.complaint) },
    ])
  })

  tell('previewComment', async () => {
    const result = await preview([comment(1)])
    expect(result.class).toBe(harmless)
    expect(result.files.flatMap(file => [...file.new, ...file.resolved])).toEqual([])
  })

  tell('chain', async () => {
    const safe = await preview([comment(1), comment(2)])
    expect(safe).toMatchObject({ class: harmless, clean_through_step: provesClean ? 2 : 0 })
    const broken = await preview([comment(1), { ...previewed(story.ownBreakage), step: 2 }, comment(3)])
    expect(broken).toMatchObject({
      class: 'new_errors',
      steps: [{ class: harmless }, { class: 'new_errors' }, { class: 'new_errors' }],
      clean_through_step: provesClean ? 1 : 0,
    })
  })
}

function tellOfChecks({ story, judge, provesClean, tell }: Telling, opened: Opened): void {
  const harmless = harmlessClass(provesClean)

  /** Judges the breakage, and the file again when it is mended. */
  const judged = async (breakage: Breakage, prepare: boolean) => {
    const workspace = opened()
    const { bridge } = workspace
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
    const begun = await bridge.beginChange({ files: [breakage.file], prepare })
    const { change } = (prepare ? judge.accept('begin_change', begun) : accepted(begun)).result
    const check = async () => judge.accept('check_change', await bridge.checkChange({ change })).result
    const broken = await whileEdited(workspace, breakage, check)
    expect(broken).toMatchObject({ class: 'new_errors', baseline: `change ${change}` })
    expect(newErrors(broken)).toMatchObject([
      { file: story.greeter, message: expect.stringMatching(breakage.complaint) },
    ])
    const mended = judge.accept(
      'check_change',
      await bridge.checkChange({ change, files: [breakage.file] }),
    ).result
    expect(mended).toMatchObject({ class: harmless })
    expect(mended.files.flatMap(file => [...file.new, ...file.resolved])).toEqual([])
    return broken
  }

  tell('checkOwn', async () => {
    await judged(story.ownBreakage, true)
    await judged(story.ownBreakage, false)
  })

  tell('checkForeign', async () => {
    expect(await judged(story.foreignBreakage, true)).toMatchObject({ scope: 'dependents' })
    expect(await judged(story.foreignBreakage, false)).toMatchObject({ scope: 'dependents' })
  })
}

function accepted<R>(answer: Answer<R>): Success<R> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error}`)
}

function tellOfRename({ story, judge, provesClean, tell }: Telling, opened: Opened): void {
  const { method, newName, person, greeter } = story
  const harmless = harmlessClass(provesClean)
  const both = [greeter, person].sort()

  /** Proposes the name for what stands at the cursor, previews it and writes it; returns the proposal. */
  const rename = async (new_name: string) => {
    const { bridge } = opened()
    const before = textsOf(story, opened)
    const answer = await bridge.renameSymbol({ ...story.fixture.cursor(), new_name })
    const { files, diff, handle = '' } = judge.accept('rename_symbol', answer).result
    expect(files.map(({ file }) => file).sort()).toEqual(both)
    for (const file of both) expect(diff).toContain(`+++ b/${file}\n`)
    const previewed = judge.accept('preview_edit', await bridge.previewEdit({ handle })).result
    expect(previewed.class).toBe(harmless)
    expect(previewed.files.flatMap(file => file.new)).toEqual([])
    expect(textsOf(story, opened)).toEqual(before)
    const { result } = judge.accept('apply_edit', await bridge.applyEdit({ handle }))
    expect(result.class).toBe(harmless)
    expect(result.applied).toEqual(both.map(file => ({ file, change: 'modified' })))
    return handle
  }

  tell('rename', async () => {
    const { bridge } = opened()
    const { cursor } = placesOf(story)
    const before = textsOf(story, opened)
    const asked = judge.offered('prepare_rename', await bridge.prepareRename(cursor))
    if (asked !== undefined)
      expect(asked.result).toMatchObject({ can_rename: true, placeholder: method.name })
    const handle = await rename(newName)
    for (const [file, text] of textsOf(story, opened)) {
      expect(text).toContain(newName)
      expect(text).not.toMatch(new RegExp(`\\b${method.name}\\b`))
      expect(text.split(newName).join(method.name)).toBe(before.get(file))
    }
    const again = await bridge.applyEdit({ handle })
    expect(again).toMatchObject({ ok: false, kind: 'StaleProposal' })
    const symbol = method.path.replace(method.name, () => newName)
    const answer = await bridge.findReferences({ file: person, symbol })
    const { references } = judge.accept('find_references', answer).result
    expect(references.map(({ file }) => file).sort()).toEqual(both)
    // Where a call ends is a matter of taste: JDT LS counts its arguments in.
    const { file, line, column } = cursor
    expect(references).toContainEqual(expect.objectContaining({ file, line, column }))
    await rename(method.name)
    expect(textsOf(story, opened)).toEqual(before)
  })
}

function tellOfFixes({ story, judge, repair, tell }: Telling, opened: Opened): void {
  tell('fixes', async () => {
    const workspace = opened()
    const { bridge } = workspace
    const breakage = repair ?? story.ownBreakage
    const complaint = expect.stringMatching(breakage.complaint)
    await whileEdited(workspace, breakage, async () => {
      expect((await diagnose(workspace, story, judge)).errors).toContainEqual(complaint)
      const answer = await bridge.suggestFixes({ file: story.greeter, only: ['quickfix'] })
      const { fixes, diagnostics } = judge.accept('suggest_fixes', answer).result
      expect(diagnostics).toBeGreaterThan(0)
      const titles = fixes.map(({ title }) => title)
      if (repair === undefined) return expect(titles).toEqual([])
      expect(titles).toContainEqual(expect.stringMatching(repair.title))
      const fix = fixes.find(({ title }) => repair.title.test(title))
      const applied = await bridge.applyEdit({ handle: fix?.handle ?? 'it has none' })
      const { files } = judge.accept('apply_edit', applied).result
      const resolved = files.flatMap(file => file.resolved).map(({ message }) => message)
      expect(resolved).toContainEqual(complaint)
      expect((await diagnose(workspace, story, judge)).errors).toEqual([])
    })
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
  })
}

function tellOfFormatting({ story, judge, provesClean, tell }: Telling, opened: Opened): void {
  const { file } = story.untidy

  /** Formatting is asked for while the file is untidy; written, the proposal must bring the tidy text back. */
  const tidy = async (propose: () => Promise<string | undefined>) => {
    const workspace = opened()
    const before = textsOf(story, opened)
    await whileEdited(workspace, story.untidy, async () => {
      const handle = await propose()
      if (handle === undefined) return
      const { result } = judge.accept('apply_edit', await workspace.bridge.applyEdit({ handle }))
      const applied = [{ file, change: 'modified' }]
      expect(result).toMatchObject({ class: harmlessClass(provesClean), applied })
      expect(textsOf(story, opened)).toEqual(before)
    })
  }

  tell('formatDocument', () =>
    tidy(async () => {
      const answer = await opened().bridge.formatDocument({ file })
      const result = judge.offered('format_document', answer)?.result
      return result === undefined ? undefined : (result.handle ?? expect.fail('it proposes nothing'))
    }),
  )

  tell('formatRange', () =>
    tidy(async () => {
      const { line } = placesOf(story).cursor
      const answer = await opened().bridge.formatRange({ file, line })
      const result = judge.offered('format_range', answer)?.result
      return result === undefined ? undefined : (result.handle ?? expect.fail('it proposes nothing'))
    }),
  )
}

function tellOfCompletions({ story, judge, tell }: Telling, opened: Opened): void {
  const { method, greeter: file } = story

  tell('completions', async () => {
    const workspace = opened()
    const { line } = placesOf(story).cursor
    // As it is while somebody writes: nothing behind the dot yet, and the file in no good state.
    const unfinished = { file, find: `person.${method.name}()`, replace: 'person.' }
    await whileEdited(workspace, unfinished, async () => {
      const answer = await workspace.bridge.getCompletions({ file, line, after: 'person.' })
      const { completions } = judge.accept('get_completions', answer).result
      const written = completions.map(({ label, insert }) => insert ?? label)
      expect(written).toContainEqual(expect.stringMatching(new RegExp(`^${method.name}\\b`)))
    })
  })
}

/** Where the server cannot tell that nothing is wrong, nobody says so. */
function harmlessClass(provesClean: boolean): 'clean' | 'lsp_unavailable' {
  return provesClean ? 'clean' : 'lsp_unavailable'
}

interface PreviewedEdit {
  readonly file: string
  readonly new_text: string
  readonly find?: string
  readonly line?: number
  readonly column?: number
  readonly step?: number
}

function previewed({ file, find, replace }: Edit): PreviewedEdit {
  return { file, find, new_text: replace }
}

interface JudgedChange {
  readonly files: readonly {
    readonly new: readonly { readonly severity: string; readonly file: string; readonly message: string }[]
  }[]
}

function newErrors({ files }: JudgedChange) {
  return files.flatMap(file => file.new).filter(({ severity }) => severity === 'error')
}

/** As they are on the disk. */
function textsOf({ person, greeter }: Story, opened: Opened): ReadonlyMap<string, string> {
  return new Map([person, greeter].map(file => [file, readFileSync(opened().path(file), 'utf8')]))
}
