import { expect, test } from 'vitest'
import { interestIn } from './interest.js'

test('sources, and the files a server watches by name or by one wildcard, are of interest', () => {
  const isInteresting = interestIn({ hasExtension: extension => extension === '.ts' }, [
    { watches: ['tsconfig.json', 'tsconfig.*.json'] },
    { watches: ['go.mod'] },
  ])
  const names = ['a.ts', 'A.TS', 'tsconfig.json', 'tsconfig.build.json', 'go.mod']
  expect(names.filter(name => !isInteresting(name))).toEqual([])
  expect(['a.md', 'Makefile', 'go.mod.orig', 'my-tsconfig.json'].filter(isInteresting)).toEqual([])
})
