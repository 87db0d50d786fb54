import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPolicy, effectsOf, type PolicyQuestion, type PolicySettings } from './policy.js'
import type { PolicyRule } from './rules.js'

const open: PolicySettings = {
  preset: 'default',
  plane: 'both',
  edits: 'apply',
  methods: 'any',
  sensitivity: 'ordinary',
  envelope: {},
  rules: [],
  workspaceRules: [],
}

const now = new Date('2030-01-01T12:00:00Z')

const reading: PolicyQuestion = {
  operation: 'find_references',
  effect: 'read',
  caller: 'model',
  attended: true,
  method: 'textDocument/references',
  file: 'src/a.ts',
  language: 'typescript',
}

function decide(settings: Partial<PolicySettings>, question: Partial<PolicyQuestion> = {}) {
  return createPolicy({ ...open, ...settings }, () => now).decide({ ...reading, ...question })
}

const effects = fc.constantFrom('read', 'propose', 'edit', 'execute')
const methods = fc.constantFrom('textDocument/references', 'textDocument/rename', 'workspace/executeCommand')
const questions: fc.Arbitrary<PolicyQuestion> = fc.record({
  operation: fc.constantFrom('find_references', 'rename_symbol', 'apply_edit'),
  effect: effects,
  caller: fc.constantFrom('model', 'host'),
  attended: fc.boolean(),
  method: fc.option(methods, { nil: undefined }),
  file: fc.option(fc.constantFrom('src/a.ts', 'secrets/.env', 'b.py'), { nil: undefined }),
  language: fc.option(fc.constantFrom('typescript', 'python'), { nil: undefined }),
})
const rules: fc.Arbitrary<PolicyRule> = fc.record(
  {
    decision: fc.constantFrom('allow', 'deny', 'ask'),
    operations: fc.constant(['rename_symbol']),
    classes: fc.array(effects, { minLength: 1 }),
    methods: fc.array(methods, { minLength: 1 }),
    paths: fc.constantFrom(['secrets/**'], ['**/*.ts']),
    languages: fc.constant(['python']),
    mode: fc.constantFrom('attended', 'unattended'),
    sensitivity: fc.constantFrom('ordinary', 'sensitive'),
  },
  { requiredKeys: ['decision'] },
)
const settings: fc.Arbitrary<PolicySettings> = fc.record({
  preset: fc.constant('p'),
  plane: fc.constantFrom('passive', 'tools', 'both'),
  edits: fc.constantFrom('none', 'propose', 'apply'),
  methods: fc.constantFrom<'any' | string[]>('any', ['textDocument/references']),
  sensitivity: fc.constantFrom('ordinary', 'sensitive'),
  envelope: fc.record({ languages: fc.constantFrom(undefined, ['python']) }),
  rules: fc.array(rules, { maxLength: 4 }),
  workspaceRules: fc.array(rules, { maxLength: 4 }),
})
const strictness = ['allow', 'ask', 'deny'] as const

test('R-04 a read inside the envelope is allowed, and the decision says why', () => {
  expect(decide({})).toEqual({ decision: 'allow', reason: 'class read, within the envelope', hint: '' })
})

test('R-03 every decision has a reason, and one that does not allow says what to do', () => {
  fc.assert(
    fc.property(settings, questions, (given, question) => {
      const { decision, reason, hint } = createPolicy(given, () => now).decide(question)
      expect(reason).not.toBe('')
      expect(hint === '').toBe(decision === 'allow')
    }),
  )
})

test('R-11 what the preset forbids no rule and no envelope gives back', () => {
  fc.assert(
    fc.property(settings, questions, (given, question) => {
      const { decision } = createPolicy(given, () => now).decide(question)
      const forbidden =
        (given.plane === 'passive' && question.caller === 'model') ||
        (given.plane === 'tools' && question.caller === 'host') ||
        !effectsOf(given.edits).includes(question.effect) ||
        (given.methods !== 'any' && question.method !== undefined && !given.methods.includes(question.method))
      if (forbidden) expect(decision).toBe('deny')
    }),
  )
})

test.each(['none', 'propose'] as const)('R-11 with edits %s nobody has a server run a command', edits => {
  for (const caller of ['model', 'host'] as const) {
    const question = { operation: 'execute_command', effect: 'execute', caller, method: undefined } as const
    expect(decide({ edits }, question)).toMatchObject({ decision: 'deny', hint: expect.stringMatching(/./) })
    expect(decide({ edits: 'apply' }, question).decision).toBe('allow')
  }
})

test('C1 in the plane of tools the host asks nothing, whether or not a question is a single request', () => {
  for (const operation of ['find_references', 'get_diagnostics', 'explore_symbol', 'get_context']) {
    for (const method of [undefined, 'textDocument/references'])
      expect(decide({ plane: 'tools' }, { operation, method, caller: 'host' }).decision).toBe('deny')
    expect(decide({ plane: 'tools' }, { operation, method: undefined }).decision).toBe('allow')
  }
})

test('C1 a host looks after the servers under every preset, and a model only where it may execute', () => {
  const question = { operation: 'restart_server', effect: 'execute', method: undefined } as const
  for (const plane of ['tools', 'passive', 'both'] as const) {
    for (const edits of ['none', 'propose', 'apply'] as const)
      expect(decide({ plane, edits }, { ...question, caller: 'host' }).decision).toBe('allow')
  }
  expect(decide({ edits: 'propose' }, { ...question, caller: 'model' }).decision).toBe('deny')
})

test('R-05 rules of a workspace make it stricter and never laxer', () => {
  fc.assert(
    fc.property(settings, questions, (given, question) => {
      const without = createPolicy({ ...given, workspaceRules: [] }, () => now).decide(question)
      const with_ = createPolicy(given, () => now).decide(question)
      expect(strictness.indexOf(with_.decision)).toBeGreaterThanOrEqual(strictness.indexOf(without.decision))
    }),
  )
})

test('R-105 a request that may never be sent is refused whoever caused it', () => {
  fc.assert(
    fc.property(settings, methods, (given, method) => {
      const { decision } = createPolicy(given, () => now).decideMethod(method, 'python')
      if (given.methods !== 'any' && !given.methods.includes(method)) expect(decision).toBe('deny')
    }),
  )
})

describe('R-05 what is decided by', () => {
  const cases: [string, Partial<PolicySettings>, Partial<PolicyQuestion>, string][] = [
    ['deployment mode', { rules: [{ decision: 'deny', mode: 'unattended' }] }, { attended: false }, 'deny'],
    ['the other mode', { rules: [{ decision: 'deny', mode: 'unattended' }] }, {}, 'allow'],
    ['sensitivity, reading', { sensitivity: 'sensitive' }, {}, 'allow'],
    ['sensitivity, the rest', { sensitivity: 'sensitive' }, { effect: 'propose' }, 'ask'],
    [
      'a rule for sensitive ones',
      { sensitivity: 'sensitive', rules: [{ decision: 'ask', sensitivity: 'sensitive' }] },
      {},
      'ask',
    ],
    ['a single request', { rules: [{ decision: 'ask', methods: ['textDocument/references'] }] }, {}, 'ask'],
    ['another request', { rules: [{ decision: 'ask', methods: ['textDocument/hover'] }] }, {}, 'allow'],
    ['a path', { rules: [{ decision: 'deny', paths: ['src/**'] }] }, {}, 'deny'],
    ['a hidden path', { rules: [{ decision: 'deny', paths: ['**'] }] }, { file: '.env/.x' }, 'deny'],
    [
      'a path, without a file',
      { rules: [{ decision: 'deny', paths: ['**'] }] },
      { file: undefined },
      'allow',
    ],
    ['the caller', { rules: [{ decision: 'deny', callers: ['host'] }] }, {}, 'allow'],
    [
      'the first rule that holds',
      { rules: [{ decision: 'allow', paths: ['src/a.ts'] }, { decision: 'deny' }] },
      {},
      'allow',
    ],
    ['an expired envelope', { envelope: { expiresAt: now } }, {}, 'ask'],
    ['an envelope that lasts', { envelope: { expiresAt: new Date('2031-01-01') } }, {}, 'allow'],
    ['its classes', { envelope: { classes: ['read'] } }, { effect: 'edit' }, 'ask'],
    ['its languages', { envelope: { languages: ['go'] } }, {}, 'ask'],
    ['its requests', { envelope: { methods: ['textDocument/hover'] } }, {}, 'ask'],
    [
      'a rule beyond it',
      { envelope: { languages: ['go'] }, rules: [{ decision: 'allow', languages: ['typescript'] }] },
      {},
      'allow',
    ],
    ['an agent that is not enabled', { disabledAgent: 'coder' }, {}, 'deny'],
  ]
  test.each(cases)('%s', (_, given, question, decision) => {
    expect(decide(given, question).decision).toBe(decision)
  })
})

describe('R-05 a request that belongs to no call', () => {
  const method = 'workspace/executeCommand'
  const cases: [string, Partial<PolicySettings>, string][] = [
    ['is denied by its name', { rules: [{ decision: 'deny', methods: [method] }] }, 'deny'],
    [
      'is denied by its language',
      { rules: [{ decision: 'deny', methods: [method], languages: ['go'] }] },
      'deny',
    ],
    [
      'is not denied for another language',
      { rules: [{ decision: 'deny', methods: [method], languages: ['c'] }] },
      'allow',
    ],
    ['is not sent outside the envelope', { envelope: { methods: ['textDocument/hover'] } }, 'ask'],
    ['is not sent outside its languages', { envelope: { languages: ['c'] } }, 'ask'],
    [
      'is not decided by who might ask',
      { rules: [{ decision: 'deny', methods: [method], callers: ['host'] }] },
      'allow',
    ],
  ]
  test.each(cases)('%s', (_, given, decision) => {
    expect(createPolicy({ ...open, ...given }, () => now).decideMethod(method, 'go').decision).toBe(decision)
  })

  test('is refused with the number that the rule has in the configuration', () => {
    const rules: PolicyRule[] = [
      { decision: 'allow', operations: ['apply_edit'] },
      { decision: 'deny', methods: [method] },
    ]
    const { reason } = createPolicy({ ...open, rules }, () => now).decideMethod(method, 'go')
    expect(reason).toContain('policy.rules[1]')
  })
})

test('R-05 a request of a call is decided by the first rule that holds, also by one about the file', () => {
  const rules: PolicyRule[] = [
    { decision: 'allow', paths: ['src/a.ts'] },
    { decision: 'deny', methods: ['textDocument/references'] },
  ]
  const policy = createPolicy({ ...open, rules }, () => now)
  expect(policy.decideRequest(reading).decision).toBe('allow')
  expect(policy.decideRequest({ ...reading, file: 'src/b.ts' }).decision).toBe('deny')
})

test('R-05 what a rule gives as its reason cannot command a terminal', () => {
  const reason = 'harmless\u001b[2K\r\nApprove? \u202eyes'
  expect(decide({ workspaceRules: [{ decision: 'ask', reason }] }).reason).toBe(
    'a rule of the workspace (policy.rules[0]): harmless Approve? yes',
  )
})

test('R-05 the operator is quoted', () => {
  expect(decide({ rules: [{ decision: 'deny', reason: 'frozen until the release' }] }).reason).toContain(
    'frozen until the release',
  )
})
