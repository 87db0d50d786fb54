// How programs write files. All of them leave the file whole before they are done.
import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, renameSync, utimesSync, writeFileSync, writeSync } from 'node:fs'

/** The file must be there already. */
export const waysToWrite: Readonly<Record<string, (file: string, text: string) => void>> = {
  'in place': (file, text) => writeFileSync(file, text),
  'beside it, then renamed': (file, text) => {
    writeFileSync(`${file}.tmp`, text)
    renameSync(`${file}.tmp`, file)
  },
  'emptied, then in two pieces': (file, text) => {
    const descriptor = openSync(file, 'r+')
    ftruncateSync(descriptor)
    const middle = Math.floor(text.length / 2)
    writeSync(descriptor, text.slice(0, middle))
    writeSync(descriptor, text.slice(middle))
    closeSync(descriptor)
  },
  'by another process': (file, text) => {
    execFileSync('/bin/sh', ['-c', 'cat > "$0"', file], { input: text })
  },
  'with an old modification time': (file, text) => {
    writeFileSync(file, text)
    utimesSync(file, 1_700_000_000, 1_700_000_000)
  },
}
