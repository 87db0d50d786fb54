// The definition of a server made for a test, that can be believed as far as the protocol goes.
import type { ServerDefinition } from '../src/servers/definition.js'
import type { FakeServerCommand } from './fake-server/index.js'

export function fakeDefinition(parts: Partial<ServerDefinition> = {}): ServerDefinition {
  return {
    id: 'fake',
    title: 'Fake',
    language: 'fake',
    extensions: { '.fake': 'fake' },
    command: 'fake',
    args: [],
    install: 'it comes with the tests',
    root: { kind: 'workspace' },
    readiness: { kind: 'blocks', reason: 'It answers from what it has.' },
    diagnostics: { kind: 'standard', quietMs: 0, reason: 'Pushes carry the version.' },
    limited: { kind: 'same', reason: 'It runs nothing.' },
    watches: [],
    quirks: {},
    ...parts,
  }
}

/** How a fake is started. */
export function startedBy({ command, args, env }: FakeServerCommand) {
  return { command, args, environment: env }
}
