// What a server can do: declared, registered, withdrawn, refused.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CallHierarchyIncomingCallsRequest,
  CompletionRequest,
  DefinitionRequest,
  DocumentDiagnosticRequest,
  HoverRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  SemanticTokensRequest,
  ShutdownRequest,
  TypeHierarchySubtypesRequest,
  WorkspaceSymbolRequest,
} from 'vscode-languageserver-protocol'
import {
  allPositionEncodings,
  CapabilityTable,
  clientCapabilities,
  type RequestConstant,
} from './capabilities.js'

const registration = (method: string, id = method) => ({ id, method })

test.each<[RequestConstant, string]>([
  [HoverRequest, 'hoverProvider'],
  [CompletionRequest, 'completionProvider'],
  [ReferencesRequest, 'referencesProvider'],
  [DefinitionRequest, 'definitionProvider'],
  [WorkspaceSymbolRequest, 'workspaceSymbolProvider'],
  [RenameRequest, 'renameProvider'],
  [DocumentDiagnosticRequest, 'diagnosticProvider'],
  [TypeHierarchySubtypesRequest, 'typeHierarchyProvider'],
])('R-95, R-10 $method is offered exactly when its provider is declared', (request, provider) => {
  expect(new CapabilityTable({}).supports(request)).toBe(false)
  for (const value of [true, {}, { workDoneProgress: false }]) {
    expect(new CapabilityTable({ [provider]: value }).supports(request)).toBe(true)
  }
  for (const value of [false, null, undefined]) {
    expect(new CapabilityTable({ [provider]: value }).supports(request)).toBe(false)
  }
})

test('R-95 a part of a provider is looked at, not the provider alone', () => {
  expect(new CapabilityTable({ renameProvider: true }).supports(PrepareRenameRequest)).toBe(false)
  const declared = { renameProvider: { prepareProvider: true } }
  expect(new CapabilityTable(declared).supports(PrepareRenameRequest)).toBe(true)
})

test('R-50 what needs no provider is always offered', () => {
  expect(new CapabilityTable({}).supports(ShutdownRequest)).toBe(true)
})

test('X11 a provider is never found on a prototype', () => {
  const request = { method: 'x/y', capabilities: { client: undefined, server: 'constructor.name' } }
  expect(new CapabilityTable({}).supports(request)).toBe(false)
})

test.each<[RequestConstant, string]>([
  [ReferencesRequest, 'textDocument/references'],
  [SemanticTokensRequest, 'textDocument/semanticTokens'],
  [CallHierarchyIncomingCallsRequest, 'textDocument/prepareCallHierarchy'],
  [TypeHierarchySubtypesRequest, 'textDocument/prepareTypeHierarchy'],
  [PrepareRenameRequest, 'textDocument/rename'],
])('C7, P27 $method is offered while it, or what opens it, is registered', (request, method) => {
  const table = new CapabilityTable({})
  table.register([registration(method)])
  expect(table.supports(request)).toBe(true)
  table.unregister([registration(method)])
  expect(table.supports(request)).toBe(false)
})

test('P14 what was refused stays missing until it is registered', () => {
  const table = new CapabilityTable({ referencesProvider: true })
  table.refuse('textDocument/references')
  expect(table.supports(ReferencesRequest)).toBe(false)
  table.register([registration('textDocument/references')])
  expect(table.supports(ReferencesRequest)).toBe(true)
})

test('C7 registrations are told apart by their id, whatever their order', () => {
  const step = fc.record({
    register: fc.boolean(),
    id: fc.constantFrom('1', '2', '3', 'toString'),
    method: fc.constantFrom('textDocument/references', 'textDocument/hover'),
  })
  fc.assert(
    fc.property(fc.array(step), steps => {
      const table = new CapabilityTable({})
      const model = new Map<string, string>()
      for (const { register, id, method } of steps) {
        if (register) {
          table.register([registration(method, id)])
          model.set(id, method)
        } else {
          table.unregister([registration(method, id)])
          model.delete(id)
        }
      }
      const offered = [...model.values()]
      expect(table.supports(ReferencesRequest)).toBe(offered.includes('textDocument/references'))
      expect(table.supports(HoverRequest)).toBe(offered.includes('textDocument/hover'))
    }),
  )
})

test('R-92, R-94 what is announced never promises to open or to write', () => {
  const announced = clientCapabilities({
    positionEncodings: allPositionEncodings,
    experimental: { serverStatusNotification: true },
  })
  expect(announced).toMatchObject({
    general: { positionEncodings: ['utf-16', 'utf-8', 'utf-32'] },
    window: { workDoneProgress: true, showDocument: { support: false } },
    textDocument: { publishDiagnostics: { versionSupport: true } },
    experimental: { serverStatusNotification: true },
  })
  // It crosses a process border.
  expect(JSON.parse(JSON.stringify(announced))).toEqual(announced)
})
