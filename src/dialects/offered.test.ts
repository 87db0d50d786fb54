import fc from 'fast-check'
import { expect, test } from 'vitest'
import { presetNames, presets } from '../config/presets.js'
import { operations } from '../operations/index.js'
import type { Effect } from '../operations/operation.js'
import { effectsOf } from '../policy/policy.js'
import { offeredBy } from './offered.js'

const effects: readonly Effect[] = ['read', 'propose', 'edit', 'execute']
const operation = fc.record({
  name: fc.oneof(
    fc.constantFrom('find_references', 'go_to_definition', 'apply_edit', 'server_status'),
    fc.string(),
  ),
  effect: fc.constantFrom(...effects),
})

/** Contract section 3, in its order. */
const defaults = [
  'explore_symbol',
  'find_symbol',
  'list_symbols',
  'go_to_definition',
  'find_references',
  'find_callers',
  'type_hierarchy',
  'get_diagnostics',
  'check_change',
  'preview_edit',
  'rename_symbol',
  'apply_edit',
  'server_status',
]

test('R-110 full offers every operation, governed none, default the thirteen that matter', () => {
  expect(offeredBy(presets.full, operations)).toEqual(operations)
  expect(offeredBy(presets.governed, operations)).toEqual([])
  expect(presets.default.tools).toEqual({ kind: 'operations', names: defaults })
  const all = defaults.map(name => ({ name, effect: 'read' as const }))
  expect(offeredBy(presets.default, all.toReversed())).toEqual(all)
})

test('R-110 sandbox offers its own three, under the names the operations have', () => {
  const listed = ['find_symbol', 'go_to_definition', 'find_references', 'rename_symbol'].map(name => ({
    name,
    effect: 'read' as const,
  }))
  const names = offeredBy(presets.sandbox, listed).map(({ name }) => name)
  expect(names).toEqual(['go_to_definition', 'find_references', 'rename_symbol'])
})

test('O10 every preset offers each operation once, in the same order, and nothing beyond its edits', () => {
  const different = fc.uniqueArray(operation, { selector: ({ name }) => name })
  const turned = fc.record({
    name: fc.constantFrom(...presetNames),
    edits: fc.constantFrom('none', 'propose', 'apply'),
  })
  fc.assert(
    fc.property(turned, different, ({ name, edits }, listed) => {
      const preset = { ...presets[name], edits }
      const offered = offeredBy(preset, listed)
      expect(offered.every(({ effect }) => effectsOf(edits).includes(effect))).toBe(true)
      expect(new Set(offered).size).toBe(offered.length)
      expect(listed.filter(one => offered.includes(one))).toHaveLength(offered.length)
      expect(offeredBy(preset, listed)).toEqual(offered)
      if (preset.tools.kind !== 'operations')
        expect(listed.filter(one => offered.includes(one))).toEqual(offered)
    }),
  )
})
