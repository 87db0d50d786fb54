// docs/servers.md: every server definition with its reasons, and what was proven against the real program.
import { presetNames, presets } from '../../src/config/presets.js'
import { unreachable } from '../../src/errors.js'
import type { DiagnosticsRule } from '../../src/lsp/diagnostics.js'
import { describeReadiness } from '../../src/lsp/readiness.js'
import { customServer } from '../../src/servers/custom.js'
import type { LimitedForm, RootFacts, RootRule, ServerDefinition } from '../../src/servers/definition.js'
import { definitionsInOrder, serverDefinitions } from '../../src/servers/index.js'
import { unavailable, undefinedLanguages } from '../servers/unavailable.js'
import { code, json, page, table } from './markdown.js'
import { proofOf, type RealResults, resultsPart } from './real-results.js'

export function serversPage(results: RealResults | undefined): string {
  return page('Language servers', [
    'A server is defined once, in `src/servers/`; everything the program knows about it stands there, with its reason. No server is ever installed or downloaded: a missing one is an error that carries the install hint.',
    table(
      ['Server', 'Language', 'Files', 'Found', 'Proven by'],
      serverDefinitions.map(server => [
        `[${server.title}](#${server.id})`,
        server.language,
        extensionsOf(server),
        waysOf(server).join(', '),
        provenBy(server, results),
      ]),
    ),
    choice(),
    ...(results === undefined ? [] : resultsPart(results)),
    ...notHad(),
    ...serverDefinitions.flatMap(server => section(server, results)),
    ...registeredByYou(),
  ])
}

function choice(): string {
  const order = (candidates: 'ours' | 'seed') =>
    definitionsInOrder(candidates)
      .map(({ id }) => code(id))
      .join(', ')
  return [
    "What you register comes first (flags, then your file, then the workspace's file). Then, per language:",
    '',
    `- ${presetsWith('ours')}: the project's own copy in a trusted workspace, then what is shipped, then PATH; within each ${order('ours')}`,
    `- ${presetsWith('seed')}: by this order alone, wherever it is found: ${order('seed')}`,
    '',
    'Looking starts nothing. The first that completes the handshake is kept; one that fails leads to the next, and `alidade status` says which would answer and why.',
  ].join('\n')
}

function presetsWith(candidates: 'ours' | 'seed'): string {
  const names = presetNames.filter(name => presets[name].candidates === candidates)
  return `presets ${names.map(code).join(', ')}`
}

function provenBy({ id }: ServerDefinition, results: RealResults | undefined): string {
  if (unavailable[id] !== undefined) return '[dialect](#proven-by-dialect)'
  return results?.servers[id] === undefined ? 'nothing yet' : 'real server'
}

/** What the tests could not have, and how far what is said of it can be believed. */
function notHad(): string[] {
  return [
    '## Proven by dialect',
    'The real program of these is in no registry the test installer uses. Their readiness, diagnostics and quirks are taken from what is documented of them, and held by a fake server that says what the real one is documented to say, in that order (`test/faults/dialects.test.ts`): no answer is called complete before its signal, and every one behind it is.',
    Object.entries(unavailable)
      .map(([id, reason]) => `- ${code(id)}: ${reason}.`)
      .join('\n'),
    'Looked for, and without a definition:',
    undefinedLanguages.map(({ language, tried }) => `- ${language}: ${tried}.`).join('\n'),
  ]
}

function section(server: ServerDefinition, results: RealResults | undefined): string[] {
  return [
    `## ${server.id}`,
    [
      `- Title: ${server.title}; language family ${code(server.language)}`,
      `- Files: ${extensionsOf(server)}`,
      `- Found: ${waysOf(server).join('; ')}`,
      ...(server.onlyWhenChosen === undefined ? [] : [`- Never found by itself: ${server.onlyWhenChosen}`]),
      `- Command: ${code([server.command, ...server.args].join(' '))}`,
      `- Install: ${code(server.install)}`,
      ...rules(server),
      ...(unavailable[server.id] === undefined
        ? proofOf(server.id, results)
        : ['- Proven by: [its documented dialect](#proven-by-dialect)']),
    ].join('\n'),
    ...sent(server),
    ...limitedForm(server.limited),
    ...knownLimits(server),
    ...quirks(server),
  ]
}

function rules(server: ServerDefinition): string[] {
  return [
    `- Root: ${describeRoot(server.root)}`,
    `- Complete when: ${describeReadiness(server.readiness)}`,
    `- Diagnostics settled when: ${describeDiagnostics(server.diagnostics)} ${server.diagnostics.reason}`,
    ...(server.dataFolder === undefined
      ? []
      : [
          `- Keeps data in a folder of its own for each start, removed at its end. ${server.dataFolder.reason}`,
        ]),
    ...(server.declaresNoSymbols === undefined
      ? []
      : [`- Left out of a search for symbols. ${server.declaresNoSymbols}`]),
    ...(server.projects === undefined
      ? []
      : [
          `- Projects below the root (${server.projects.marker.map(code).join(', ')}): one file of each is opened. ${server.projects.reason}`,
        ]),
    ...(server.beforeFixes === undefined
      ? []
      : [`- Before fixes are asked for: ${code(server.beforeFixes.command)}. ${server.beforeFixes.reason}`]),
    `- Told of changes on disk to: its own files${server.watches.length === 0 ? '' : ` and ${server.watches.map(code).join(', ')}`}`,
  ]
}

function describeRoot(rule: RootRule): string {
  switch (rule.kind) {
    case 'workspace':
      return 'the workspace root; it finds its projects below by itself.'
    case 'nearest':
      return `the nearest folder above the file with ${rule.markers.map(code).join(' or ')}, else the workspace root.`
    case 'outermost':
      return `the outermost folder above the file, inside the workspace, with ${rule.markers.map(code).join(' or ')}, else the workspace root.`
    default:
      return unreachable(rule)
  }
}

function describeDiagnostics(rule: DiagnosticsRule): string {
  switch (rule.kind) {
    case 'standard': {
      const quiet = rule.quietMs === 0 ? '' : `, then quiet for ${rule.quietMs} ms`
      const idle = rule.idle === undefined ? '' : ` and idle by ${code(rule.idle.method)}`
      const pulled = rule.pullsUndeclared
        ? 'pulled, although it declares no such thing'
        : 'pulled where it offers that'
      const early =
        rule.restsOnFileAlone === undefined ? '' : ` Before it is ready, too: ${rule.restsOnFileAlone}`
      return `${pulled}, else pushed with our version${quiet}${idle}.${early}`
    }
    case 'one-push-per-change':
      return `the one push that follows a change, at least ${rule.delayMs} ms after it.`
    case 'debounced-push': {
      const work = rule.work === undefined ? '' : ` and worked out under the progress \`${rule.work}\``
      const read =
        rule.barrier === undefined ? '' : ` and behind the answer to a \`${rule.barrier}\` that followed it`
      return `the push that comes ${rule.delayMs} ms or more after the last change${work}${read}, then quiet for ${rule.quietMs} ms.`
    }
    case 'request':
      return 'a synchronous question of its own is answered.'
    default:
      return unreachable(rule)
  }
}

/** What we send that is not in the protocol's own handshake. */
function sent(server: ServerDefinition): string[] {
  const parts = {
    settings: server.settings,
    'initialization options': server.initializationOptions,
    environment: server.environment,
    'experimental capabilities': server.experimentalCapabilities,
    'position encodings offered': server.positionEncodings,
    'in every didChange': server.changeExtras,
  }
  const given = Object.entries(parts).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ['Sent besides the handshake: nothing.']
  return ['Sent besides the handshake:', json(Object.fromEntries(given))]
}

function limitedForm(form: LimitedForm): string[] {
  const title = '**In a workspace that is not trusted**'
  switch (form.kind) {
    case 'same':
      return [`${title} it runs the same. ${form.reason}`]
    case 'refused':
      return [`${title} it is not started (\`NotTrusted\`): ${form.reason}.`]
    case 'reduced': {
      const { kind: _, costs, ...changes } = form
      const worst = costs(everythingThere)
      const when = costs(nothingThere) === undefined ? 'where the workspace has such files, ' : ''
      const told =
        worst === undefined
          ? 'which costs nothing'
          : `and ${when}answers that depend on it are \`partial\`: ${worst}`
      return [`${title} it runs reduced, ${told}. Added:`, json(changes)]
    }
    default:
      return unreachable(form)
  }
}

/** A definition is asked about a folder that holds nothing and one that holds everything: the difference depends. */
const nothingThere: RootFacts = { root: '/workspace', file: undefined, exists: () => false }
const everythingThere: RootFacts = { ...nothingThere, exists: () => true }

function knownLimits({ limits }: ServerDefinition): string[] {
  if (limits === undefined) return []
  const always = limits(everythingThere).map(({ reason }) => reason)
  const lines = limits(nothingThere).map(({ methods, reason, hint }) => {
    const when = always.includes(reason) ? 'Always' : 'Where it applies'
    return `- ${when}: ${reason}. Touches ${methods.map(code).join(', ')}.${hint === undefined ? '' : ` ${hint}`}`
  })
  return ['**Known limits**, said as `partial` in every answer they touch:', lines.join('\n')]
}

function quirks(server: ServerDefinition): string[] {
  const lines = Object.entries(server.quirks).map(([name, reason]) => `- ${code(name)}: ${reason}`)
  return lines.length === 0 ? [] : ['**Quirks**', lines.join('\n')]
}

function registeredByYou(): string[] {
  const unknown = customServer({ name: 'NAME', language: 'LANGUAGE', extensions: [], rootMarkers: [] })
  return [
    '## A server you register',
    'An entry under `servers` in the configuration (see [settings](settings.md)) whose program is one of the above gets that definition. Any other is run as described and believed only as far as it can be shown:',
    rules(unknown).join('\n'),
    ...limitedForm(unknown.limited),
  ]
}

function waysOf({ project, embedded, command, onlyWhenChosen }: ServerDefinition): string[] {
  if (onlyWhenChosen !== undefined) return [`only where a configuration names it (${code(command)})`]
  return [
    ...(project === undefined ? [] : ["the project's own copy (trusted workspaces)"]),
    ...(embedded === undefined ? [] : ['shipped with this package']),
    `${code(command)} on PATH`,
  ]
}

function extensionsOf({ extensions }: ServerDefinition): string {
  return Object.keys(extensions).map(code).join(' ')
}
