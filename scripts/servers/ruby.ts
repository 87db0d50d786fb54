// ruby-lsp out of a newer Debian than most machines run, with the Ruby it needs and that Ruby's own C library: the
// program is handed to the loader that came with it.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackPackages } from './debian.js'
import type { ServerEntry } from './manifest.js'

export async function installRubyLsp(folder: string): Promise<ServerEntry> {
  const { root, version } = await unpackPackages([['ruby-ruby-lsp', 'ruby-bundler']], folder, 'forky')
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu')
  const [release = ''] = (await readdir(join(root, 'usr/lib/ruby'))).filter(name => /^\d/.test(name))
  const gems = join(libraries, 'rubygems-integration', release)
  const command = join(folder, 'bin/ruby-lsp')
  const loader = join(libraries, 'ld-linux-x86-64.so.2')
  const ruby = join(root, 'usr/bin', `ruby${release.replace(/\.0$/, '')}`)
  const words = [loader, '--library-path', libraries, ruby, join(root, 'usr/bin/ruby-lsp')]
  await mkdir(join(folder, 'bin'))
  await writeFile(command, `#!/bin/sh\nexec ${words.map(word => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  const env = {
    // The parser as a gem first: the one that comes with Ruby is too old for it.
    RUBYLIB: [
      ...(await foldersIn(join(gems, 'gems'), /^prism-/)).map(gem => join(gem, 'lib')),
      ...(await foldersIn(join(gems, 'extensions/x86_64-linux-gnu', release), /^prism-/)),
      join(root, 'usr/lib/ruby/vendor_ruby'),
      join(libraries, 'ruby/vendor_ruby', release),
      join(root, 'usr/lib/ruby', release),
      join(libraries, 'ruby', release),
    ].join(':'),
    GEM_PATH: [
      join(root, 'usr/share/rubygems-integration/all'),
      gems,
      join(root, 'usr/lib/ruby/gems', release),
    ].join(':'),
    GEM_HOME: join(folder, 'gems'),
  }
  return { command, args: [], env, version }
}

async function foldersIn(parent: string, name: RegExp): Promise<string[]> {
  return (await readdir(parent)).filter(entry => name.test(entry)).map(entry => join(parent, entry))
}
