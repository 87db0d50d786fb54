// Solargraph, for Ruby. Its types come from YARD comments and from what it can infer.
import { defineServer } from './definition.js'

export const solargraph = defineServer({
  id: 'solargraph',
  title: 'Solargraph',
  language: 'ruby',
  extensions: { '.rb': 'ruby', '.rake': 'ruby', '.gemspec': 'ruby' },
  command: 'solargraph',
  args: ['stdio'],
  install: 'gem install solargraph',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'progress',
    title: /^Mapping workspace/,
    beginsWithinMs: 10_000,
    reason: 'It maps the workspace after the handshake and answers from what it has until that ends.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'Pushed; a report without a version of the text settles nothing.',
  },
  settings: { solargraph: { diagnostics: true } },
  limited: {
    kind: 'refused',
    reason: 'it loads the plugins that the .solargraph.yml of the workspace names',
  },
  watches: ['Gemfile', 'Gemfile.lock', '.solargraph.yml', '.rubocop.yml'],
  limits: () => [
    {
      methods: ['textDocument/references', 'textDocument/rename'],
      reason: 'solargraph finds what it can infer the type of',
      hint: 'Search the text for other uses of the name.',
    },
  ],
  quirks: {
    registersTooLate: 'It registers most of what it can do only after the handshake.',
  },
})
