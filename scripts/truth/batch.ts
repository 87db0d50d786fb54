// The same engine, run once over everything and not asked by anybody: what a user would see who runs the compiler.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { property } from '../../src/json.js'
import { launchOf, type Subject } from './subjects.js'

export interface BatchError {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

export interface Batch {
  readonly command: string
  /** Where it stops at the first file with an error of a kind, the others are not told. */
  readonly stopsAtHidden?: true
  /** The errors of these files, as far as they are errors of the language and not of style. */
  run(root: string, files: readonly string[]): Promise<readonly BatchError[]>
}

/** Undefined where its engine cannot be run in batch; then its answers say themselves what they cover. */
export function batchOf(subject: Subject): Batch | undefined {
  const { command, args, env } = launchOf(subject)
  const [script = ''] = args
  const packages = (name: string) => {
    const at = script.lastIndexOf('/node_modules/')
    return join(script.slice(0, at), 'node_modules', name)
  }
  const node = process.execPath
  switch (subject.id) {
    case 'typescript':
      return tsc('tsc --noEmit', command, [])
    case 'typescript-language-server':
    case 'vtsls':
      return tsc('tsc --noEmit', node, [packages('typescript/bin/tsc')])
    case 'pyright':
      return pyright('pyright', node, join(dirname(script), 'index.js'))
    case 'basedpyright':
      return pyright('basedpyright', node, join(dirname(script), 'index.js'))
    case 'ty':
      return byLine('ty check', root => ({
        command,
        args: ['check', '--output-format', 'concise', '--color', 'never'],
        cwd: root,
        pattern: /^(?<file>[^:]+):(?<line>\d+):\d+: error(?<message>.*)$/,
      }))
    case 'pylsp':
      return byLine('pyflakes', root => ({
        command: join(dirname(command), 'python'),
        args: ['-m', 'pyflakes'],
        cwd: root,
        pattern:
          /^(?<file>[^:]+):(?<line>\d+):\d+:? (?<message>undefined name .*|invalid syntax.*|unmatched .*)$/,
      }))
    case 'gopls':
      return {
        stopsAtHidden: true,
        ...byLine('go test -c', root => ({
          command: 'go',
          args: ['test', '-c', '-o', '/dev/null', '-gcflags=-e', '.'],
          cwd: root,
          env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' },
          takesNoFiles: true,
          pattern: /^(?:\.\/)?(?<file>[\w./-]+\.go):(?<line>\d+):(?:\d+:)? (?<message>.*)$/,
        })),
      }
    case 'clangd':
      return clangd(command, env)
    default:
      return undefined
  }
}

interface Tool {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly pattern: RegExp
  readonly takesNoFiles?: true
}

function tsc(title: string, command: string, args: readonly string[]): Batch {
  return byLine(title, root => ({
    command,
    args: [...args, '--noEmit', '-p', '.', '--pretty', 'false'],
    cwd: root,
    takesNoFiles: true,
    pattern: /^(?<file>[^(]+)\((?<line>\d+),\d+\): error (?<message>.*)$/,
  }))
}

function byLine(title: string, toolIn: (root: string) => Tool): Batch {
  return {
    command: title,
    async run(root, files) {
      const tool = toolIn(root)
      const { stdout, stderr } = await output(tool, tool.takesNoFiles ? [] : files)
      return `${stdout}\n${stderr}`.split('\n').flatMap(line => {
        const { file, line: at, message = '' } = tool.pattern.exec(line)?.groups ?? {}
        if (file === undefined || !files.includes(file)) return []
        return [{ file, line: Number(at), message }]
      })
    },
  }
}

function pyright(title: string, node: string, script: string): Batch {
  return {
    command: `${title} --outputjson`,
    async run(root, files) {
      const { stdout } = await output({ command: node, args: [script, '--outputjson'], cwd: root }, files)
      const found: unknown = property(JSON.parse(stdout), 'generalDiagnostics')
      if (!Array.isArray(found)) throw new TypeError(`${title} reported nothing`)
      return found.flatMap(item => {
        if (property(item, 'severity') !== 'error') return []
        const file = relative(root, String(property(item, 'file')))
        const line = Number(property(property(property(item, 'range'), 'start'), 'line')) + 1
        return [{ file, line, message: String(property(item, 'message')) }]
      })
    },
  }
}

/** clangd checks one file at a time; of all it then tests of itself, only what it says of the file is wanted. */
function clangd(command: string, env: Readonly<Record<string, string>>): Batch {
  const pattern = /^E\[[^\]]*\] \[(?<code>[\w-]+)\] Line (?<line>\d+): (?<message>.*)$/
  return {
    command: 'clangd --check',
    async run(root, files) {
      const errors: BatchError[] = []
      for (const file of files.filter(name => existsSync(resolve(root, name)))) {
        const args = [`--check=${file}`, '--check-lines=1-1']
        const { stderr } = await output({ command, args, cwd: root, env }, [])
        for (const line of stderr.split('\n')) {
          const { line: at, message = '' } = pattern.exec(line)?.groups ?? {}
          if (at !== undefined) errors.push({ file, line: Number(at), message })
        }
      }
      return errors
    },
  }
}

/** That it exits with an error is what happens when there are errors. */
function output(
  { command, args, cwd, env }: Omit<Tool, 'pattern'>,
  files: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((done, fail) => {
    execFile(command, [...args, ...files], options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') fail(error)
      else done({ stdout, stderr })
    })
  })
}
