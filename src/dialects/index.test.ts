import { describe, expect, test } from 'vitest'
import { presetNames, presets } from '../config/presets.js'
import { isDynamic, type Offering, toolsFor } from './index.js'

const noServer: Offering = () => false
const nobodyKnows: Offering = () => undefined
/** A server answers here that can do nothing. */
const incapable: Offering = ({ lsp }) => lsp === null

describe('C10 with missing_server hide', () => {
  test.each(presetNames)('C10 %s offers nothing where there is no server', name => {
    const offer = { ...presets[name], missingServer: 'hide' } as const
    expect(isDynamic(offer)).toBe(true)
    expect(toolsFor(offer, noServer)).toEqual([])
  })

  test('C10 everything is offered while nobody can say', () => {
    const offer = { ...presets.full, missingServer: 'hide' } as const
    expect(toolsFor(offer, nobodyKnows)).toEqual(toolsFor(presets.full, nobodyKnows))
  })

  test('C9 what a server that is there cannot do is still an error of the call', () => {
    const offer = { ...presets.full, missingServer: 'hide' } as const
    expect(toolsFor(offer, incapable)).toEqual(toolsFor(presets.full, nobodyKnows))
  })
})

test.each(['error', 'skip'] as const)(
  'C10 with missing_server %s the list does not depend on servers',
  missingServer => {
    const offer = { ...presets.full, missingServer }
    expect(isDynamic(offer)).toBe(false)
    expect(toolsFor(offer, noServer)).toEqual(toolsFor(presets.full, nobodyKnows))
  },
)
