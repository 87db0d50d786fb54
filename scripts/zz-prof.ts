import { createBridge } from '../src/index.js'
const root = '/root/.cache/alidade-test-servers/workspaces/rxjs-7.8.2/rxjs'
const b = await createBridge({ root })
const t = { file: 'src/internal/Observable.ts', line: 15, column: 14 }
const kind = process.argv[2]
const run = () => kind === 'hover' ? b.inspectSymbol(t) : b.findReferences(t)
for (let i = 0; i < 30; i++) await run()
const n = Number(process.argv[3] ?? 200)
const c0 = process.cpuUsage(); const t0 = performance.now()
for (let i = 0; i < n; i++) await run()
const c = process.cpuUsage(c0)
console.log(kind, 'wall/call', ((performance.now() - t0) / n).toFixed(2), 'cpu/call', ((c.user + c.system) / 1000 / n).toFixed(2))
await b.close()
