// Prisma's server for its schema files. The models of a schema are declared in one file or in one folder of them.
import { defineServer } from './definition.js'

export const prismaLanguageServer = defineServer({
  id: 'prisma-language-server',
  title: 'Prisma language server',
  language: 'prisma',
  extensions: { '.prisma': 'prisma' },
  command: 'prisma-language-server',
  args: ['--stdio'],
  install: 'npm install -g @prisma/language-server',
  declaresNoSymbols: 'It offers no search, and models are used under names that Prisma generates.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'Every question is worked out from the schema when it is asked.' },
  diagnostics: {
    kind: 'one-push-per-change',
    delayMs: 0,
    reason: 'Without a version, but exactly one for each change, at once and in their order.',
  },
  limited: { kind: 'refused', reason: 'it runs the prisma.config.ts that lies in the workspace' },
  watches: [],
  quirks: {
    needsConfigurationObject: 'It does not check the settings it asks for, and ends when they are null.',
  },
})
