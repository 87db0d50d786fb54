import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseWorkspaceEdit } from '../lsp/edit-results.js'
import { contentHash } from '../text/hash.js'
import { SourceText } from '../text/lines.js'
import { type PositionEncoding, toServerPosition } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import { countEdits, diffOf, type EditPlan, makePlan, type PlanOptions } from './edit-plan.js'
import { createPathGate } from './path-gate.js'
import { SourceCache } from './source-file.js'

let root: string
let outside: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plan-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')))
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(outside, { recursive: true, force: true })
})

describe('mistake 1: positions', () => {
  it('mistake 1 are those of the encoding that the server counts in, next to any character', () => {
    const words = fc.constantFrom(
      'area',
      '\u{1f600}',
      '\u00e9',
      'e\u0301',
      ' ',
      '\n',
      '\r\n',
      '\r',
      '\u65e5',
      '\t',
    )
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 30 }).map(parts => `${parts.join('')}\u{1f600} area`),
        fc.constantFrom<PositionEncoding>('utf-8', 'utf-16', 'utf-32'),
        fc.boolean(),
        (text, encoding, bom) => {
          write('a.ts', (bom ? '\ufeff' : '') + text)
          const source = new SourceText(text)
          const at = (offset: number) => {
            const position = source.positionAt(offset)
            return toServerPosition(source.line(position.line) ?? '', position, encoding)
          }
          const edits = [...text.matchAll(/area/g)].map(({ index }) => ({
            range: { start: at(index), end: at(index + 4) },
            newText: 'size\u{1f600}',
          }))
          // A server's list has no order to rely on.
          const plan = planOf({ changes: { [uri('a.ts')]: edits.reverse() } }, {}, encoding)
          expect(plan.files).toMatchObject([
            {
              file: 'a.ts',
              after: text.replaceAll('area', 'size\u{1f600}'),
              edits: edits.length,
              before: { bom, text },
            },
          ])
        },
      ),
      { numRuns: 150 },
    )
  })

  it('mistake 1 refuses a place inside a character or past the line, and takes past the end for the end', () => {
    write('a.ts', 'a\u{1f600}b\nlast')
    const one = (line: number, character: number, endLine = line, endCharacter = character) =>
      planOf(edit('a.ts', [change(line, character, endLine, endCharacter, 'X')])).files[0]?.after
    expect(() => one(0, 2)).toThrow(refused('ServerError'))
    expect(() => one(0, 9)).toThrow(refused('ServerError'))
    expect(() => one(0, 1.5)).toThrow(refused('ServerError'))
    expect(() => one(0, -1, 0, 1)).toThrow(refused('ServerError'))
    expect(() => one(0, 1, 0, 0)).toThrow(refused('ServerError'))
    expect(one(0, 0, 0, 99)).toBe('X\nlast')
    expect(one(0, 0, 2 ** 31 - 1, 0)).toBe('X')
    expect(one(2, 0)).toBe('a\u{1f600}b\nlastX')
  })
})

describe('mistake 2: lists of edits', () => {
  it('mistake 2 several lists for one file count from the same text, and a repeated replacement is one', () => {
    write('a.ts', 'area area area')
    const plan = planOf({
      documentChanges: [
        documentEdit('a.ts', [change(0, 10, 0, 14, 'size'), change(0, 0, 0, 4, 'size')]),
        documentEdit('a.ts', [change(0, 0, 0, 4, 'size'), change(0, 5, 0, 9, 'size')]),
      ],
    })
    expect(plan.files).toMatchObject([{ after: 'size size size', edits: 3 }])
    expect(countEdits(plan)).toBe(3)
  })

  it('mistake 2 refuses lists that contradict each other', () => {
    write('a.ts', 'area')
    const conflicting = edit('a.ts', [change(0, 0, 0, 4, 'a'), change(0, 2, 0, 4, 'b')])
    expect(() => planOf(conflicting)).toThrow(refused('ServerError'))
  })

  it('R-155 what does not change in the end is not planned', () => {
    write('a.ts', 'area')
    expect(planOf(edit('a.ts', [change(0, 0, 0, 4, 'area')])).files).toEqual([])
    expect(planOf(edit('a.ts', [])).files).toEqual([])
    expect(diffOf(planOf(edit('a.ts', [])))).toBe('')
  })
})

describe('W13 line ends', () => {
  it.each([
    ['a\r\nb\r\n', 'x\ny\r\nz', 'x\r\ny\r\nza\r\nb\r\n'],
    ['a\nb\n', 'x\ny\r\nz', 'x\ny\nza\nb\n'],
    ['a', 'x\ny\r\nz', 'x\ny\r\nza'],
    ['a\r\nb\n', 'x\ny\r\n', 'x\ny\r\na\r\nb\n'],
  ])('W13 what is inserted into %j ends its lines as the file does', (before, inserted, after) => {
    write('a.ts', before)
    expect(planOf(edit('a.ts', [change(0, 0, 0, 0, inserted)])).files[0]?.after).toBe(after)
  })
})

describe('mistake 3: operations on files', () => {
  it('mistake 3 are made in order, and edits follow a file to its new name', () => {
    write('a.ts', 'a')
    write('b.ts', 'b')
    const plan = planOf({
      documentChanges: [
        documentEdit('a.ts', [change(0, 0, 0, 0, '1')]),
        rename('a.ts', 'new/c.ts'),
        documentEdit('new/c.ts', [change(0, 0, 0, 0, '2')]),
        { kind: 'create', uri: uri('d.ts') },
        documentEdit('d.ts', [change(0, 0, 0, 0, 'new\n')]),
        { kind: 'delete', uri: uri('b.ts') },
      ],
    })
    expect(facts(plan)).toEqual([
      ['b.ts', 'b.ts', undefined],
      ['d.ts', undefined, 'new\n'],
      ['new/c.ts', 'a.ts', '21a'],
    ])
    expect(diffOf(plan)).toContain('rename from a.ts\nrename to new/c.ts\n')
  })

  it('mistake 3 files that change places, and a name that is freed and taken again', () => {
    write('a.ts', 'a')
    write('b.ts', 'b')
    const swap = [rename('a.ts', 'x.ts'), rename('b.ts', 'a.ts'), rename('x.ts', 'b.ts')]
    expect(facts(planOf({ documentChanges: swap }))).toEqual([
      ['a.ts', 'b.ts', 'b'],
      ['b.ts', 'a.ts', 'a'],
    ])
    const again = [
      { kind: 'delete', uri: uri('a.ts') },
      { kind: 'create', uri: uri('a.ts') },
    ]
    expect(facts(planOf({ documentChanges: again }))).toEqual([['a.ts', 'a.ts', '']])
    const moved = [rename('a.ts', 'c.ts'), { kind: 'create', uri: uri('a.ts') }]
    expect(facts(planOf({ documentChanges: moved }))).toEqual([
      ['a.ts', undefined, ''],
      ['c.ts', 'a.ts', 'a'],
    ])
    const nothing = [
      { kind: 'create', uri: uri('n.ts') },
      { kind: 'delete', uri: uri('n.ts') },
    ]
    expect(planOf({ documentChanges: nothing }).files).toEqual([])
  })

  it('mistake 3 obey their options', () => {
    write('a.ts', 'a')
    write('b.ts', 'b')
    const create = (options: object) =>
      planOf({ documentChanges: [{ kind: 'create', uri: uri('a.ts'), options }] })
    expect(() => create({})).toThrow(refused('ServerError'))
    expect(create({ ignoreIfExists: true }).files).toEqual([])
    expect(facts(create({ overwrite: true, ignoreIfExists: true }))).toEqual([['a.ts', 'a.ts', '']])
    const move = (options: object) => planOf({ documentChanges: [{ ...rename('a.ts', 'b.ts'), options }] })
    expect(() => move({})).toThrow(refused('ServerError'))
    expect(move({ ignoreIfExists: true }).files).toEqual([])
    expect(facts(move({ overwrite: true }))).toEqual([
      ['a.ts', 'a.ts', undefined],
      ['b.ts', 'b.ts', 'a'],
    ])
    const remove = (options: object) =>
      planOf({ documentChanges: [{ kind: 'delete', uri: uri('no.ts'), options }] })
    expect(() => remove({})).toThrow(refused('FileNotFound'))
    expect(remove({ ignoreIfNotExists: true }).files).toEqual([])
  })

  it('mistake 3 of folders reach every file below, text or not', () => {
    write('old/a.go', 'package old')
    write('old/sub/b.go', 'package sub')
    write('old/logo.bin', Buffer.from([0xff, 0xfe, 0x00, 0x01]))
    const plan = planOf({
      documentChanges: [rename('old', 'new'), documentEdit('new/a.go', [change(0, 8, 0, 11, 'new')])],
    })
    expect(facts(plan)).toEqual([
      ['new/a.go', 'old/a.go', 'package new'],
      ['new/logo.bin', 'old/logo.bin', ''],
      ['new/sub/b.go', 'old/sub/b.go', 'package sub'],
    ])
    expect(plan.folders).toEqual(['old', 'old/sub'])
    expect(plan.files[1]?.before).toMatchObject({
      content: contentHash(Buffer.from([0xff, 0xfe, 0x00, 0x01])),
      isBinary: true,
    })
    const remove = (options: object) =>
      planOf({ documentChanges: [{ kind: 'delete', uri: uri('old'), options }] })
    expect(() => remove({})).toThrow(refused('ServerError'))
    expect(remove({ recursive: true }).files).toHaveLength(3)
    expect(() => planOf({ documentChanges: [rename('old', 'old/inner')] })).toThrow(refused('ServerError'))
  })

  it('mistake 3 a version, or a content, that the server does not have open is ContentModified', () => {
    write('a.ts', 'area')
    const versioned = (version: number | null) => ({
      documentChanges: [{ textDocument: { uri: uri('a.ts'), version }, edits: [change(0, 0, 0, 4, 'size')] }],
    })
    const open = (version: number, text: string): PlanOptions => ({
      documents: {
        get: asked => (asked === uri('a.ts') ? { version, content: contentHash(text) } : undefined),
      },
    })
    expect(() => planOf(versioned(3), open(4, 'area'))).toThrow(refused('ContentModified'))
    expect(() => planOf(versioned(null), open(4, 'other'))).toThrow(refused('ContentModified'))
    expect(planOf(versioned(4), open(4, 'area')).files).toHaveLength(1)
    expect(planOf(versioned(null), open(4, 'area')).files).toHaveLength(1)
    // gopls calls what it read from the disk version 0.
    expect(planOf(versioned(0), { documents: { get: () => undefined } }).files).toHaveLength(1)
  })
})

describe('W01 W02 containment', () => {
  it('mistake 3 nothing is planned when one path leads outside', () => {
    write('a.ts', 'area')
    writeFileSync(join(outside, 'x.ts'), 'x')
    symlinkSync(outside, join(root, 'out'))
    symlinkSync(join(outside, 'x.ts'), join(root, 'link.ts'))
    const good = documentEdit('a.ts', [change(0, 0, 0, 4, 'size')])
    const elsewhere = pathToUri(join(outside, 'x.ts'))
    for (const bad of [
      { textDocument: { uri: elsewhere }, edits: [change(0, 0, 0, 1, 'y')] },
      { textDocument: { uri: 'untitled:Untitled-1' }, edits: [change(0, 0, 0, 1, 'y')] },
      { textDocument: { uri: 'https://example.com/a.ts' }, edits: [change(0, 0, 0, 1, 'y')] },
      { textDocument: { uri: uri('../x.ts') }, edits: [change(0, 0, 0, 1, 'y')] },
      documentEdit('out/x.ts', [change(0, 0, 0, 1, 'y')]),
      documentEdit('link.ts', [change(0, 0, 0, 1, 'y')]),
      { kind: 'create', uri: elsewhere },
      { kind: 'create', uri: uri('out/new.ts') },
      { kind: 'create', uri: uri('out/deep/new.ts') },
      { kind: 'create', uri: uri('.git/hooks/pre-commit') },
      { kind: 'create', uri: uri('.GIT/config') },
      { kind: 'rename', oldUri: uri('a.ts'), newUri: elsewhere },
      { kind: 'rename', oldUri: uri('a.ts'), newUri: uri('out/a.ts') },
      { kind: 'rename', oldUri: elsewhere, newUri: uri('b.ts') },
      { kind: 'delete', uri: elsewhere },
      { kind: 'delete', uri: pathToUri(root), options: { recursive: true } },
      { kind: 'delete', uri: uri('out'), options: { recursive: true } },
    ]) {
      expect(() => planOf({ documentChanges: [good, bad] }), JSON.stringify(bad)).toThrow(
        refused('PathOutsideWorkspace'),
      )
    }
  })

  it('W02 a link inside is the file behind it, edited once, and is itself left alone', () => {
    write('real.ts', 'area')
    symlinkSync('real.ts', join(root, 'link.ts'))
    const both = {
      [uri('link.ts')]: [change(0, 0, 0, 4, 'size')],
      [uri('real.ts')]: [change(0, 0, 0, 4, 'size')],
    }
    expect(facts(planOf({ changes: both }))).toEqual([['real.ts', 'real.ts', 'size']])
    const differing = { ...both, [uri('real.ts')]: [change(0, 0, 0, 4, 'other')] }
    expect(() => planOf({ changes: differing })).toThrow(refused('ServerError'))
    for (const operation of [
      rename('link.ts', 'x.ts'),
      { kind: 'delete', uri: uri('link.ts') },
      { kind: 'create', uri: uri('link.ts'), options: { overwrite: true } },
    ]) {
      expect(() => planOf({ documentChanges: [operation] })).toThrow(refused('NotAFile'))
    }
  })

  it('W06 W12 what is missing or no text cannot be edited', () => {
    write('b.bin', Buffer.from([0xff, 0x00]))
    write('folder/a.ts', '')
    expect(() => planOf(edit('no.ts', [change(0, 0, 0, 0, 'x')]))).toThrow(refused('FileNotFound'))
    expect(() => planOf(edit('b.bin', [change(0, 0, 0, 0, 'x')]))).toThrow(refused('InvalidArguments'))
    expect(() => planOf(edit('folder', [change(0, 0, 0, 0, 'x')]))).toThrow(refused('NotAFile'))
    const moved = {
      documentChanges: [rename('b.bin', 'c.bin'), documentEdit('c.bin', [change(0, 0, 0, 0, 'x')])],
    }
    expect(() => planOf(moved)).toThrow(refused('InvalidArguments'))
    expect(() => planOf(edit('folder/a.ts', [change(0, 0, 0, 0, '\ud800')]))).toThrow(refused('ServerError'))
  })

  it('W04 two hard links are two files', () => {
    write('a.ts', 'area')
    linkSync(join(root, 'a.ts'), join(root, 'b.ts'))
    expect(facts(planOf(edit('a.ts', [change(0, 0, 0, 4, 'size')])))).toEqual([['a.ts', 'a.ts', 'size']])
  })
})

describe('mistake 11: excluded globs', () => {
  it.each([
    ['vendor/**', ['vendor/deep/down/a.ts']],
    ['vendor', ['vendor/deep/down/a.ts']],
    ['./vendor/', ['vendor/deep/down/a.ts']],
    ['**/*.gen.ts', ['src/b.gen.ts']],
    ['*.ts', ['src/a.ts', 'src/b.gen.ts', 'vendor/deep/down/a.ts']],
    ['/*.ts', []],
    ['src/**/a.ts', ['src/a.ts']],
  ])('mistake 11 %s leaves out what it does in .gitignore', (glob, excluded) => {
    const files = ['src/a.ts', 'src/b.gen.ts', 'vendor/deep/down/a.ts']
    for (const file of files) write(file, 'area')
    const changes = Object.fromEntries(files.map(file => [uri(file), [change(0, 0, 0, 4, 'size')]]))
    const plan = planOf({ changes }, { exclude: [glob] })
    expect(plan.excluded).toEqual(excluded)
    expect(plan.files.map(({ file }) => file)).toEqual(files.filter(file => !excluded.includes(file)))
  })

  it('mistake 11 a rename is left out whole, with what is said of its new name', () => {
    write('vendor/a.ts', 'area')
    write('b.ts', 'area')
    const plan = planOf(
      {
        documentChanges: [
          rename('vendor/a.ts', 'src/a.ts'),
          documentEdit('src/a.ts', [change(0, 0, 0, 4, 'size')]),
          documentEdit('b.ts', [change(0, 0, 0, 4, 'size')]),
        ],
      },
      { exclude: ['vendor/**'] },
    )
    expect(facts(plan)).toEqual([['b.ts', 'b.ts', 'size']])
    expect(plan.excluded).toEqual(['src/a.ts', 'vendor/a.ts'])
  })
})

it('P16 a diff of many files is cut and says so', () => {
  for (let index = 0; index < 20; index++) write(`f${index}.ts`, 'area\n')
  const changes = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [uri(`f${index}.ts`), [change(0, 0, 0, 4, 'size')]]),
  )
  const cut = diffOf(planOf({ changes }), { maxLength: 200 })
  expect(cut).toMatch(/\.\.\. \d+ more files not shown\n$/)
  expect(cut.length).toBeLessThan(400)
})

function planOf(edit: object, options: PlanOptions = {}, encoding: PositionEncoding = 'utf-16'): EditPlan {
  const gate = createPathGate(root)
  const parsed = parseWorkspaceEdit(edit)
  if (parsed === undefined) throw new Error('no edit')
  return makePlan(parsed, encoding, { gate, cache: new SourceCache({ gate }), ...options })
}

function facts({ files }: EditPlan) {
  return files.map(({ file, before, after }) => [file, before?.file, after])
}

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), content)
}

function uri(file: string): string {
  return pathToUri(join(root, file))
}

function change(line: number, character: number, endLine: number, endCharacter: number, newText: string) {
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText }
}

function edit(file: string, edits: object[]) {
  return { changes: { [uri(file)]: edits } }
}

function documentEdit(file: string, edits: object[]) {
  return { textDocument: { uri: uri(file), version: null }, edits }
}

function rename(from: string, to: string) {
  return { kind: 'rename', oldUri: uri(from), newUri: uri(to) }
}

function refused(kind: string) {
  return expect.objectContaining({ kind })
}
