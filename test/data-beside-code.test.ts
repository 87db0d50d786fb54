// An ordinary project has settings, styles, scripts and images beside its code. With servers for all of them installed,
// a question about the code starts the server of the code, and is answered as if there were no others.
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serverDefinitions } from '../src/servers/index.js'
import { embeddedBridge } from './embedded-bridge.js'
import { fixture, temporaryWorkspace } from './fixture/index.js'

const project = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true } }
-- biome.json --
{}
-- .github/ci.yaml --
run: npm test
-- style.css --
.area { color: black }
-- page.html --
<p id="area">Hello</p>
-- Dockerfile --
FROM scratch
-- scripts/release.sh --
release() { echo "$1"; }
-- shapes.ts --
export function area(radius: number) {
  return radius * radius
}
-- main.ts --
import { area } from './shapes'
export const large = area(2)
`

test('contract 5, R-52 whatever else is installed, questions about the code start its server alone', async () => {
  await using programs = await temporaryWorkspace(fixture`
-- readme --
Programs that leave a mark when they are run.
`)
  for (const { command } of serverDefinitions) {
    const program = programs.path(command)
    writeFileSync(program, `#!/bin/sh\necho run > "$0.mark"\nexec sleep 60\n`)
    chmodSync(program, 0o755)
  }
  const env = {
    ...process.env,
    PATH: `${programs.root}:${process.env.PATH}`,
    XDG_CONFIG_HOME: programs.path('config'),
    XDG_STATE_HOME: programs.path('state'),
  }
  await using opened = await embeddedBridge(project, { env })
  const { bridge } = opened
  const answers = [
    await bridge.findSymbol({ query: 'area' }),
    await bridge.findReferences({ file: 'shapes.ts', symbol: 'area' }),
    await bridge.exploreSymbol({ symbol: 'area' }),
    await bridge.getDiagnostics({ file: 'main.ts' }),
    await bridge.renameSymbol({ file: 'shapes.ts', symbol: 'area', new_name: 'surface' }),
    await bridge.serverStatus({}),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
  expect(readdirSync(programs.root).filter(name => name.endsWith('.mark'))).toEqual([])
  expect(answers.at(-1)).toMatchObject({ result: { servers: [{ id: 'typescript', how: 'embedded' }] } })
})
