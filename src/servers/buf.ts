// Buf, for Protocol Buffers.
import { defineServer } from './definition.js'

export const buf = defineServer({
  id: 'buf',
  title: 'Buf',
  language: 'protobuf',
  extensions: { '.proto': 'proto' },
  command: 'buf',
  args: ['lsp', 'serve'],
  install: 'npm install -g @bufbuild/buf',
  root: { kind: 'outermost', markers: ['buf.work.yaml', 'buf.yaml'] },
  readiness: {
    kind: 'blocks',
    reason: 'A question waits until the files of the workspace are parsed.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 600,
    reason:
      'Pushed with the version of the text, first what does not compile, a moment later what lint finds.',
  },
  limited: {
    kind: 'refused',
    // No option keeps it from that (1.75).
    reason: 'it runs the plugins that the buf.yaml of the workspace names',
  },
  watches: ['buf.yaml', 'buf.gen.yaml', 'buf.work.yaml', 'buf.lock'],
  quirks: {
    changedFilesMustBeOpened: 'After an announced change it still answers from the old text of the file.',
  },
})
