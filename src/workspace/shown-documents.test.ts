// A server holds one text of a file, whoever asks: it is never taken back to one that is gone, and whoever asked hears
// whether the text he asked about was there all the time.
import { expect, test } from 'vitest'
import { ViewFolder, wait } from '../../test/view-harness.js'

const folder = new ViewFolder()

test('W08 what was read before an edit is not shown over the newer text that somebody asks about', async () => {
  const { view, open, told } = await folder.opened()
  await open('main.fake')
  const old = folder.read('main.fake')
  folder.put('main.fake', 'def sides\n')
  const asked = await open('main.fake')
  const document = await view.open(old, 'fake', wait)
  expect(document).toBe(asked)
  expect(view.isShown(asked)).toBe(true)
  expect(await told()).toEqual(['open main.fake 1: def area', 'change main.fake 2: def sides'])
})

test('W08 nor is it shown to a server that still goes by the disk', async () => {
  const { view, told } = await folder.opened()
  const old = folder.read('main.fake')
  folder.put('main.fake', 'def sides\n')
  const document = await view.open(old, 'fake', wait)
  expect(document.content).not.toBe(old.content)
  expect(await told()).toEqual(['open main.fake 1: def sides'])
})

test('W08 of a file that is gone the text that was read is not shown', async () => {
  const { view, told } = await folder.opened()
  const old = folder.read('main.fake')
  folder.remove('main.fake')
  await expect(view.open(old, 'fake', wait)).rejects.toMatchObject({ kind: 'FileNotFound' })
  expect(await told()).toEqual([])
})

test('W08 a text that was replaced and put back was not there all the time', async () => {
  const { view, open } = await folder.opened()
  const asked = await open('main.fake')
  folder.put('main.fake', 'def sides\n')
  await view.bringUpToDate(wait)
  expect(view.isShown(asked)).toBe(false)
  folder.put('main.fake', 'def area\n')
  await view.bringUpToDate(wait)
  const again = await open('main.fake')
  expect(again.content).toBe(asked.content)
  expect(view.isShown(asked)).toBe(false)
  expect(view.isShown(again)).toBe(true)
})

test('D11 a text that is only sent again was there all the time', async () => {
  const { view, open, client } = await folder.opened()
  const asked = await open('main.fake')
  folder.put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  expect((await open('main.fake')).version).toBeGreaterThan(asked.version)
  expect(view.isShown(asked)).toBe(true)
  client.documents.close(asked.uri)
  expect(view.isShown(asked)).toBe(false)
})
