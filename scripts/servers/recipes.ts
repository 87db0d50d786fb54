// One recipe per language server: where it comes from, at which version, and how it is started.

import { existsSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackPackages } from './debian.js'
import type { ServerEntry, ServerId } from './manifest.js'
import { runTool, rustupHome } from './run-tool.js'

export interface Recipe {
  /** Names the folder: a changed pin is a new folder, so nothing stale is ever taken for cached. */
  pin: string
  install(folder: string): Promise<ServerEntry>
  /** Arguments that make the program say its version and end. */
  versionArguments(entry: ServerEntry): string[]
}

export const recipes: Record<ServerId, Recipe> = {
  'typescript-language-server': {
    pin: '5.3.0-typescript-6.0.3',
    install: installTypescriptLanguageServer,
    versionArguments: ({ args }) => [...args.slice(0, 1), '--version'],
  },
  pylsp: { pin: '1.15.0', install: installPylsp, versionArguments: () => ['--version'] },
  // The newest that builds with Go 1.26; from 0.24 on it asks for Go 1.27.
  gopls: { pin: '0.23.0', install: installGopls, versionArguments: () => ['version'] },
  clangd: { pin: 'debian', install: installClangd, versionArguments: () => ['--version'] },
  'rust-analyzer': {
    pin: 'debian-with-library',
    install: installRustAnalyzer,
    versionArguments: () => ['--version'],
  },
}

/** Having the file is not having the server: a missing library shows only when the program is run. */
export async function installAndStart(recipe: Recipe, folder: string): Promise<ServerEntry> {
  const entry = await recipe.install(folder)
  await runTool(entry.command, recipe.versionArguments(entry), { env: entry.env })
  return entry
}

async function installTypescriptLanguageServer(folder: string): Promise<ServerEntry> {
  const dependencies = { 'typescript-language-server': '5.3.0', typescript: '6.0.3' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await runTool('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  return {
    // The node that runs the tests: the server's own file says `env node`, which may find another one.
    command: process.execPath,
    args: [join(folder, 'node_modules/typescript-language-server/lib/cli.mjs'), '--stdio'],
    env: {},
    version: '5.3.0',
  }
}

async function installPylsp(folder: string): Promise<ServerEntry> {
  await runTool('python3', ['-m', 'venv', join(folder, 'venv')])
  const pip = join(folder, 'venv/bin/pip')
  await runTool(pip, [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    'python-lsp-server[pycodestyle,pyflakes]==1.15.0',
  ])
  return { command: join(folder, 'venv/bin/pylsp'), args: [], env: {}, version: '1.15.0' }
}

async function installGopls(folder: string): Promise<ServerEntry> {
  const bin = join(folder, 'bin')
  await runTool('go', ['install', 'golang.org/x/tools/gopls@v0.23.0'], { cwd: folder, env: { GOBIN: bin } })
  return { command: join(bin, 'gopls'), args: [], env: {}, version: '0.23.0' }
}

async function installClangd(folder: string): Promise<ServerEntry> {
  const groups = [22, 19].map(major => [`clangd-${major}`, `libclang-common-${major}-dev`])
  const { root, version, libraryPath } = await unpackPackages(groups, folder)
  const command = [22, 19].map(major => join(root, `usr/lib/llvm-${major}/bin/clangd`)).find(existsSync)
  if (command === undefined) throw new Error('the clangd package holds no clangd')
  // The program itself is started, not its link in usr/bin: it finds its own headers relative to where it lies.
  return { command, args: [], env: { LD_LIBRARY_PATH: libraryPath }, version }
}

async function installRustAnalyzer(folder: string): Promise<ServerEntry> {
  // It asks cargo and rustc about every workspace and is of no use without them.
  await runTool('cargo', ['--version'])
  await runTool('rustc', ['--version'])
  const groups = [
    ['rust-analyzer', 'rust-src'],
    ['rust-web-analyzer', 'rust-web-src'],
  ]
  const { root, version, libraryPath } = await unpackPackages(groups, folder)
  return {
    command: join(root, 'usr/bin/rust-analyzer'),
    args: [],
    env: {
      LD_LIBRARY_PATH: libraryPath,
      // Where it finds no standard library it runs `rustup component add rust-src` on its own, which changes
      // the machine's toolchain; a library it was given keeps it from that.
      ...rustupHome(),
      RUST_SRC_PATH: await keepStandardLibrary(root, folder),
      // Without a network cargo waits for the index until it times out, twice.
      CARGO_NET_OFFLINE: 'true',
    },
    version,
  }
}

/** The source package holds the whole compiler, six times the size of the library. */
async function keepStandardLibrary(root: string, folder: string): Promise<string> {
  const sources = join(root, 'usr/src')
  const compiler = (await readdir(sources)).find(name => name.startsWith('rustc-'))
  if (compiler === undefined) throw new Error('the source package holds no usr/src/rustc-*')
  const library = join(folder, 'library')
  await rename(join(sources, compiler, 'library'), library)
  await rm(sources, { recursive: true })
  return library
}
