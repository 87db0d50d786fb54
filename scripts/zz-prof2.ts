import { createBridge } from '../src/index.js'
import { startRaw } from '../bench/raw-client.js'
import { typescript } from '../src/servers/typescript.js'
const root = '/root/.cache/alidade-test-servers/workspaces/rxjs-7.8.2/rxjs'
const b = await createBridge({ root })
const t = { file: 'src/internal/Observable.ts', line: 15, column: 14 }
const lsp: number[] = []
b.events.subscribe(e => { if (e.type === 'request.finished' && e.method === 'textDocument/references') lsp.push(e.milliseconds) })
const raw = await startRaw(typescript.embedded!()!, root)
const uri = raw.open(root + '/' + t.file, 'typescript')
const p = { textDocument: { uri }, position: { line: 14, character: 13 }, context: { includeDeclaration: true } }
const med = (v: number[]) => v.toSorted((a, b) => a - b)[v.length >> 1]!.toFixed(2)
const R: number[] = [], A: number[] = []
for (let i = 0; i < 150; i++) {
  let s = performance.now(); await raw.connection.sendRequest('textDocument/references', p); R.push(performance.now() - s)
  s = performance.now(); await b.findReferences(t); A.push(performance.now() - s)
}
console.log('raw', med(R.slice(30)), 'alidade', med(A.slice(30)), 'its lsp part', med(lsp.slice(30)))
raw.close(); await b.close()
