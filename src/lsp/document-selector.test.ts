// Which documents a server speaks of when it registers for some.
import { expect, test } from 'vitest'
import { isSelected } from './document-selector.js'

const document = { uri: 'file:///workspace/a.fake', languageId: 'fake' }

test.each<[string, unknown, boolean]>([
  ['no options', undefined, true],
  ['no selector', {}, true],
  ['null, which leaves it to the client', { documentSelector: null }, true],
  ['nothing', { documentSelector: [] }, false],
  ['the language as a string', { documentSelector: ['other', 'fake'] }, true],
  ['any language', { documentSelector: ['*'] }, true],
  ['another language', { documentSelector: [{ language: 'other' }, 'more'] }, false],
  ['the language and the scheme', { documentSelector: [{ language: 'fake', scheme: 'file' }] }, true],
  ['another scheme', { documentSelector: [{ language: 'fake', scheme: 'untitled' }] }, false],
  ['its ending', { documentSelector: [{ pattern: '**/*.fake' }] }, true],
  ['one of several endings', { documentSelector: [{ pattern: '**/*.{other,FAKE}' }] }, true],
  ['another ending', { documentSelector: [{ language: 'fake', pattern: '**/*.other' }] }, false],
  ['other endings', { documentSelector: [{ pattern: '**/*.{other,more}' }] }, false],
  [
    'a pattern below a folder',
    { documentSelector: [{ pattern: { baseUri: 'file:///', pattern: '**/*.c' } }] },
    false,
  ],
  ['a pattern that is not looked into', { documentSelector: [{ pattern: 'src/**/[a-z]*' }] }, true],
  ['cells of notebooks', { documentSelector: [{ notebook: '*', language: 'fake' }] }, false],
])('C7 registered for %s', (_, options, expected) => {
  expect(isSelected(options, document)).toBe(expected)
})
