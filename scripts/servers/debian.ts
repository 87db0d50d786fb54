// Fetches Debian packages without installing them: they are unpacked into a folder of the cache, together with
// the libraries the machine lacks. Nothing of the system changes, and no root is needed.

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from './run-tool.js'

export interface Unpacked {
  root: string
  /** The exact version of the first package asked for. */
  version: string
  libraryPath: string
}

/**
 * Packages are tried in the order given: the first group whose first package the archive has is taken. From another
 * suite than the machine's own everything comes along that they need, down to the C library.
 */
export async function unpackPackages(groups: string[][], folder: string, suite?: string): Promise<Unpacked> {
  const apt = await privateApt(join(folder, 'apt'), suite)
  for (const group of groups) {
    const [first] = group
    if (first === undefined) continue
    const version = await candidateVersion(apt, first)
    if (version === undefined) continue
    const root = join(folder, 'root')
    await downloadAndUnpack(apt, group, { root, downloads: join(folder, 'deb') })
    await rm(join(folder, 'apt'), { recursive: true, force: true })
    return { root, version, libraryPath: (await libraryFolders(root)).join(':') }
  }
  throw new Error(`the package archive has none of ${groups.map(group => group[0]).join(', ')}`)
}

/** Its own lists and downloads, so that it works without root and with empty system lists. */
async function privateApt(folder: string, suite: string | undefined): Promise<string[]> {
  const lists = join(folder, 'lists')
  const archives = join(folder, 'cache/archives')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  const options = [
    `Dir::State=${folder}`,
    `Dir::State::Lists=${lists}`,
    ...(await sourcesOf(folder, suite)),
    `Dir::Cache=${join(folder, 'cache')}`,
    'APT::Sandbox::User=',
    'Debug::NoLocking=true',
  ].flatMap(option => ['-o', option])
  await runTool('apt-get', [...options, '-qq', 'update'])
  return options
}

async function sourcesOf(folder: string, suite: string | undefined): Promise<string[]> {
  // What is installed is still the machine's own answer: it decides which libraries are missing.
  if (suite === undefined) return ['Dir::State::status=/var/lib/dpkg/status']
  const list = join(folder, 'sources.list')
  const status = join(folder, 'status')
  await writeFile(list, `deb ${await ownArchive()} ${suite} main\n`)
  await writeFile(status, '')
  return [`Dir::State::status=${status}`, `Dir::Etc::sourcelist=${list}`, 'Dir::Etc::sourceparts=-']
}

/** Wherever this machine has its packages from: a mirror holds every suite. */
async function ownArchive(): Promise<string> {
  const addresses = await runTool('apt-get', ['--print-uris', 'update'])
  // What is added to a suite later (`-updates`, `-security`) may lie elsewhere.
  const main = /^'(\S+\/debian)\/dists\/[a-z]+\/InRelease'/m.exec(addresses)?.[1]
  if (main === undefined) throw new Error('this machine has no Debian archive among its sources')
  return main
}

async function candidateVersion(apt: string[], name: string): Promise<string | undefined> {
  const text = await runTool('apt-cache', [...apt, 'policy', name], { env: { LC_ALL: 'C' } })
  const version = /^ {2}Candidate: (.+)$/m.exec(text)?.[1]
  return version === '(none)' ? undefined : version
}

async function downloadAndUnpack(
  apt: string[],
  packages: string[],
  { root, downloads }: { root: string; downloads: string },
): Promise<void> {
  const plan = await runTool('apt-get', [...apt, '-s', 'install', '--no-install-recommends', ...packages])
  const missing = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, name]) =>
    name === undefined ? [] : [name],
  )
  await mkdir(downloads, { recursive: true })
  await mkdir(root, { recursive: true })
  await runTool('apt-get', [...apt, '-qq', 'download', ...new Set([...packages, ...missing])], {
    cwd: downloads,
  })
  for (const file of await readdir(downloads)) await runTool('dpkg-deb', ['-x', join(downloads, file), root])
  await rm(downloads, { recursive: true, force: true })
}

async function libraryFolders(root: string): Promise<string[]> {
  const base = join(root, 'usr/lib')
  const entries = await readdir(base, { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(entry => join(base, entry.name))
  const candidates = [...folders, ...folders.map(folder => join(folder, 'lib'))]
  const found = await Promise.all(
    candidates.map(async folder => {
      const files = await readdir(folder).catch(() => [])
      return files.some(file => /\.so(\.|$)/.test(file)) ? [folder] : []
    }),
  )
  return found.flat()
}
