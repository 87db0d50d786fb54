// Completes package-lock.json after `npm install`. npm drops an optional package that the registry at hand does not have
// (a mirror may lack the binaries of other platforms), and `npm ci` then refuses the whole lock file. Each one is put
// back with its exact version and platform, so that it is known and skipped where it does not fit.
import { readFileSync, writeFileSync } from 'node:fs'

const path = 'package-lock.json'
const lock = JSON.parse(readFileSync(path, 'utf8'))
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]
let added = 0

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    if (lock.packages[key] !== undefined || !/^\d/.test(version)) continue
    const words = name.split(/[/-]/)
    const os = systems.filter(system => words.includes(system))
    const cpu = processors.filter(processor => words.includes(processor))
    lock.packages[key] = {
      version,
      ...(cpu.length === 0 ? {} : { cpu }),
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      ...(os.length === 0 ? {} : { os }),
      ...(words.includes('musl') ? { libc: ['musl'] } : {}),
    }
    added += 1
  }
}

const entries = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`)
console.log(`${added} optional packages put back`)
