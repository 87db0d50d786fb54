// Answers `tools/list` from what the build wrote down (`tool-lists.ts`), where that holds. Undefined is no failure: the
// list is then made from the operations themselves, which takes longer and gives the same.
import { readFile } from 'node:fs/promises'
import type { Tool } from '@modelcontextprotocol/server'
import type { BridgeOptions } from '../../bridge.js'
import { type Preset, presets } from '../../config/presets.js'
import { property } from '../../json.js'

/** Beside the folder of this file once it is bundled. */
const written = new URL('../tool-lists.json', import.meta.url)

export async function writtenTools(options: BridgeOptions): Promise<Tool[] | undefined> {
  const [lists, preset] = await Promise.all([readLists(), presetOf(options)])
  if (lists === undefined || preset === undefined || !isAsBuilt(preset)) return undefined
  const list = property(lists, preset.name)
  return Array.isArray(list) && list.every(isTool) ? list : undefined
}

async function readLists(): Promise<unknown> {
  try {
    return JSON.parse(await readFile(written, 'utf8'))
  } catch {
    // Not built: this is the source tree.
    return undefined
  }
}

/**
 * A flag names the preset and settles no more than that: knobs and an agent's block decide over the tools as well.
 * A configuration that cannot be read is told about where the bridge is opened.
 */
async function presetOf(options: BridgeOptions): Promise<Preset | undefined> {
  const { readSettings } = await import('../../settings.js')
  return readSettings(options).then(
    ({ loaded }) => loaded.preset,
    () => undefined,
  )
}

/** A knob that was turned may change the list. */
function isAsBuilt(preset: Preset): boolean {
  const built = presets[preset.name]
  return (
    preset.tools === built.tools &&
    preset.edits === built.edits &&
    preset.missingCapability === built.missingCapability &&
    preset.missingServer === built.missingServer &&
    preset.referencesIncludeDeclaration === built.referencesIncludeDeclaration
  )
}

function isTool(value: unknown): value is Tool {
  return typeof property(value, 'name') === 'string' && typeof property(value, 'inputSchema') === 'object'
}
