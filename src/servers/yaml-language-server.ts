// Red Hat's server for YAML: syntax, and the schema that a file names in a comment.
import { defineServer } from './definition.js'

export const yamlLanguageServer = defineServer({
  id: 'yaml-language-server',
  title: 'yaml-language-server',
  language: 'yaml',
  extensions: { '.yaml': 'yaml', '.yml': 'yaml' },
  command: 'yaml-language-server',
  args: ['--stdio'],
  install: 'npm install -g yaml-language-server',
  declaresNoSymbols: 'A key of YAML is not looked for across files.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It answers from the file it is asked about, which is parsed first.' },
  diagnostics: {
    kind: 'debounced-push',
    delayMs: 150,
    quietMs: 50,
    barrier: 'textDocument/documentSymbol',
    reason: 'Without a version: one report, 200 ms after the last of several changes.',
  },
  settings: {
    // The store is a list on the network of schemas by file name; only what a file names itself is looked up.
    yaml: { validate: true, schemaStore: { enable: false }, format: { enable: true } },
  },
  limited: {
    kind: 'reduced',
    // Nothing answers there: a schema that a stranger's file names is not fetched.
    settings: { http: { proxy: 'http://127.0.0.1:1', proxyStrictSSL: true } },
    costs: () => 'schemas are not fetched over the network',
  },
  watches: ['*.json'],
  quirks: {
    needsConfigurationObject: 'It does not check the settings it asks for.',
  },
})
