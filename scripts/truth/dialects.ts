// The five languages of the real code.
import { posix } from 'node:path'
import type { Dialect, SourceLines } from './dialect.js'
import { spotsBefore } from './dialect.js'

const typescript: Dialect = {
  takes: file => /\.ts$/.test(file) && !/\.d\.ts$/.test(file),
  breaks: () => true,
  spots(lines) {
    const lastImport = lines.findLastIndex(line => /^import .* from |^} from /.test(line))
    return lastImport < 0 ? [] : [lastImport + 1]
  },
  comment: n => `// comment_${n}`,
  faults: [
    {
      check: 'names',
      lines: n => [`export const probe_${n} = undeclared_${n}`],
      errors: n => [{ offset: 0, mentions: `undeclared_${n}` }],
    },
    {
      check: 'types',
      lines: n => [`export const probe_${n}: number = 'text'`],
      errors: () => [{ offset: 0, mentions: 'number' }],
    },
    {
      check: 'calls',
      lines: n => [
        `export function needs_${n}(one: number): number { return one }`,
        `export const probe_${n} = needs_${n}()`,
      ],
      errors: () => [{ offset: 1 }],
    },
    {
      check: 'types',
      lines: n => [`export const twin_${n} = 1`, `export const twin_${n} = 2`],
      errors: n => [
        { offset: 0, mentions: `twin_${n}` },
        { offset: 1, mentions: `twin_${n}` },
      ],
    },
    {
      check: 'imports',
      lines: n => [`import { member_${n} } from './missing_${n}'`],
      errors: n => [{ offset: 0, mentions: `missing_${n}` }],
    },
    {
      check: 'syntax',
      lines: n => [`export const probe_${n} = ;`],
      errors: () => [{ offset: 0 }],
    },
  ],
  bond: {
    states: ['good', 'wrong', 'absent'],
    name: n => `beacon_${n}`,
    declared: (n, state) =>
      state === 'absent'
        ? []
        : [`export const beacon_${n}: ${state === 'good' ? 'number = 1' : "string = 'text'"}`],
    use: (n, from, to) => [
      `import { beacon_${n} } from '${moduleFrom(from, to)}'`,
      `export const use_${n}: number = beacon_${n}`,
    ],
    errors: (n, state) => {
      if (state === 'good') return []
      return state === 'wrong' ? [{ offset: 1 }] : [{ offset: 0, mentions: `beacon_${n}` }]
    },
    fits: () => true,
  },
  made: {
    file: (n, using) => posix.join(posix.dirname(using), `made_${n}.ts`),
    text: (n, state) => `export const made_${n}: ${state === 'good' ? 'number = 1' : "string = 'text'"}\n`,
    use: n => [`import { made_${n} } from './made_${n}'`, `export const got_${n}: number = made_${n}`],
    errors: (n, state) => {
      if (state === 'good') return []
      return state === 'wrong' ? [{ offset: 1 }] : [{ offset: 0, mentions: `made_${n}` }]
    },
  },
  imports: ({ file, lines }) =>
    lines.flatMap((text, line) => {
      const [, names = '', from = ''] = /^import \{ ([\w, ]+) \} from '(\.[^']+)';?$/.exec(text) ?? []
      return names
        .split(', ')
        .filter(Boolean)
        .map(name => ({
          name,
          line,
          from: `${posix.join(posix.dirname(file), from)}.ts`,
          declaration: new RegExp(
            `^export (?:abstract )?(?:function|class|const|interface|type) (${name})\\b`,
            'gm',
          ),
        }))
    }),
}

function moduleFrom(from: string, to: string): string {
  const path = posix.relative(posix.dirname(to), from).replace(/\.ts$/, '')
  return path.startsWith('.') ? path : `./${path}`
}

const python: Dialect = {
  takes: file =>
    /\.py$/.test(file) && /^[\w/.]+$/.test(file) && !/__init__|migrations|conf\/locale|bin\//.test(file),
  breaks: () => true,
  spots: lines => spotsBefore(lines, /^(def|class) /).filter(at => lines[at - 2]?.trim() === ''),
  comment: n => `# comment_${n}`,
  faults: [
    {
      check: 'names',
      lines: n => [`probe_${n} = undeclared_${n}`],
      errors: n => [{ offset: 0, mentions: `undeclared_${n}` }],
    },
    {
      check: 'types',
      lines: n => [`probe_${n}: int = "text"`],
      errors: () => [{ offset: 0, mentions: 'int' }],
    },
    {
      check: 'calls',
      lines: n => [`def needs_${n}(one: int) -> int:`, '    return one', `probe_${n} = needs_${n}()`],
      errors: () => [{ offset: 2 }],
    },
    {
      check: 'imports',
      lines: n => [`import missing_${n}`],
      errors: n => [{ offset: 0, mentions: `missing_${n}` }],
    },
    { check: 'syntax', lines: n => [`probe_${n} = )`], errors: () => [{ offset: 0 }] },
  ],
  bond: {
    states: ['good', 'wrong', 'absent'],
    name: n => `beacon_${n}`,
    declared: (n, state) =>
      state === 'absent' ? [] : [`beacon_${n}: ${state === 'good' ? 'int = 1' : 'str = "text"'}`],
    use: (n, from) => [`from ${pythonModule(from)} import beacon_${n}`, `use_${n}: int = beacon_${n}`],
    errors: (n, state) => {
      if (state === 'good') return []
      return state === 'wrong' ? [{ offset: 1 }] : [{ offset: 0, mentions: `beacon_${n}` }]
    },
    fits: () => true,
  },
  made: {
    file: (n, using) => posix.join(posix.dirname(using), `made_${n}.py`),
    text: (n, state) => `made_${n}: ${state === 'good' ? 'int = 1' : 'str = "text"'}\n`,
    use: (n, using) => [
      `from ${pythonModule(posix.join(posix.dirname(using), `made_${n}.py`))} import made_${n}`,
      `got_${n}: int = made_${n}`,
    ],
    errors: (n, state) => {
      if (state === 'good') return []
      return state === 'wrong' ? [{ offset: 1 }] : [{ offset: 0, mentions: `made_${n}` }]
    },
  },
  imports: ({ lines }) =>
    lines.flatMap((text, line) => {
      const [, module = '', names = ''] = /^from (django[\w.]*) import ([\w, ]+)$/.exec(text) ?? []
      return names
        .split(', ')
        .filter(Boolean)
        .map(name => ({
          name,
          line,
          from: `${module.replaceAll('.', '/')}.py`,
          declaration: new RegExp(`^(?:def|class) (${name})\\b`, 'gm'),
        }))
    }),
}

function pythonModule(file: string): string {
  return file.replace(/\.py$/, '').replaceAll('/', '.')
}

const go: Dialect = {
  // Those of the package itself: what is outside sees exported names alone.
  takes: file => /^(?!doc|example|mux_httpserver)\w+\.go$/.test(file),
  breaks: () => true,
  spots: lines => spotsBefore(lines, /^(func|type) /),
  comment: n => `// comment_${n}`,
  faults: [
    {
      check: 'names',
      lines: n => [`var probe_${n} = undeclared_${n}`],
      errors: n => [{ offset: 0, mentions: `undeclared_${n}` }],
    },
    {
      check: 'types',
      lines: n => [`var probe_${n} int = "text"`],
      errors: () => [{ offset: 0, mentions: 'int' }],
    },
    {
      check: 'calls',
      lines: n => [`func needs_${n}(one int) int { return one }`, `var probe_${n} = needs_${n}()`],
      errors: () => [{ offset: 1 }],
    },
    {
      check: 'types',
      lines: n => [`func probe_${n}() {`, `\tunused_${n} := 1`, '}'],
      errors: n => [{ offset: 1, mentions: `unused_${n}` }],
    },
    {
      check: 'imports',
      at: 'head',
      lines: n => [`import "missing.example/m_${n}"`],
      errors: () => [{ offset: 0, hides: true }],
    },
    {
      check: 'syntax',
      // Its parser skips the functions that follow, and then every file of the package has errors.
      at: 'end',
      lines: n => [`var probe_${n} = )`],
      errors: () => [{ offset: 0, hides: true }],
    },
  ],
  bond: {
    states: ['good', 'wrong', 'absent'],
    name: n => `beacon_${n}`,
    declared: (n, state) =>
      state === 'absent' ? [] : [`var beacon_${n} ${state === 'good' ? 'int = 1' : 'string = "text"'}`],
    use: n => [`var use_${n} int = beacon_${n}`],
    errors: (n, state) => (state === 'good' ? [] : [{ offset: 0, mentions: `beacon_${n}` }]),
    // What a test declares exists for tests alone.
    fits: (declaring, using) => !isGoTest(declaring) || isGoTest(using),
  },
  made: {
    file: n => `made_${n}.go`,
    text: (n, state) => `package mux\n\nvar made_${n} ${state === 'good' ? 'int = 1' : 'string = "text"'}\n`,
    use: n => [`var got_${n} int = made_${n}`],
    errors: (n, state) => (state === 'good' ? [] : [{ offset: 0, mentions: `made_${n}` }]),
  },
}

function isGoTest({ file }: SourceLines): boolean {
  return file.endsWith('_test.go')
}

const c: Dialect = {
  takes: file => /^lib\/(common|compress|decompress|dictBuilder)\/\w+\.[ch]$/.test(file),
  // What is wrong in a header is wrong in every file that includes it.
  breaks: file => file.endsWith('.c'),
  spots(lines) {
    const guard = lines.findIndex(line => /^#ifndef \w+_H/.test(line))
    // Of a header nothing is outside its guard, and its end is.
    return guard < 0 || !/^#define /.test(lines[guard + 1] ?? '') ? [] : [guard + 2]
  },
  comment: n => `/* comment_${n} */`,
  faults: [
    {
      check: 'names',
      lines: n => [`int probe_${n}(void) { return undeclared_${n}; }`],
      errors: n => [{ offset: 0, mentions: `undeclared_${n}` }],
    },
    {
      check: 'types',
      lines: n => [`int *probe_${n}(void) { return 1.5; }`],
      errors: () => [{ offset: 0, mentions: 'double' }],
    },
    {
      check: 'calls',
      lines: n => [
        `int needs_${n}(int one) { return one; }`,
        `int probe_${n}(void) { return needs_${n}(); }`,
      ],
      errors: () => [{ offset: 1 }],
    },
    {
      check: 'types',
      lines: n => [`int twin_${n} = 1;`, `int twin_${n} = 2;`],
      errors: n => [{ offset: 1, mentions: `twin_${n}` }],
    },
    {
      check: 'imports',
      lines: n => [`#include "missing_${n}.h"`],
      errors: n => [{ offset: 0, mentions: `missing_${n}`, hides: true }],
    },
    { check: 'syntax', lines: n => [`int probe_${n} = ;`], errors: () => [{ offset: 0 }] },
  ],
  bond: {
    states: ['good', 'wrong', 'absent'],
    name: n => `beacon_${word(n)}`,
    declared: (n, state) =>
      state === 'absent' ? [] : [`extern ${state === 'good' ? 'int' : 'long long'} beacon_${word(n)};`],
    use: n => [`char use_${n}[sizeof(beacon_${word(n)}) == sizeof(int) ? 1 : -1];`],
    errors: (_, state) => (state === 'good' ? [] : [{ offset: 0 }]),
    fits: (declaring, using) =>
      declaring.file.endsWith('.h') &&
      using.file.endsWith('.c') &&
      using.lines.some(
        line => line.startsWith('#include "') && line.includes(`${posix.basename(declaring.file)}"`),
      ),
  },
  made: {
    file: (n, using) => posix.join(posix.dirname(using), `made_${n}.h`),
    text: (n, state) => `extern ${state === 'good' ? 'int' : 'long long'} made_${word(n)};\n`,
    use: n => [`#include "made_${n}.h"`, `char got_${n}[sizeof(made_${word(n)}) == sizeof(int) ? 1 : -1];`],
    errors: (n, state) => {
      if (state === 'good') return []
      if (state === 'wrong') return [{ offset: 1 }]
      return [
        { offset: 0, mentions: `made_${n}`, hides: true },
        { offset: 1, optional: true },
      ]
    },
  },
}

/**
 * Letters that no other number is near to: clang takes an unknown name for one that is spelled alike and goes on with
 * that, so what it says of a line would depend on what else is declared.
 */
function word(number: number): string {
  let state = Math.imul(number + 1, 0x9e3779b1)
  return Array.from({ length: 16 }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + number
    return String.fromCharCode(97 + ((state >>> 8) % 26))
  }).join('')
}

const rust: Dialect = {
  // Those that every other can see.
  takes: file => /^src\/(memchr|ext|memmem\/mod|arch\/all\/(memchr|rabinkarp|twoway))\.rs$/.test(file),
  breaks: () => true,
  spots: lines => spotsBefore(lines, /^(pub fn|fn|impl|struct|pub struct) /),
  comment: n => `// comment_${n}`,
  faults: [
    {
      check: 'types',
      lines: n => [`pub(crate) const PROBE_${n}: u32 = "text";`],
      errors: () => [{ offset: 0, mentions: 'u32' }],
    },
    {
      check: 'calls',
      lines: n => [
        `pub(crate) fn needs_${n}(one: u32) -> u32 { one }`,
        `pub(crate) fn probe_${n}() -> u32 { needs_${n}() }`,
      ],
      errors: () => [{ offset: 1 }],
    },
    { check: 'syntax', lines: n => [`pub(crate) const PROBE_${n}: u32 = ;`], errors: () => [{ offset: 0 }] },
  ],
  bond: {
    // A name that is not there is none of its errors.
    states: ['good', 'wrong'],
    name: n => `BEACON_${n}`,
    declared: (n, state) => [
      `pub(crate) const BEACON_${n}: ${state === 'good' ? 'u32 = 1' : '&str = "text"'};`,
    ],
    use: (n, from) => [`pub(crate) const USE_${n}: u32 = ${rustModule(from)}::BEACON_${n};`],
    errors: (_, state) => (state === 'good' ? [] : [{ offset: 0, mentions: 'u32' }]),
    fits: () => true,
  },
}

function rustModule(file: string): string {
  return file
    .replace(/^src\//, 'crate/')
    .replace(/(\/mod)?\.rs$/, '')
    .replaceAll('/', '::')
}

/** By the name of the workspace. */
export const dialects: Readonly<Record<string, Dialect>> = { typescript, python, go, c, rust }
