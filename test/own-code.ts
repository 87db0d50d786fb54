// A part of this very project as a workspace for tests: real code, small enough to be judged within seconds.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const project = join(import.meta.dirname, '..')

/** The folders of pure text work and what is built on them; they import little else, and what is missing was so before. */
export function ownCode(): Map<string, string> {
  const files = new Map([['tsconfig.json', '{ "extends": "./base.json", "include": ["src"] }']])
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: [] }
  files.set('base.json', JSON.stringify({ compilerOptions: options }))
  files.set('package.json', '{ "type": "module" }')
  for (const name of ['src/errors.ts', ...sources('src/text'), ...sources('src/changes')]) {
    files.set(name, readFileSync(join(project, name), 'utf8'))
  }
  return files
}

function sources(folder: string): string[] {
  return readdirSync(join(project, folder))
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => `${folder}/${name}`)
}
