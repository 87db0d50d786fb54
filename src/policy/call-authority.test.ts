// One call under a policy: what is asked of somebody, how far the reply reaches, and what passes the last gate.
import { expect, test } from 'vitest'
import { approvalText } from './approval-text.js'
import { type ApprovalRequest, CallAuthority } from './call-authority.js'
import { createPolicy, type PolicySettings } from './policy.js'
import type { PolicyRule } from './rules.js'

function call(rules: readonly PolicyRule[], reply: (request: ApprovalRequest) => boolean = () => true) {
  const settings: PolicySettings = {
    preset: 'full',
    plane: 'both',
    edits: 'apply',
    methods: 'any',
    sensitivity: 'ordinary',
    envelope: {},
    rules,
    workspaceRules: [],
  }
  const questions: ApprovalRequest[] = []
  const told: string[] = []
  const authority = new CallAuthority({
    policy: createPolicy(settings, () => new Date('2030-01-01')),
    asked: { operation: 'apply_edit', effect: 'edit', caller: 'model' },
    approve: async request => {
      questions.push(request)
      return reply(request)
    },
    tell: ({ file }, { decision }) => told.push(`${decision} ${file}`),
    onEnd: () => undefined,
  })
  return { authority, questions, told }
}

const byPath: PolicyRule[] = [{ decision: 'ask', paths: ['**'] }]

test('R-05 a yes for one file is none for another', async () => {
  const { authority, questions } = call(byPath, ({ file }) => file === 'src/a.ts')
  await authority.authorize({ file: 'src/a.ts' })
  await expect(authority.authorize({ file: 'secrets/b.ts' })).rejects.toMatchObject({ kind: 'PolicyDenied' })
  await authority.authorize({ file: 'src/a.ts' })
  expect(questions.map(({ file }) => file)).toEqual(['src/a.ts', 'secrets/b.ts'])
})

test('R-05 a yes for one request is none for another', async () => {
  const methods = ['textDocument/rename', 'workspace/executeCommand']
  const { authority, questions } = call([{ decision: 'ask', methods }])
  for (const method of methods) await authority.admit({ method })
  expect(questions.map(({ method }) => method)).toEqual(methods)
})

test('R-05 what does not depend on the file is asked once, in words that say so', async () => {
  const { authority, questions } = call([{ decision: 'ask', classes: ['edit'] }])
  await authority.authorize({ file: 'a.ts' })
  await authority.authorize({ file: 'b.ts' })
  await authority.admit({ method: 'textDocument/hover', file: 'c.ts' })
  expect(questions.map(approvalText)).toEqual([
    'may apply_edit (class edit) run on a.ts and what that leads to? It has to be approved because a rule of the operator (policy.rules[0]) says ask.',
  ])
})

test('R-05 many files are one question, which says how many, and every one is on record', async () => {
  const { authority, questions, told } = call(byPath)
  const files = Array.from({ length: 12 }, (_, index) => `${index}.ts`)
  await authority.authorize(...files.map(file => ({ file })))
  expect(questions.map(approvalText)).toEqual([
    expect.stringContaining(' run in 0.ts, 1.ts, 2.ts, 3.ts, 4.ts and 7 more? '),
  ])
  expect(told.filter(line => line.startsWith('allow'))).toEqual(files.map(file => `allow ${file}`))
})

test('R-05 nothing is asked where one of several is denied', async () => {
  const { authority, questions } = call([{ decision: 'deny', paths: ['b.ts'] }, ...byPath])
  const both = authority.authorize({ file: 'a.ts' }, { file: 'b.ts' })
  await expect(both).rejects.toMatchObject({ kind: 'PolicyDenied' })
  expect(questions).toEqual([])
})

test('R-05 two that ask the same at once wait for one reply', async () => {
  const { authority, questions } = call(byPath)
  await Promise.all([authority.authorize({ file: 'a.ts' }), authority.authorize({ file: 'a.ts' })])
  expect(questions).toHaveLength(1)
})

test('R-05 a request about a file that nobody was asked about is refused at the last gate', async () => {
  const { authority, questions } = call(byPath)
  const method = 'textDocument/diagnostic'
  await expect(authority.admit({ method, file: 'a.ts' })).rejects.toMatchObject({ kind: 'ApprovalRequired' })
  await authority.authorize({ file: 'a.ts' })
  await authority.admit({ method, file: 'a.ts' })
  expect(questions).toHaveLength(1)
})

test('R-05 nobody is asked once something was changed', async () => {
  const { authority, questions } = call(byPath)
  authority.askNoMore()
  await expect(authority.authorize({ file: 'a.ts' })).rejects.toMatchObject({ kind: 'ApprovalRequired' })
  expect(questions).toEqual([])
})

test('R-04 a request that no rule is about passes the last gate at once', () => {
  const { authority, told } = call([])
  expect(authority.admit({ method: 'textDocument/hover', language: 'go' })).toBeUndefined()
  expect(told).toEqual([])
})

test('R-05 the question says first what is to be done, and neither file nor reason can command a terminal', () => {
  const request: ApprovalRequest = {
    operation: 'apply_edit',
    effect: 'edit',
    caller: 'model',
    files: ['a\u001b[2K\r.ts'],
    onlyThese: true,
    reason: 'of \u001b[1Aa rule',
  }
  expect(approvalText(request)).toBe(
    'may apply_edit (class edit) run in a .ts? It has to be approved because of a rule.',
  )
})
