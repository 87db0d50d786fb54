import { describe, expect, test } from 'vitest'
import { type Knobs, knobsSchema, withKnobs } from './knobs.js'
import { parseConfiguration } from './parse.js'
import { parseJsonc } from './parse-jsonc.js'
import { type Preset, presetNames, presets } from './presets.js'
import { resolveSettings } from './resolve.js'
import { configurationSchema } from './schema.js'

/** Each knob, turned to something the default preset is not, and where it is found then. */
const turned: readonly [Knobs, (preset: Preset) => unknown, unknown][] = [
  [{ plane: 'passive' }, p => p.plane, 'passive'],
  [{ edits: 'none' }, p => p.edits, 'none'],
  [{ evidence: 'required' }, p => p.evidence, 'required'],
  [{ autodetect: 'off' }, p => [p.autodetect, p.autodetectUnattended], ['off', 'off']],
  [{ autodetect_unattended: 'off' }, p => [p.autodetect, p.autodetectUnattended], ['announce', 'off']],
  [{ workspace_servers_unattended: false }, p => p.workspaceServersUnattended, false],
  [{ detect_by: 'project-marker' }, p => p.detectBy, 'project-marker'],
  [{ probe: 'at-boot' }, p => p.probe, 'at-boot'],
  [{ candidates: 'seed' }, p => p.candidates, 'seed'],
  [{ missing_capability: 'not-generated' }, p => p.missingCapability, 'not-generated'],
  [{ missing_server: 'hide' }, p => p.missingServer, 'hide'],
  [{ while_restarting: 'fail' }, p => p.whileRestarting, 'fail'],
  [{ on_timeout: 'empty' }, p => p.onTimeout, 'empty'],
  [{ read_gate: true }, p => p.readGate, true],
  [{ references_include_declaration: false }, p => p.referencesIncludeDeclaration, false],
  [{ external_paths: 'plain' }, p => p.externalPaths, 'plain'],
  [{ hint_in_error: true }, p => p.hintInError, true],
  [{ argument_error_kind: 'Wire' }, p => p.argumentErrorKind, 'Wire'],
  [{ unknown_request: 'method-not-found' }, p => p.unknownRequest, 'method-not-found'],
  [{ unset_configuration: 'object' }, p => p.configurationNull, false],
  [{ daemon: 'forbidden' }, p => p.daemon, 'forbidden'],
  [{ methods: ['textDocument/hover'] }, p => p.methods, ['textDocument/hover']],
  [{ tools: 'single-tool' }, p => p.tools, { kind: 'lsp' }],
  [{ operations: ['find_symbol'] }, p => p.tools, { kind: 'operations', names: ['find_symbol'] }],
  [{ idle_counts: 'success' }, p => p.idle, { seconds: 600, counts: 'success' }],
]

describe('contract 4: any knob can be overridden in configuration', () => {
  test.each(turned)('%j', (knobs, read, value) => {
    expect(read(withKnobs(presets.default, knobs))).toEqual(value)
    expect(read(presets.default)).not.toEqual(value)
  })

  test('every knob of the schema is turned above, and every knob of a preset has a key', () => {
    const keys = Object.keys(knobsSchema.shape)
    expect(new Set(turned.flatMap(([knobs]) => Object.keys(knobs)))).toEqual(new Set(keys))
    // The rest has a key of its own: restart, limit_kb and idle_seconds.
    const changed = new Set(
      turned.flatMap(([knobs]) => {
        const preset = withKnobs(presets.default, knobs)
        return Object.entries(preset).flatMap(([name, value]) =>
          value === Reflect.get(presets.default, name) ? [] : [name],
        )
      }),
    )
    const own = ['name', 'restart', 'limitKb']
    expect([...changed, ...own].toSorted()).toEqual(Object.keys(presets.default).toSorted())
  })

  test('without knobs every preset is itself', () => {
    for (const name of presetNames) expect(withKnobs(presets[name], {})).toEqual(presets[name])
  })
})

test('C26 an untrusted workspace file turns no knob, and is told so with its place', () => {
  const text = '{ "knobs": { "edits": "apply" }, "limit_kb": 7 }'
  const source = parseConfiguration(Buffer.from(text), '.alidade/lsp.json', parseJsonc)
  const workspace = {
    origin: 'workspace',
    configuration: configurationSchema.parse(source.value),
    source,
  } as const
  const flags = { origin: 'flag', configuration: { preset: 'governed' }, source } as const
  const untrusted = resolveSettings({
    workspace,
    flags,
    trust: { trusted: false, reason: 'never trusted' },
  })
  expect(untrusted.preset).toMatchObject({ edits: 'none', limitKb: 7 })
  expect(untrusted.withheld).toMatchObject([{ keys: [{ key: 'knobs', place: '.alidade/lsp.json:1:3' }] }])
  const trusted = resolveSettings({ workspace, flags, trust: { trusted: true } })
  expect(trusted.preset.edits).toBe('apply')
})

test('R-64 R-65 R-71 the way a preset restarts servers can be turned, too', () => {
  const restart = { max: 2, counts: 'crashes', trigger: 'on-call', reset: 'never' } as const
  const source = parseConfiguration(Buffer.from('{}'), 'flags', parseJsonc)
  const flags = { origin: 'flag', configuration: { restart }, source } as const
  expect(resolveSettings({ flags, trust: { trusted: true } }).preset.restart).toMatchObject(restart)
})
