// The tool lists of the presets whose tools do not depend on servers, for the build to write down: a client gets its list
// then before the operations, and most of the program with them, are loaded.
import type { Tool } from '@modelcontextprotocol/server'
import { systemClock } from '../../clock.js'
import { type PresetName, presetNames, presets } from '../../config/presets.js'
import { isDynamic } from '../../dialects/index.js'
import { createToolbox } from './toolbox.js'

export async function toolLists(): Promise<Partial<Record<PresetName, readonly Tool[]>>> {
  const fixed = presetNames.filter(name => !isDynamic(presets[name]))
  const lists = fixed.map(async preset => {
    // Without a configuration that turns a knob, what is offered is what the named preset says.
    const openBridge = () => Promise.reject(new Error('no list depends on a bridge here'))
    const toolbox = createToolbox({ openBridge, preset, structured: false, clock: systemClock })
    return [preset, await toolbox.list()] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}
