// rust-analyzer. Loading a workspace runs cargo, which runs code of the workspace unless it is told not to.
import { join } from 'node:path'
import { property } from '../json.js'
import type { StatusReading } from '../lsp/readiness.js'
import { defineServer } from './definition.js'

export const rustAnalyzer = defineServer({
  id: 'rust-analyzer',
  title: 'rust-analyzer',
  language: 'rust',
  extensions: { '.rs': 'rust' },
  command: 'rust-analyzer',
  args: [],
  install: 'rustup component add rust-analyzer',
  root: { kind: 'outermost', markers: ['Cargo.toml', 'rust-project.json'] },
  readiness: {
    kind: 'notification',
    method: 'experimental/serverStatus',
    reason: 'It reports quiescence itself; before that it answers with empty lists and no error.',
    read: readServerStatus,
  },
  diagnostics: { kind: 'standard', quietMs: 0, reason: 'Pulled; its own checks only.' },
  experimentalCapabilities: {
    serverStatusNotification: true,
    // It shows lenses only to those who say that they know its commands.
    commands: {
      commands: [
        'rust-analyzer.runSingle',
        'rust-analyzer.debugSingle',
        'rust-analyzer.showReferences',
        'rust-analyzer.gotoLocation',
      ],
    },
  },
  initializationOptions: {
    // The results of cargo check arrive by push, at a time of their own; the verdict here is for its own checks.
    checkOnSave: false,
  },
  environment: {
    // It runs `rustup component add rust-src` by itself; nothing is ever downloaded on our account.
    RUSTUP_DIST_SERVER: 'file:///nonexistent',
  },
  limited: {
    kind: 'reduced',
    initializationOptions: {
      cargo: { buildScripts: { enable: false } },
      procMacro: { enable: false },
      checkOnSave: false,
    },
    environment: {
      CARGO_NET_OFFLINE: 'true',
      RUSTUP_TOOLCHAIN: 'stable',
      // A .cargo/config.toml of the workspace may name programs to run in place of the compiler and around it.
      RUSTC: 'rustc',
      RUSTC_WRAPPER: '',
      RUSTC_WORKSPACE_WRAPPER: '',
    },
    refusedWhen: cargoConfiguration,
    costs: () => 'build scripts and procedural macros are not run, so what they generate is unknown',
  },
  watches: ['Cargo.toml', 'Cargo.lock', 'rust-project.json'],
  reloads: { after: loadsAnew, withinMilliseconds: 1000, reason: 'it is loading the changed crate again' },
  limits: () => [
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      // Measured on 1.96: an unknown name, method or import is none of its errors, a wrong type is one.
      reason:
        "rust-analyzer's own checks only, without the unknown names, the borrow checker and the lints of cargo check",
      hint: 'Run cargo check for the rest.',
    },
  ],
  quirks: {
    announceOnlyWhenLoaded:
      'With its manifest announced and every source file open before the first load, it never reports an error.',
    changedFilesMustBeOpened: 'After an announced change its first answers are often still for the old file.',
  },
})

/** Its environment table reaches every rustc that cargo starts, so a library to preload would be run (measured). */
function cargoConfiguration(
  folders: readonly string[],
  exists: (path: string) => boolean,
): string | undefined {
  const names = ['.cargo/config.toml', '.cargo/config', 'rust-analyzer.toml']
  const found = names.find(name => folders.some(folder => exists(join(folder, name))))
  return found === undefined ? undefined : `its ${found} could make cargo run programs of the workspace`
}

function readServerStatus(params: unknown): StatusReading {
  const message = property(params, 'message')
  const healthy = property(params, 'health') === 'ok'
  return {
    ready: property(params, 'quiescent') === true,
    complaint: healthy || typeof message !== 'string' ? undefined : message,
  }
}

/** The manifests, and the files that cargo takes for targets because of where they lie. */
function loadsAnew(path: string, type: 'created' | 'changed' | 'deleted'): boolean {
  if (/[\\/](Cargo\.(toml|lock)|rust-project\.json)$/.test(path)) return true
  if (type === 'changed') return false
  return /[\\/](build\.rs|src[\\/](main|lib)\.rs|(src[\\/]bin|examples|tests|benches)[\\/]([^\\/]+|[^\\/]+[\\/]main\.rs))$/.test(
    path,
  )
}
