// What a stranger's workspace may plant so that a language server runs it. Each program leaves a mark when it is run;
// in a workspace that is not trusted there must be none (fault S09).
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** By server; writes the files into the workspace. The mark is the absolute path of a file that must not appear. */
export async function plant(server: string, root: string, mark: string): Promise<void> {
  for (const [path, text] of Object.entries(temptations[server]?.(mark) ?? {})) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    if (text.startsWith('#!')) await chmod(file, 0o755)
  }
}

const temptations: Readonly<Record<string, (mark: string) => Readonly<Record<string, string>>>> = {
  typescript: mark => ({
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "7.0.2" }',
    [`node_modules/@typescript/typescript-${platform}/package.json`]: '{ "version": "7.0.2" }',
    [`node_modules/@typescript/typescript-${platform}/lib/tsc`]: shellScript(mark),
  }),
  'typescript-language-server': mark => ({
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "6.0.3" }',
    'node_modules/typescript/lib/tsserver.js': javascript(mark),
    'node_modules/typescript/lib/typescript.js': javascript(mark),
  }),
  vtsls: mark => ({
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "6.0.3" }',
    'node_modules/typescript/lib/tsserver.js': javascript(mark),
    'node_modules/typescript/lib/typescript.js': javascript(mark),
    'node_modules/planted/package.json': '{ "name": "planted", "main": "index.js" }',
    'node_modules/planted/index.js': javascript(mark),
    'src/tsconfig.json': '{ "compilerOptions": { "strict": true, "plugins": [{ "name": "planted" }] } }',
  }),
  biome: () => ({ '.editorconfig': 'root = true\n' }),
  ruff: pythonEnvironment,
  'svelte-language-server': mark => ({
    'svelte.config.js': javascript(mark),
    'node_modules/svelte/package.json': '{ "name": "svelte", "version": "5.0.0", "main": "compiler.js" }',
    'node_modules/svelte/compiler.js': javascript(mark),
  }),
  'astro-language-server': mark => ({
    'astro.config.mjs': javascript(mark),
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "6.0.3" }',
    'node_modules/typescript/lib/typescript.js': javascript(mark),
  }),
  'ruby-lsp': mark => ({
    Gemfile: ruby(mark),
    'ruby_lsp/planted/addon.rb': ruby(mark),
    '.rubocop.yml': 'require: ./planted\n',
    'planted.rb': ruby(mark),
  }),
  'bash-language-server': mark => ({ shellcheck: shellScript(mark), shfmt: shellScript(mark) }),
  'prisma-language-server': mark => ({ 'prisma.config.ts': javascript(mark) }),
  buf: mark => ({
    'buf.yaml': 'version: v2\nplugins:\n  - plugin: ./planted\n',
    planted: shellScript(mark),
  }),
  'vscode-json': prettierConfiguration,
  'vscode-css': prettierConfiguration,
  'vscode-html': prettierConfiguration,
  'yaml-language-server': prettierConfiguration,
  pyright: pythonEnvironment,
  pylsp: pythonEnvironment,
  basedpyright: pythonEnvironment,
  ty: pythonEnvironment,
  'jedi-language-server': pythonEnvironment,
  // With a .cargo/config.toml as well it would not be started at all.
  'rust-analyzer': mark => ({
    'build.rs': `fn main() { std::fs::write("${mark}", "build.rs").unwrap(); }\n`,
  }),
  clangd: () => ({ '.clangd': 'CompileFlags:\n  Add: [-DPLANTED]\n' }),
}

const platform = `${process.platform}-${process.arch}`

function pythonEnvironment(mark: string): Record<string, string> {
  return {
    '.venv/pyvenv.cfg': 'home = /usr/bin\nversion = 3.11.2\n',
    '.venv/bin/python': `${shellScript(mark)}exec python3 "$@"\n`,
    '.venv/bin/python3': `${shellScript(mark)}exec python3 "$@"\n`,
  }
}

/** Formatters that take a program for their configuration. */
function prettierConfiguration(mark: string): Record<string, string> {
  return { '.prettierrc.cjs': javascript(mark), 'prettier.config.cjs': javascript(mark) }
}

function ruby(mark: string): string {
  return `File.write(${JSON.stringify(mark)}, __FILE__)\n`
}

function shellScript(mark: string): string {
  return `#!/bin/sh\necho "$0" >> '${mark}'\n`
}

function javascript(mark: string): string {
  return `require('node:fs').writeFileSync(${JSON.stringify(mark)}, __filename)\n`
}
