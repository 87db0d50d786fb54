import { describe, expect, test } from 'vitest'
import { describeSettings } from './describe.js'
import { knobsSchema } from './knobs.js'
import { withoutFile } from './parse.js'
import { resolveSettings } from './resolve.js'

const rows = describeSettings()
const row = (key: string) => rows.find(found => found.key === key)

describe('the settings in words', () => {
  test('every key has a type and a description that is a sentence', () => {
    expect(rows.length).toBeGreaterThan(20)
    for (const { key, type, description } of rows) {
      expect(type, key).not.toBe('')
      expect(description, key).toMatch(/^[A-Z].*\.$/)
    }
    expect(new Set(rows.map(found => found.key)).size).toBe(rows.length)
  })

  test('keys of every depth are there', () => {
    expect(rows.map(found => found.key)).toEqual([
      'servers',
      'servers.<name>.language',
      'servers.<name>.command',
      'servers.<name>.args',
      'servers.<name>.endpoint',
      'servers.<name>.scope',
      'servers.<name>.extensions',
      'servers.<name>.root_markers',
      'servers.<name>.initialization_options',
      'servers.<name>.settings',
      'servers.<name>.env',
      'preset',
      'languages',
      'prewarm',
      'idle_seconds',
      'timeout_ms',
      'restart',
      'restart.max',
      'restart.backoff_ms',
      'restart.counts',
      'restart.trigger',
      'restart.reset',
      'limit_kb',
      'frame_limit_mb',
      'policy',
      'policy.sensitivity',
      'policy.envelope',
      'policy.envelope.languages',
      'policy.envelope.methods',
      'policy.envelope.classes',
      'policy.envelope.expires_at',
      'policy.rules',
      'policy.rules[].decision',
      'policy.rules[].operations',
      'policy.rules[].classes',
      'policy.rules[].callers',
      'policy.rules[].methods',
      'policy.rules[].paths',
      'policy.rules[].languages',
      'policy.rules[].mode',
      'policy.rules[].sensitivity',
      'policy.rules[].reason',
      'knobs',
      ...Object.keys(knobsSchema.shape).map(key => `knobs.${key}`),
      'agents',
      'agents[].id',
      'agents[].lsp',
      'agents[].lsp.enabled',
      'agents[].lsp.languages',
      'agents[].lsp.prewarm',
      'agents[].lsp.idle_teardown_secs',
    ])
    expect(row('restart.max')).toMatchObject({ type: 'a whole number from 0 to 100', default: '5' })
    expect(row('agents[].lsp.enabled')).toMatchObject({ type: 'true or false', default: 'false' })
    expect(row('servers.<name>.command')?.default).toBeUndefined()
  })

  test('the defaults described are those in force', () => {
    const flags = { origin: 'flag', configuration: {}, source: withoutFile({}, 'none') } as const
    const { settings, preset } = resolveSettings({ trust: { trusted: true }, flags })
    const inForce = {
      preset: preset.name,
      languages: settings.languages,
      prewarm: settings.prewarm,
      idle_seconds: settings.idleSeconds,
      timeout_ms: settings.timeoutMs,
      'restart.max': settings.restart.max,
      'restart.backoff_ms': settings.restart.backoffMs,
      limit_kb: settings.limitKb,
      frame_limit_mb: settings.frameLimitMb,
    }
    for (const [key, value] of Object.entries(inForce))
      expect(row(key)?.default, key).toBe(JSON.stringify(value))
  })
})
