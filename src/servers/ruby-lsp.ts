// ruby-lsp. It guesses the types of receivers by their names, and says so in what it answers.
import { defineServer } from './definition.js'

export const rubyLsp = defineServer({
  id: 'ruby-lsp',
  title: 'ruby-lsp',
  language: 'ruby',
  extensions: { '.rb': 'ruby', '.rake': 'ruby', '.gemspec': 'ruby' },
  command: 'ruby-lsp',
  args: [],
  install: 'gem install ruby-lsp',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'progress',
    token: 'indexing-progress',
    beginsWithinMs: 10_000,
    reason: 'It indexes in the background and answers from what it has until that ends.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'A pull is for the text it was given last.',
    restsOnFileAlone: 'it parses the file, and RuboCop reads it; the index is for references.',
  },
  // In any other it looks in the wrong place behind an emoji, also when it takes a change in (0.26).
  positionEncodings: ['utf-8'],
  environment: {
    // Without it it writes a bundle of its own into the project and installs gems over the network.
    BUNDLE_GEMFILE: 'Gemfile',
  },
  limited: {
    kind: 'refused',
    reason: 'it loads the add-ons that lie in the workspace and in its bundle',
  },
  watches: ['Gemfile', 'Gemfile.lock', '.rubocop.yml'],
  limits: () => [
    {
      methods: ['textDocument/references', 'textDocument/rename', 'textDocument/definition'],
      reason: 'ruby-lsp finds methods by their name alone, whatever they are called on',
      hint: 'Check the receivers of what it lists.',
    },
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'ruby-lsp reports errors of syntax, and beyond them what RuboCop finds where the bundle has it',
      hint: 'Run the tests for the rest.',
    },
  ],
  quirks: {
    parsesTooEarly:
      'It parses when a question arrives, before it has worked off the change that came in front of it, and keeps the answer (0.26).',
    wholeTextMisread: 'A change without a range raises an error inside, and the old text stands (0.26).',
  },
})
