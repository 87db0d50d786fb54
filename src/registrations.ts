// From an entry under `servers` to what is run: a known server under its name or command, or one as the user describes it.
// What the entry says about its files and roots holds for either.
import type { RegisteredServer } from './config/registered.js'
import { customServer } from './servers/custom.js'
import type { RootRule, ServerDefinition } from './servers/definition.js'
import type { ScopedRegistration } from './workspace/routes.js'

export function registrationOf(
  server: RegisteredServer,
  definitions: readonly ServerDefinition[],
): ScopedRegistration {
  const program = server.command?.split(/[\\/]/).at(-1)
  const known = definitions.find(
    ({ id, command, language }) =>
      language === server.language && (program === undefined ? id === server.name : command === program),
  )
  return {
    name: server.name,
    definition: known === undefined ? customServer(server) : asRegistered(known, server),
    origin: `the ${server.origin === 'flag' ? 'command line' : server.origin} (${server.declaredAt})`,
    command: server.command,
    args: server.args,
    endpoint: server.endpoint,
    scope: server.scope,
    extensions: server.listsExtensions ? server.extensions : undefined,
    environment: server.environment,
    settings: server.settings,
    initializationOptions: server.initializationOptions,
  }
}

function asRegistered(known: ServerDefinition, server: RegisteredServer): ServerDefinition {
  const { extensions, listsExtensions, rootMarkers, language } = server
  return {
    ...known,
    ...(listsExtensions
      ? {
          extensions: Object.fromEntries(
            extensions.map(extension => [extension, known.extensions[extension] ?? language]),
          ),
        }
      : {}),
    ...(rootMarkers.length === 0 ? {} : { root: markedBy(known.root, rootMarkers) }),
  }
}

/** Whether the nearest or the outermost marker counts is the server's way, whatever the marker is. */
function markedBy(rule: RootRule, markers: readonly string[]): RootRule {
  return { kind: rule.kind === 'workspace' ? 'nearest' : rule.kind, markers }
}
