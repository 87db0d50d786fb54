// Real code for the tests to ask about, taken from the package registries each language has anyway.

import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { WorkspaceEntry, WorkspaceId } from './manifest.js'
import { runTool } from './run-tool.js'

export interface WorkspaceRecipe {
  pin: string
  install(folder: string): Promise<WorkspaceEntry>
}

export const workspaceRecipes: Record<WorkspaceId, WorkspaceRecipe> = {
  typescript: { pin: 'rxjs-7.8.2', install: installTypescript },
  python: { pin: 'django-5.2.8', install: installPython },
  go: { pin: 'mux-1.8.1', install: installGo },
  rust: { pin: 'memchr-2.8.0', install: installRust },
  c: { pin: 'zstd-sys-2.0.16', install: installC },
}

interface Described {
  root: string
  language: string
  file: string
  /** The declaration as it stands in the file; the symbol is the part named `name`. */
  declaration: string
  name: string
  note: string
}

async function installTypescript(folder: string): Promise<WorkspaceEntry> {
  await runTool('npm', ['pack', '--silent', 'rxjs@7.8.2'], { cwd: folder })
  await runTool('tar', ['xzf', 'rxjs-7.8.2.tgz'], { cwd: folder })
  const root = join(folder, 'rxjs')
  // Only the sources: the built declarations beside them would answer under the same names.
  await cp(join(folder, 'package/src'), join(root, 'src'), { recursive: true })
  await rm(join(folder, 'package'), { recursive: true })
  for (const file of await readdir(join(root, 'src'))) {
    if (file.startsWith('tsconfig')) await rm(join(root, 'src', file))
  }
  // Options that TypeScript 6 and 7 both accept.
  const compilerOptions = {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    types: [],
    strict: true,
    useUnknownInCatchVariables: false,
    noEmit: true,
  }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }, null, 2))
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'rxjs', private: true, type: 'module' }))
  return describe({
    root,
    language: 'typescript',
    file: 'src/internal/Observable.ts',
    declaration: 'export class Observable<T>',
    name: 'Observable',
    note: 'rxjs 7.8.2, sources only, with a tsconfig of its own; one type error, in WebSocketSubject.ts',
  })
}

async function installPython(folder: string): Promise<WorkspaceEntry> {
  const wheel = 'django-5.2.8-py3-none-any.whl'
  const download = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps']
  await runTool('python3', [...download, '--only-binary', ':all:', '-d', folder, 'django==5.2.8'])
  const root = join(folder, 'django')
  // A wheel is a zip file, and Python is here in any case.
  await runTool('python3', ['-m', 'zipfile', '-e', join(folder, wheel), root])
  await rm(join(folder, wheel))
  return describe({
    root,
    language: 'python',
    file: 'django/utils/functional.py',
    declaration: 'class cached_property:',
    name: 'cached_property',
    note: 'django 5.2.8, the content of its wheel',
  })
}

async function installGo(folder: string): Promise<WorkspaceEntry> {
  const text = await runTool('go', ['mod', 'download', '-json', 'github.com/gorilla/mux@v1.8.1'], {
    cwd: folder,
  })
  const downloaded: unknown = JSON.parse(text)
  if (typeof downloaded !== 'object' || downloaded === null || !('Dir' in downloaded)) {
    throw new Error('go mod download named no folder')
  }
  const root = join(folder, 'mux')
  await cp(String(downloaded.Dir), root, { recursive: true })
  // The module cache is read-only on purpose; a workspace is edited.
  await runTool('chmod', ['-R', 'u+w', root])
  return describe({
    root,
    language: 'go',
    file: 'route.go',
    declaration: 'type Route struct',
    name: 'Route',
    note: 'gorilla/mux 1.8.1, which depends on the standard library alone',
  })
}

async function installRust(folder: string): Promise<WorkspaceEntry> {
  const root = join(folder, 'memchr')
  await vendorCrate(folder, { crate: 'memchr', version: '2.8.0', target: root })
  // Optional and development dependencies would have to come over the network when cargo is asked.
  const manifest = await readFile(join(root, 'Cargo.toml'), 'utf8')
  const stripped = manifest
    .replace(/^\[(dependencies|dev-dependencies)\.[^[]*/gm, '')
    .replace(/^(logging|rustc-dep-of-std) = .*\n/gm, '')
  await writeFile(join(root, 'Cargo.toml'), stripped)
  for (const file of ['Cargo.lock', 'Cargo.toml.orig', '.cargo-checksum.json', 'rustfmt.toml']) {
    await rm(join(root, file), { force: true })
  }
  return describe({
    root,
    language: 'rust',
    file: 'src/memchr.rs',
    declaration: 'pub fn memchr(',
    name: 'memchr',
    note: 'memchr 2.8.0 without its optional and development dependencies, so that cargo needs no network',
  })
}

async function installC(folder: string): Promise<WorkspaceEntry> {
  const crate = join(folder, 'crate')
  await vendorCrate(folder, { crate: 'zstd-sys', version: '2.0.16', target: crate })
  const root = join(folder, 'zstd')
  await cp(join(crate, 'zstd'), root, { recursive: true })
  await rm(crate, { recursive: true })
  const files = await readdir(root, { recursive: true })
  const units = files.filter(file => file.endsWith('.c')).sort()
  const commands = units.map(file => ({
    directory: root,
    file: join(root, file),
    arguments: ['clang', '-c', '-Ilib', '-Ilib/common', '-DZSTD_LEGACY_SUPPORT=0', file],
  }))
  await writeFile(join(root, 'compile_commands.json'), JSON.stringify(commands, null, 1))
  return describe({
    root,
    language: 'c',
    file: 'lib/common/error_private.h',
    declaration: 'unsigned ERR_isError(',
    name: 'ERR_isError',
    note: `zstd from the crate zstd-sys 2.0.16, ${units.length} units, with a generated compile_commands.json`,
  })
}

/** `cargo vendor` is the one command of cargo that hands out the sources of a crate, checked and writable. */
async function vendorCrate(
  folder: string,
  { crate, version, target }: { crate: string; version: string; target: string },
): Promise<void> {
  const project = join(folder, 'fetch')
  await mkdir(join(project, 'src'), { recursive: true })
  await writeFile(join(project, 'src/lib.rs'), '')
  await writeFile(
    join(project, 'Cargo.toml'),
    `[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${crate} = "=${version}"\n`,
  )
  await runTool('cargo', ['vendor', '--quiet', 'vendor'], { cwd: project })
  await cp(join(project, 'vendor', crate), target, { recursive: true })
  await rm(project, { recursive: true })
}

async function describe(workspace: Described): Promise<WorkspaceEntry> {
  const { root, language, file, declaration, name, note } = workspace
  const text = await readFile(join(root, file), 'utf8')
  const start = text.indexOf(declaration)
  if (start < 0) throw new Error(`${relative(root, join(root, file))} does not declare ${declaration}`)
  const offset = start + declaration.indexOf(name)
  const before = text.slice(0, offset).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return { root, language, symbol: { file, name, line: before.length, column }, note }
}
