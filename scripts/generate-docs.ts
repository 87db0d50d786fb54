// `npm run docs`: writes the generated pages, and says which of them changed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { architectureFile, generatedFiles, resultsFile } from './generated-docs.js'
import { truthFile } from './truth/results.js'

const files = generatedFiles({
  architecture: readFileSync(architectureFile, 'utf8'),
  results: existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8') : undefined,
  truth: existsSync(truthFile) ? readFileSync(truthFile, 'utf8') : undefined,
})
for (const { path, text } of files) {
  const changed = !existsSync(path) || readFileSync(path, 'utf8') !== text
  if (changed) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  console.log(`${changed ? 'written  ' : 'unchanged'} ${path}`)
}
