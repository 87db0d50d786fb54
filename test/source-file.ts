// A source file made of a string, for tests of what only looks at texts and never at the disk.
import { contentHash } from '../src/text/hash.js'
import { SourceText } from '../src/text/lines.js'
import type { SourceFile } from '../src/workspace/source-file.js'

export function sourceFile(text: string, relative = 'src/a.ts'): SourceFile {
  const absolute = `/workspace/${relative}`
  return {
    absolute,
    relative,
    canonical: absolute,
    hardLinked: false,
    bytes: Buffer.byteLength(text),
    text: new SourceText(text),
    bom: false,
    content: contentHash(text),
    signature: { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n, readAtMs: 0 },
  }
}
