// Which files were read, and in which content: what a rename under the read gate looks at (C34). The host says so, or
// the file was opened by name; a file that changed since must be read again.
import { BridgeError } from '../errors.js'
import type { SourceFile } from './source-file.js'

type ReadFile = Pick<SourceFile, 'absolute' | 'relative' | 'content'>

export class ReadLog {
  readonly #contents = new Map<string, string>()

  note({ absolute, content }: ReadFile): void {
    this.#contents.set(absolute, content)
  }

  require({ absolute, relative, content }: ReadFile): void {
    const read = this.#contents.get(absolute)
    if (read === content) return
    throw new BridgeError({
      kind: 'ReadRequired',
      message:
        read === undefined
          ? `${relative} has not been read yet`
          : `${relative} changed since it was read; it must be read again`,
      hint: 'Read the file, then ask again: a change is made by whoever has seen what it changes.',
    })
  }
}
