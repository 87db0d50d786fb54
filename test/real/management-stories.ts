// What is asked of the bridge about its servers rather than of a server about code: documents, announced changes,
// commands, folders, a restart. The restart comes last, because the others are about one and the same process.
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { writeFixture } from '../fixture/index.js'
import { askReferences, clean, diagnose, referencesIn, whileEdited } from './questions.js'
import { placesOf } from './reading-stories.js'
import type { Opened, StoryCommand, Telling } from './telling.js'

export function tellOfManagement(telling: Telling, opened: Opened): void {
  const { server, story, judge, command, tell } = telling
  const { title, id } = server.definition

  tell('documents', async () => {
    const workspace = opened()
    const { bridge } = workspace
    const file = story.greeter
    const open = async () => judge.accept('open_document', await bridge.openDocument({ file })).result
    expect(await open()).toMatchObject({ file, server: title, was_kept: false })
    await whileEdited(workspace, story.ownBreakage, async () => {
      // Kept open or not, its text is that on the disk.
      expect((await diagnose(workspace, story, judge)).errors).not.toEqual([])
    })
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
    const { content, version } = await open()
    const close = async () => judge.accept('close_document', await bridge.closeDocument({ file })).result
    expect(await close()).toEqual({ file, servers: [{ server: title, version, content, was_kept: true }] })
    expect(await bridge.closeDocument({ file })).toMatchObject({ ok: true, result: { servers: [] } })
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
  })

  tell('watched', async () => {
    const workspace = opened()
    const { file } = story.ownBreakage
    const announce = async () => {
      const answer = await workspace.bridge.didChangeWatchedFiles({ files: [file] })
      const { result } = judge.accept('did_change_watched_files', answer)
      expect(result).toEqual({
        changes: [{ file, type: 'changed' }],
        servers: [{ server: title, root: '.', told_of: 1 }],
      })
    }
    await whileEdited(workspace, story.ownBreakage, async () => {
      await announce()
      expect((await diagnose(workspace, story, judge)).errors).not.toEqual([])
    })
    await announce()
    expect(await diagnose(workspace, story, judge)).toEqual(clean)
  })

  const commandOfFix = async (wanted: RegExp) => {
    const { file, line } = placesOf(story).cursor
    const answer = await opened().bridge.suggestFixes({ file, line })
    const { fixes } = judge.accept('suggest_fixes', answer).result
    const fix = fixes.find(found => wanted.test(found.title))
    expect(fix, JSON.stringify(fixes.map(found => found.title))).toMatchObject({
      command: expect.any(String),
    })
    return { command: fix?.command ?? '', arguments: fix?.arguments ?? [] }
  }
  const directly = (command: Extract<StoryCommand, { readonly name: string }>) => {
    const file = opened().path(placesOf(story).cursor.file)
    return {
      command: command.name,
      arguments: command.arguments(file).map(argument => JSON.stringify(argument)),
    }
  }

  tell('command', async () => {
    const { bridge } = opened()
    const { file } = placesOf(story).cursor
    const unknown = await bridge.executeCommand({ command: 'alidade.nothing', file })
    if (command === undefined) return judge.acceptLack('execute_command', unknown)
    expect(unknown).toMatchObject({
      ok: false,
      kind: 'CapabilityMissing',
      error: expect.stringContaining('alidade.nothing'),
      hint: expect.stringMatching(/^It declares: \S/),
    })
    const asked = 'fix' in command ? await commandOfFix(command.fix) : directly(command)
    const { result, proposals } = judge.accept(
      'execute_command',
      await bridge.executeCommand({ ...asked, file }),
    ).result
    if ('answer' in command) expect(result ?? '').toMatch(command.answer ?? /^$/)
    else
      expect(proposals).toMatchObject([
        { handle: expect.stringMatching(/^p:/), diff: expect.stringMatching(/^\+[^+]/m) },
      ])
    // Nothing was written, and the server knows it.
    expect(await diagnose(opened(), story, judge)).toEqual(clean)
  })

  tell('folders', async () => {
    const workspace = opened()
    const { bridge } = workspace
    const [guest = ''] = story.guest.files.keys()
    const folder = dirname(guest)
    await writeFixture(story.guest, workspace.root)
    const listed = async () => {
      const answer = await bridge.listWorkspaceFolders({})
      const { folders } = judge.accept('list_workspace_folders', answer).result
      return folders.map(found => found.folder)
    }
    expect(await listed()).toEqual(['.'])
    const added = judge.accept('add_workspace_folder', await bridge.addWorkspaceFolder({ folder })).result
    expect(added).toMatchObject({ folder, changed: true })
    expect(added.folders).toMatchObject([
      { folder: '.', added: false, servers: [{ server: title, as: 'root' }] },
      { folder, added: true, servers: [{ server: title, as: expect.stringMatching(/^(told|covered)$/) }] },
    ])
    expect(await listed()).toEqual(['.', folder])
    const removed = await bridge.removeWorkspaceFolder({ folder })
    expect(judge.accept('remove_workspace_folder', removed).result).toMatchObject({ folder, changed: true })
    expect(await listed()).toEqual(['.'])
    await rm(workspace.path(folder), { recursive: true })
    expect(await askReferences(workspace, story, judge)).toEqual(referencesIn(story))
  })

  tell('restart', async () => {
    const workspace = opened()
    const before = workspace.processes().map(({ pid }) => pid)
    const answer = await workspace.bridge.restartServer({})
    const { restarted } = judge.accept('restart_server', answer).result
    expect(restarted).toMatchObject([
      { id, before: 'ready', state: expect.stringMatching(/^(ready|indexing)$/) },
    ])
    expect(await askReferences(workspace, story, judge)).toEqual(referencesIn(story))
    expect(workspace.processes().filter(({ pid }) => before.includes(pid))).toEqual([])
  })
}
