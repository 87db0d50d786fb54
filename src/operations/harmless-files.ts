// Which files cannot break what a compiler makes of the others, whatever becomes of them.
import { basename, extname } from 'node:path'

/** Texts and data that no compiler reads; of anything else silence may hide an error. */
const harmless = new Set(
  '.md .markdown .txt .rst .adoc .json .jsonc .yaml .yml .toml .ini .cfg .lock .csv .tsv .xml .svg .png .jpg .jpeg .gif .webp .ico .pdf .woff .woff2 .ttf .gitignore .gitattributes .editorconfig'.split(
    ' ',
  ),
)

export function isHarmless(file: string): boolean {
  const name = basename(file).toLowerCase()
  return harmless.has(extname(name)) || harmless.has(name) || !name.includes('.')
}
