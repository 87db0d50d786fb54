// The tool lists of the presets whose tools never vary, for the build to write down: a client gets its list then before
// the operations, and most of the program with them, are loaded.
import type { Tool } from '@modelcontextprotocol/server'
import { type PresetName, presetNames, presets } from '../../config/presets.js'
import { operations } from '../../operations/index.js'
import { offeredBy } from './offered.js'
import { toolOf } from './tool.js'

export function toolLists(): Partial<Record<PresetName, readonly Tool[]>> {
  const fixed = presetNames.filter(name => fixedKinds.has(presets[name].tools.kind))
  return Object.fromEntries(
    fixed.map(name => [
      name,
      offeredBy(presets[name], operations).map(operation => toolOf(operation, { structured: false })),
    ]),
  )
}

const fixedKinds: ReadonlySet<string> = new Set(['operations', 'every-operation', 'none'])
