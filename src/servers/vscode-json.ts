// VS Code's server for JSON: syntax, and whatever schema a file names.
import { defineServer } from './definition.js'
import { webServer } from './web-files.js'

export const vscodeJson = defineServer({
  ...webServer,
  id: 'vscode-json',
  title: 'VS Code JSON',
  language: 'json',
  extensions: { '.json': 'json', '.jsonc': 'jsonc', '.json5': 'jsonc' },
  command: 'vscode-json-language-server',
  declaresNoSymbols: 'A key of JSON is not looked for across files.',
  initializationOptions: {
    provideFormatter: true,
    // Any other schema it asks us for, which is not answered: a warning in the file says that it could not be loaded.
    handledSchemaProtocols: ['file'],
  },
  limited: { kind: 'same', reason: 'It reads schemas from the disk alone and runs nothing.' },
  // A schema may have any name.
  watches: ['*.json'],
  quirks: {
    needsConfigurationObject: 'It does not check the settings it asks for.',
  },
})
