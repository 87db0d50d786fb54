import { describe, expect, test } from 'vitest'
import { autodetection, type Preset, presetNames, presets } from './presets.js'

test('C2 R-64 R-65 R-67 R-71 the restart rules of the presets', () => {
  const five = {
    max: 5,
    counts: 'failed-starts',
    trigger: 'eager',
    reset: 'on-initialize',
    backoffMs: [1000, 2000, 4000, 8000, 16000],
    maxBackoffMs: 30000,
  }
  expect(presets.default.restart).toEqual(five)
  expect(presets.full.restart).toEqual(five)
  expect(presets.plugin.restart).toEqual(five)
  expect(presets.governed.restart).toMatchObject({
    max: 1,
    counts: 'restarts',
    trigger: 'eager',
    reset: 'never',
  })
  expect(presets.governed.restart.backoffMs).toEqual([0])
  const onCall = { counts: 'crashes', trigger: 'on-call', reset: 'never', backoffMs: [] }
  expect(presets['single-tool'].restart).toMatchObject({ ...onCall, max: 3 })
  expect(presets.sandbox.restart).toMatchObject({ ...onCall, max: Number.POSITIVE_INFINITY })
})

// The table of contract section 4, row by row, in the order of its columns.
const columns = ['default', 'full', 'governed', 'single-tool', 'plugin', 'sandbox'] as const
const rows: readonly [string, (preset: Preset) => unknown, readonly unknown[]][] = [
  ['C1 who may ask', p => p.plane, ['both', 'both', 'passive', 'tools', 'both', 'tools']],
  [
    'R-140 R-149 R-150 tools offered',
    p => p.tools.kind,
    ['operations', 'every-operation', 'none', 'lsp', 'per-capability', 'sandbox'],
  ],
  ['C4 edits', p => p.edits, ['apply', 'apply', 'none', 'none', 'propose', 'propose']],
  ['C21 read gate', p => p.readGate, [false, false, false, false, false, true]],
  ['C3 idle seconds', p => p.idle.seconds, [600, 600, 0, 600, 600, 600]],
  ['C3 R-57 R-58 idle counts', p => p.idle.counts, ['model', 'any', 'any', 'model', 'any', 'success']],
  [
    'C13 auto-detection, attended',
    p => autodetection(p, { interactive: true }),
    ['announce', 'announce', 'announce', 'auto', 'auto', 'auto'],
  ],
  [
    'R-22 K10 auto-detection, unattended',
    p => autodetection(p, { interactive: false }),
    ['announce', 'announce', 'off', 'auto', 'auto', 'auto'],
  ],
  [
    'detected by',
    p => p.detectBy,
    ['extension', 'extension', 'extension', 'extension', 'extension', 'project-marker'],
  ],
  [
    'R-200 evidence',
    p => p.evidence,
    ['best-effort', 'best-effort', 'required', 'best-effort', 'best-effort', 'best-effort'],
  ],
  ['R-27 programs looked up', p => p.probe, ['on-use', 'on-use', 'on-use', 'at-boot', 'on-use', 'on-use']],
  ['C29 candidates', p => p.candidates, ['ours', 'ours', 'seed', 'seed', 'seed', 'seed']],
  [
    'C9 missing capability',
    p => p.missingCapability,
    ['error', 'error', 'skip', 'not-described', 'not-generated', 'error'],
  ],
  [
    'C20 references include the declaration',
    p => p.referencesIncludeDeclaration,
    [true, false, true, true, true, true],
  ],
  ['R-145 size of an answer', p => p.limitKb, [40, 100, 100, 100, 100, 100]],
  ['R-70 while restarting', p => p.whileRestarting, ['wait', 'wait', 'wait', 'wait', 'fail', 'wait']],
  ['C11 on a timeout', p => p.onTimeout, ['error', 'error', 'empty', 'error', 'error', 'error']],
  ['C27 bad arguments', p => p.argumentErrorKind === 'Wire', [false, false, false, true, false, false]],
  ['C28 hint in the error', p => p.hintInError, [false, true, true, true, true, true]],
  ['C33 external paths', p => p.externalPaths === 'plain', [false, true, true, true, true, true]],
  ['C23 daemon', p => p.daemon === 'shared', [true, true, false, true, true, true]],
  ['C8 unconfigured sections', p => p.configurationNull, [true, true, true, true, true, true]],
  ['C6 unknown requests', p => p.unknownRequest, ['null', 'null', 'null', 'null', 'null', 'null']],
]

describe('the table of presets', () => {
  test.each(rows)('%s', (_, knob, expected) => {
    expect(columns.map(name => knob(presets[name]))).toEqual(expected)
  })

  test('every preset has every knob and its own name', () => {
    expect(presetNames).toEqual(columns)
    const knobs = Object.keys(presets.default).toSorted()
    for (const name of presetNames) {
      expect(presets[name].name).toBe(name)
      expect(Object.keys(presets[name]).toSorted()).toEqual(knobs)
      expect(Object.values(presets[name])).not.toContain(undefined)
    }
  })
})

test('R-11 R-105 governed sends nothing that could modify a file', () => {
  const { methods } = presets.governed
  expect(methods).not.toBe('any')
  expect(methods).toHaveLength(10)
  for (const method of methods) {
    expect(method).not.toMatch(/rename|codeAction|formatting|completion|executeCommand|applyEdit/i)
  }
})

test('the default preset offers the operations of the contract', () => {
  const { tools } = presets.default
  expect(tools.kind === 'operations' && tools.names).toHaveLength(13)
})
