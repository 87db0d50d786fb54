// The heads of classes, written in every way the two languages allow: what is inherited from is found by its place, and
// what is no plain name is said to be an expression.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HeritageLanguage, headNamed, headWithBase } from './heritage.js'

test.each<[string, string[], boolean]>([
  ['class X {}', [], false],
  [
    'export abstract class X<T extends Y = Z> extends A<T> implements B, ns.C<() => void> {',
    ['A', 'B', 'ns.C'],
    false,
  ],
  ['interface X extends A, B<{ a: string }> { m<T extends D>(): void }', ['A', 'B'], false],
  ['class X extends mixin(A, B) implements C {}', ['C'], true],
  ['class X extends (A) {}', [], true],
  ['class X extends class extends A {} {}', [], true],
  ['class X extends A /* , not B { */ implements // C {\n  D {', ['A', 'D'], false],
  ["class X extends A<'}, B'> {", ['A'], false],
  ['const X = class extends A {}', ['A'], false],
  ['class X<T extends { extends: A }> {}', [], false],
])('R-100 TypeScript: %s', (text, bases, hasExpression) => {
  const head = headNamed(text, text.indexOf('X'), 'typescript')
  expect(head).toMatchObject({ name: 'X', hasExpression })
  expect(head?.bases.map(({ name }) => name)).toEqual(bases)
})

test.each<[string, string[], boolean]>([
  ['class X: pass', [], false],
  ['class X(): pass', [], false],
  ['class X(A, pkg.B[int], metaclass=M): pass', ['A', 'pkg.B'], false],
  ['class X[T: (A, B)](C[T], D,): pass', ['C', 'D'], false],
  ['class X(A["B)"], # no, C\n    D): pass', ['A', 'D'], false],
  ['class X(NamedTuple("X", [("a", A)]), B): pass', ['B'], true],
  ['class X(A if b else C): pass', [], true],
  ['class X(*bases, **options): pass', [], true],
  ['class X(A \\\n  , B): pass', ['A', 'B'], false],
])('R-100 Python: %s', (text, bases, hasExpression) => {
  const head = headNamed(text, text.indexOf('X'), 'python')
  expect(head).toMatchObject({ name: 'X', keyword: 'class', hasExpression })
  expect(head?.bases.map(({ name }) => name)).toEqual(bases)
})

test('R-100 uses that are no bases belong to no head', () => {
  const uses: [HeritageLanguage, string][] = [
    ['typescript', '// class\nfunction f<T extends USE>() {}'],
    ['typescript', 'class A<T extends USE> {}'],
    ['typescript', 'class A { b: USE }'],
    ['typescript', 'class A extends mixin(USE) {}'],
    ['typescript', 'interface A { m<T extends USE>(): void }'],
    ['typescript', 'class A {}\nnew USE()'],
    ['typescript', 'type A = B extends USE ? 1 : 2'],
    ['python', 'class A(metaclass=USE): pass'],
    ['python', 'class A(B[USE]): pass'],
    ['python', 'class A: pass\nUSE()'],
    ['python', 'class A(make(USE)): pass'],
  ]
  for (const [language, text] of uses)
    expect(headWithBase(text, text.indexOf('USE'), language)).toBeUndefined()
})

test('R-100 a class without a name stands where its keyword does, or goes by what it is assigned to', () => {
  const anonymous = 'export default class extends Base {}'
  expect(headWithBase(anonymous, anonymous.indexOf('Base'), 'typescript')).toMatchObject({
    name: undefined,
    offset: anonymous.indexOf('class'),
  })
  const assigned = 'const Round = class extends Base {}'
  expect(headWithBase(assigned, assigned.indexOf('Base'), 'typescript')).toMatchObject({
    name: 'Round',
    offset: 6,
  })
})

const name = fc.constantFrom('A', 'Base', '_b', '$c', 'Größe', 'pkg.Deep', 'a.b.C')
const gap = fc.constantFrom(' ', '  ', '\n', '\t', '\r\n  ')

describe.each([
  {
    language: 'typescript' as const,
    comment: fc.constantFrom('', '/* extends X, { */', '// class X extends Y\n'),
    argument: fc.constantFrom('', '<T>', '<{ a: "}" }, () => void>', '<A<B<C>>>'),
    write: (bases: readonly string[], space: string) =>
      bases.length === 0
        ? `class Own${space}{ }`
        : `class Own${space}extends ${bases[0]}${bases.length > 1 ? `${space}implements ${bases.slice(1).join(`${space},`)}` : ''}${space}{ }`,
  },
  {
    language: 'python' as const,
    comment: fc.constantFrom('', '# class X(Y):\n'),
    argument: fc.constantFrom('', '[T]', '["a)", int]', '[A[B, C]]'),
    write: (bases: readonly string[], space: string) => `class Own(${bases.join(`,${space}`)}${space}): pass`,
  },
])('$language', ({ language, comment, argument, write }) => {
  test('R-100 every base is found where it is written, from its own place and from the class', () => {
    const base = fc.tuple(name, argument, comment)
    fc.assert(
      fc.property(
        fc.array(base, { maxLength: 5 }),
        gap,
        comment,
        fc.string(),
        (bases, space, before, noise) => {
          // What comes before is code of its own line, whatever it is.
          const above = `${noise.replace(/['"`\\/*#]|class|interface/g, '')}\n${before}`
          const written = bases.map(
            ([called, given, remark]) => `${called}${given}${remark === '' ? '' : ` ${remark}`}`,
          )
          const text = above + write(written, space)
          const own = text.lastIndexOf('class Own') + 'class '.length
          const head = headNamed(text, own, language)
          expect(head?.bases.map(found => found.name)).toEqual(bases.map(([called]) => called))
          expect(head?.hasExpression).toBe(false)
          for (const { name: called, offset } of head?.bases ?? []) {
            const last = called.split('.').at(-1) ?? ''
            expect(text.slice(offset, offset + last.length)).toBe(last)
            expect(headWithBase(text, offset, language)).toMatchObject({ name: 'Own', offset: own })
          }
        },
      ),
    )
  })

  test('W16 no text makes it throw or take long', () => {
    const pieces = fc.constantFrom(
      'class ',
      'X',
      ' extends ',
      '<',
      '>',
      '(',
      ')',
      '[',
      '{',
      ',',
      "'",
      '"',
      '/*',
      '#',
      '\\',
      '`',
      '=>',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 200 }), fc.nat(300), (parts, offset) => {
        const text = parts.join('')
        headNamed(text, offset, language)
        headWithBase(text, offset, language)
      }),
    )
    const long = `class X extends ${'A<'.repeat(100_000)}`
    expect(headNamed(long, 6, language)).toBeDefined()
  })
})
