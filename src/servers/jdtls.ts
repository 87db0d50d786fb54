// Eclipse JDT Language Server, for Java. Loading a project is importing it, with Maven or Gradle where it uses them.
import { property } from '../json.js'
import type { StatusReading } from '../lsp/readiness.js'
import { defineServer } from './definition.js'

export const jdtls = defineServer({
  id: 'jdtls',
  title: 'Eclipse JDT LS',
  language: 'java',
  extensions: { '.java': 'java' },
  command: 'jdtls',
  args: [],
  install: 'brew install jdtls, or unpack https://download.eclipse.org/jdtls/milestones (it needs Java 21)',
  root: {
    kind: 'outermost',
    markers: [
      ...['pom.xml', 'settings.gradle', 'settings.gradle.kts', 'build.gradle', 'build.gradle.kts'],
      '.project',
    ],
  },
  readiness: {
    kind: 'notification',
    method: 'language/status',
    reason: 'It says ServiceReady when the projects are imported; from then on a search waits for its index.',
    read: readStatus,
  },
  diagnostics: {
    kind: 'debounced-push',
    delayMs: 300,
    quietMs: 50,
    work: 'Publish Diagnostics',
    reason:
      'Without a version: 400 ms after the last of several changes it works one report out, and says so.',
  },
  settings: {
    java: {
      // It would ask a person first.
      configuration: { updateBuildConfiguration: 'automatic' },
      inlayHints: { parameterNames: { enabled: 'all' } },
      referencesCodeLens: { enabled: true },
      signatureHelp: { enabled: true },
    },
  },
  initializationOptions: {
    // Without it a definition inside a library is answered with nothing at all.
    extendedClientCapabilities: { classFileContentsSupport: true },
  },
  dataFolder: {
    argument: '-data',
    reason:
      'Its own choice is one folder for all workspaces of the same name; a second server there does not start.',
  },
  limited: {
    kind: 'refused',
    reason: 'importing a project runs its Gradle build and the annotation processors it names',
  },
  limits: () => [
    {
      methods: ['textDocument/declaration'],
      reason: 'jdtls knows a declaration only of what overrides or implements it',
      hint: 'Use go_to_definition.',
    },
  ],
  watches: [
    ...['pom.xml', '*.gradle', '*.gradle.kts', 'gradle.properties', '.classpath', '.project', '*.prefs'],
  ],
  reloads: {
    after: path => !path.endsWith('.java'),
    withinMilliseconds: 3000,
    reason: 'it is building with the changed settings of the project',
  },
  quirks: {
    registersTooLate: 'It registers what it can do when the projects are imported, which may take minutes.',
    changedFilesMustBeOpened: 'After an announced change its first answers are often still for the old file.',
    deletedFilesAreNoticed:
      'An announced deletion is in the next answer; a file that is gone gets no report.',
  },
})

/** `Starting` comes again after `Started` (issue 651), so only ServiceReady counts, and it is never taken back. */
function readStatus(params: unknown): StatusReading {
  const message = property(params, 'message')
  switch (property(params, 'type')) {
    case 'ServiceReady':
      return { ready: true }
    case 'ProjectStatus':
      return {
        complaint: message === 'OK' ? undefined : 'a project has errors in its settings or build files',
      }
    case 'Error':
      return { ready: false, complaint: typeof message === 'string' ? message : 'it could not start' }
    default:
      return {}
  }
}
