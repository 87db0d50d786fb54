import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'vitest'
import { writeFixture } from '../fixture/index.js'
import { openStory } from './open.js'
import { realServer } from './servers.js'
import { storyFor } from './stories.js'
for (const id of process.env.ONLY!.split(',')) test(id, async () => {
  const server = realServer(id); const story = storyFor(server.definition.language)
  await using w = await openStory(story, { server, trusted: true })
  const [p] = story.fixture.ranges('Person').filter(r => r.file === story.greeter)
  const ask = async () => { const a = await w.bridge.findReferences({ file: story.greeter, line: p!.line, symbol: story.type }); return a.ok ? a.result.references.length + ' ' + a.completeness.verdict : a.error }
  console.log('base', await ask())
  for (let i = 0; i < 3; i++) {
    await writeFixture(story.guest, w.root)
    let last = ''; const t = Date.now(); const out = []
    while (Date.now() - t < 3000) { const n = await ask(); if (n !== last) { out.push(`${Date.now() - t}ms ${n}`); last = n } await new Promise(r => setTimeout(r, 20)) }
    console.log('added', out.join(' | '))
    for (const f of story.guest.files.keys()) await rm(w.path(dirname(f)), { recursive: true })
    last = ''; const t2 = Date.now(); const out2 = []
    while (Date.now() - t2 < 3000) { const n = await ask(); if (n !== last) { out2.push(`${Date.now() - t2}ms ${n}`); last = n } await new Promise(r => setTimeout(r, 20)) }
    console.log('removed', out2.join(' | '))
  }
})
