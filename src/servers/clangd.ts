// clangd, for C and C++. What it knows beyond one file comes from a compilation database.
import { dirname, join } from 'node:path'
import { property } from '../json.js'
import type { FileActivity } from '../lsp/diagnostics.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import { defineServer, type KnownLimit, type RootFacts } from './definition.js'

export const clangd = defineServer({
  id: 'clangd',
  title: 'clangd',
  language: 'c',
  extensions: {
    '.c': 'c',
    '.h': 'c',
    '.cc': 'cpp',
    '.cpp': 'cpp',
    '.cxx': 'cpp',
    '.hh': 'cpp',
    '.hpp': 'cpp',
    '.hxx': 'cpp',
  },
  command: 'clangd',
  // The index is kept in .cache/clangd beside the compilation database; there is no option to keep it elsewhere. Without
  // dirty headers (clangd 13) a header that is being tried would be read from the disk, and nothing would seem to break.
  // Its references end at a thousand and its symbols at a hundred, silently, unless it is told otherwise. Zero is no end;
  // of symbols there is one, because completions are counted by it too.
  args: [
    '--background-index',
    '--log=error',
    '--use-dirty-headers',
    '--limit-references=0',
    '--limit-results=10000',
  ],
  install: 'apt-get install clangd, or: brew install llvm',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'progress',
    token: 'backgroundIndexProgress',
    beginsWithinMs: 5000,
    reason: 'References grow in steps until the background index is done.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 100,
    reason:
      'Pushed with the version of the text, sometimes twice for one version; it is done when the file is idle.',
    restsOnFileAlone: 'it compiles a file with its headers from the disk; the index is for references.',
    idle: {
      method: 'textDocument/clangd.fileStatus',
      read: readFileStatus,
      // It is idle for a moment between reading the headers anew and the report that rests on them.
      barrier: 'textDocument/documentSymbol',
    },
  },
  hides: hiddenByFatal,
  initializationOptions: { clangdFileStatus: true },
  // A text it has built before is not reported on again, and a changed header goes unnoticed.
  changeExtras: { forceRebuild: true },
  limited: {
    kind: 'reduced',
    args: ['--enable-config=false'],
    costs: ({ root, exists }) =>
      exists(join(root, '.clangd')) ? 'the .clangd files of the workspace are not read' : undefined,
  },
  watches: ['compile_commands.json', 'compile_flags.txt', '.clangd'],
  // It reads the compilation database again at most every five seconds, whatever it is told.
  projectFilesSeenAfter: { milliseconds: 5500, reason: 'it is indexing with a new compilation database' },
  limits: facts => [...compilationDatabase(facts), templateBases],
  quirks: {
    shownFilesReadAlone:
      'Of a header that was opened it forgets the uses that only exist in the files that include it (22.1).',
    changedFilesMustBeOpened: 'It ignores announced changes; only an opened file is read again.',
  },
})

function readFileStatus(params: unknown): FileActivity | undefined {
  const uri = property(params, 'uri')
  return typeof uri === 'string' ? { uri, idle: property(params, 'state') === 'idle' } : undefined
}

/** Clang says nothing more after an error it calls fatal, and the twentieth error is one. */
function hiddenByFatal(found: readonly ServerDiagnostic[]): string | undefined {
  if (found.some(({ code }) => code === 'pp_file_not_found'))
    return 'tells no more errors after an include that it cannot find'
  if (found.some(({ message }) => /^in included file/i.test(message)))
    return 'counts the errors of included files too and stops after some'
  const errors = found.filter(({ severity }) => severity === 1).length
  return errors >= mostErrors ? `stops after ${mostErrors} errors` : undefined
}

const mostErrors = 19

const templateBases: KnownLimit = {
  methods: ['textDocument/prepareTypeHierarchy'],
  reason: 'clangd leaves out bases that are instances of a template',
  hint: 'Read the head of the class for these.',
}

function compilationDatabase({ root, file, exists }: RootFacts): readonly KnownLimit[] {
  if (hasDatabase(file === undefined ? root : dirname(file), exists)) return []
  return [
    {
      methods: [
        'textDocument/references',
        'workspace/symbol',
        'textDocument/rename',
        'textDocument/prepareCallHierarchy',
      ],
      reason: 'there is no compile_commands.json, so clangd knows only the files that are open',
      hint: 'Generate one (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear -- make).',
    },
  ]
}

/** clangd looks in every folder above the file and in a `build` folder beside each. */
function hasDatabase(start: string, exists: (path: string) => boolean): boolean {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = ['compile_commands.json', 'build/compile_commands.json'].some(name =>
      exists(join(folder, name)),
    )
    if (found) return true
    if (dirname(folder) === folder) return false
  }
}
