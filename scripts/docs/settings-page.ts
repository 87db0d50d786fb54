// docs/settings.md: every key of the configuration with its default, where files are looked for, and the presets.
import { describeSettings, type SettingDescription } from '../../src/config/describe.js'
import { workspaceFileNames } from '../../src/config/workspace-files.js'
import { block, code, page, table } from './markdown.js'
import { presetTables } from './presets-table.js'

/** Settings that are checked and resolved, and that nothing obeys yet. */
export const unobeyedSettings: readonly string[] = []

export function settingsPage(): string {
  const settings = describeSettings()
  const isAgents = ({ key }: SettingDescription) => key.startsWith('agents')
  return page('Settings', [
    'Everything works without a configuration. Unknown keys are refused with the nearest valid name and `file:line:column`.',
    '## Where settings are read',
    [
      'Later wins:',
      '',
      '1. the chosen preset;',
      '2. your file: `config.jsonc`, `config.json` or `config.yaml` (one of them) in `$XDG_CONFIG_HOME/alidade` (`~/.config/alidade`), or the file given with `--config`;',
      `3. the workspace's file: ${workspaceFileNames.map(code).join(', else ')};`,
      "4. with `--agent ID`, that agent's `lsp` block in `agents.yaml` of the same folder, or in the file given with `--config`;",
      '5. flags.',
      '',
      'For `servers` the most explicit entry of a name wins: flags, your file, the workspace file.',
    ].join('\n'),
    'A workspace file may choose among known servers. Only in a trusted workspace (`alidade trust`) may it name `command`, `args`, `env`, `endpoint`, `settings` or `initialization_options` of a server, choose the preset or turn its knobs, or allow languages your own file does not. Nor does a file of yours that other users may write to decide what runs and what a model may do: such keys are refused in it. What is withheld is said, with its place.',
    '## Keys',
    rows(settings.filter(setting => !isAgents(setting))),
    block(
      'jsonc',
      `{
  "servers": {
    "go": { "language": "go", "command": "gopls", "args": ["serve"], "scope": ["services/**"] }
  },
  "idle_seconds": 600
}`,
    ),
    '## Keys of `agents.yaml`',
    rows(settings.filter(isAgents)),
    ...(unobeyedSettings.length === 0
      ? []
      : [`Checked and not obeyed yet: ${unobeyedSettings.map(code).join(', ')}.`]),
    '## Presets',
    'A preset is a complete assignment of the policy knobs; choose one with `--preset` or `preset`. `idle_seconds`, `restart`, `limit_kb` and everything below `knobs` override theirs.',
    ...presetTables(),
  ])
}

function rows(settings: readonly SettingDescription[]): string {
  return table(
    ['Key', 'Value', 'Default', 'Meaning'],
    settings.map(({ key, type, default: fallback, description }) => [
      code(key),
      type,
      fallback === undefined ? '' : code(fallback),
      description,
    ]),
  )
}
