// A small project in a folder of its own, for the examples: nothing of yours is read or changed, not even your settings.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The `alidade` executable of this very package. */
export const executable = fileURLToPath(new URL('dist/cli.js', import.meta.resolve('alidade/package.json')))

export function workspace(files) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-example-')))
  const root = join(folder, 'project')
  const write = (name, text) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  }
  return {
    root,
    env,
    write,
    /** What an operator does once for a folder whose own programs may run. */
    trust: () => execFileSync(process.execPath, [executable, 'trust', root], { env }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A TypeScript project of two files: Alidade brings the server for it along. */
export const shapes = {
  'package.json': '{ "name": "shapes", "type": "module" }\n',
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }\n',
  'src/shapes.ts': `/** A figure with equal sides. */
export class Square {
  constructor(readonly side: number) {}
  area(): number {
    return this.side * this.side
  }
}
`,
  'src/main.ts': `import { Square } from './shapes.js'

const square = new Square(3)
console.log(square.area())
export const label: string = square.area()
`,
}
