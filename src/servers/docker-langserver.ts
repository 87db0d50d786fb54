// The Docker language server for Dockerfiles.
import { defineServer } from './definition.js'

export const dockerLangserver = defineServer({
  id: 'docker-langserver',
  title: 'Dockerfile language server',
  language: 'dockerfile',
  extensions: { '.dockerfile': 'dockerfile', dockerfile: 'dockerfile', containerfile: 'dockerfile' },
  command: 'docker-langserver',
  args: ['--stdio'],
  install: 'npm install -g dockerfile-language-server-nodejs',
  declaresNoSymbols: 'The stages of a Dockerfile are known in that file alone.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It answers from the file it is asked about, which is parsed first.' },
  diagnostics: {
    kind: 'one-push-per-change',
    delayMs: 0,
    reason: 'Without a version, but exactly one for each change, at once and in their order.',
  },
  limited: { kind: 'same', reason: 'It reads Dockerfiles and builds nothing.' },
  watches: ['Dockerfile', 'Containerfile'],
  quirks: {},
})
