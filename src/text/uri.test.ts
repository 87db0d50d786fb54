import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { pathToUri, uriKey, uriToPath } from './uri.js'

const names = fc.oneof(
  fc.constantFrom(
    'a b',
    '100%',
    '%41',
    '%zz',
    'c#',
    'q?',
    'new\nline',
    '"quoted"',
    "it's",
    '\u{1f600}',
    'C:',
    'a@b:c',
  ),
  fc.constantFrom('e\u0301', '\u00e9', 'back\\slash', '[x]', '~', '+', '&', '!', '..', 'C:x'),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .map(name => name.replace(/[\0/]|\p{Surrogate}/gu, '-')),
)
const paths = fc.array(names, { minLength: 1, maxLength: 5 }).map(parts => `/${parts.join('/')}`)

describe('W19 paths as URIs', () => {
  it('W19 come back exactly', () => {
    fc.assert(
      fc.property(paths, path => {
        const uri = pathToUri(path)
        expect(uri).toMatch(/^file:\/\/\/[\x21-\x7e]*$/)
        expect(uriToPath(uri)).toBe(path)
      }),
    )
  })

  it('W19 are equal in any percent-encoding', () => {
    const encoders = [
      pathToUri,
      (path: string) => `file://${path.split('/').map(encodeURIComponent).join('/')}`,
      (path: string) => `file://${[...Buffer.from(path)].map(percent).join('').replaceAll('%2F', '/')}`,
      (path: string) => `FILE:${path.split('/').map(encodeURIComponent).join('/')}`,
    ]
    fc.assert(
      fc.property(paths, fc.constantFrom(...encoders), (path, encode) => {
        expect(uriKey(encode(path))).toBe(uriKey(pathToUri(path)))
      }),
    )
  })

  it('W18 keep letter case and Unicode form apart, but not the case of a drive', () => {
    expect(uriKey('file:///w/A.ts')).not.toBe(uriKey('file:///w/a.ts'))
    expect(uriKey(pathToUri('/w/\u00e9'))).not.toBe(uriKey(pathToUri('/w/e\u0301')))
    expect(uriKey('file:///C:/x/A@1.ts')).toBe(uriKey('file:///c%3A/x/A%401.ts'))
  })

  it('W18 has different keys for different paths', () => {
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        fc.pre(one.toLowerCase() !== other.toLowerCase())
        expect(uriKey(pathToUri(one))).not.toBe(uriKey(pathToUri(other)))
      }),
    )
  })
})

describe('P18 URIs that name no file of ours', () => {
  it.each([
    'http://example.com/a.ts',
    'untitled:Untitled-1',
    'jdt://contents/rt.jar/java.lang/String.class?=x',
    'file://host/share/a.ts',
    'file://localhost/a.ts',
    'file:////host/share',
    'file:///%2Fhost/share',
    'file:a.ts',
    'file:///a%zz.ts',
    'file:///a%ff.ts',
    'file:///a%00.ts',
    'file:///a%',
    'file:///a?b',
    'file:///a#b',
    'file:///a#\nb',
    '/plain/path',
    'a.ts',
    '',
    '::',
  ])('P18 %j is opaque', uri => {
    expect(uriToPath(uri)).toBeUndefined()
    expect(uriKey(uri)).toBe(uri)
  })

  it('P18 never throws and never takes long', () => {
    const spent = countCpuTime()
    expect(uriToPath(`file:///${'%ff'.repeat(1_000_000)}`)).toBeUndefined()
    expect(uriToPath(`file:///${'%ff'.repeat(5000)}`)).toBeUndefined()
    expect(spent()).toBeLessThan(1000)
    const junk = fc.array(
      fc.constantFrom('file:', '/', '%', '2F', 'c3', 'zz', '?', '#', ':', '@', '\ud800', '\n'),
    )
    fc.assert(
      fc.property(junk, fc.string({ unit: 'binary' }), (parts, tail) => {
        const path = uriToPath(parts.join('') + tail)
        if (path !== undefined) expect(path).toMatch(/^\/(?!\/)[^\0]*$/)
        expect(uriToPath(`file:///${tail}`) ?? '/').toMatch(/^\//)
        expect(pathToUri(`/${parts.join('')}`)).toMatch(/^file:\/\/\//)
      }),
    )
  })
})

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
