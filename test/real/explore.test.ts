import { test } from 'vitest'
import { openStory } from './open.js'
import { realServers } from './servers.js'
import { typescriptStory } from './story-typescript.js'
import { pythonStory } from './story-python.js'
import { goStory } from './story-go.js'
import { rustStory } from './story-rust.js'
import { cStory } from './story-c.js'
const stories = [typescriptStory, pythonStory, goStory, rustStory, cStory]
const show = (l: string, a: any) => console.log(l, JSON.stringify(a.ok ? { r: a.result, c: a.completeness, f: a.freshness.verdict, fr: a.freshness.reason, s: a.servers, note: a.target?.note } : a).slice(0, 1500))
for (const server of realServers) {
  if (process.env.ONLY && !process.env.ONLY.split(',').includes(server.definition.id)) continue
  test(server.definition.id, async () => {
    const story = stories.find(s => s.language === server.definition.language)!
    await using w = await openStory(story, { server, trusted: process.env.UNTRUSTED === undefined })
    w.bridge.events.subscribe(e => { if (e.type === 'server.logged' || e.type === 'bridge.logged' || e.type === 'server.crashed') console.log(e.type, JSON.stringify(e).slice(0, 400)) })
    const t0 = Date.now()
    const c = story.fixture.cursor()
    show('def', await w.bridge.goToDefinition({ file: c.file, line: c.line, column: c.column }))
    console.log('ms', Date.now() - t0)
    show('refs', await w.bridge.findReferences({ file: story.greeter, symbol: story.type.name, line: story.fixture.ranges('Person').find(r => r.file === story.greeter)!.line }))
    show('hover', await w.bridge.inspectSymbol({ file: c.file, line: c.line, column: c.column }))
    show('diag', await w.bridge.getDiagnostics({ file: story.greeter }))
    await w.edit(story.ownBreakage); show('diag own', await w.bridge.getDiagnostics({ file: story.greeter }))
    await w.undo(story.ownBreakage); show('diag mended', await w.bridge.getDiagnostics({ file: story.greeter }))
    await w.edit(story.foreignBreakage); show('diag foreign', await w.bridge.getDiagnostics({ file: story.greeter }))
    await w.undo(story.foreignBreakage); show('diag mended', await w.bridge.getDiagnostics({ file: story.greeter }))
    show('outline', await w.bridge.listSymbols({ file: story.person }))
    show('find', await w.bridge.findSymbol({ query: story.type.name }))
    show('status', await w.bridge.serverStatus({}))
    if (process.env.RAW) for (const m of w.traffic.messages as any[]) if (m.id !== undefined && m.result) console.log('RAW', JSON.stringify(m.result).slice(0, 900))
    console.log(w.traffic.declared().join(' '), '|', w.traffic.registered().join(' '))
    console.log(w.processes().length)
    await w.bridge.close()
    console.log(w.processes().length)
  })
}
