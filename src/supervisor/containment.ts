// How a server is kept from outliving us. The strongest form the platform permits is found once by trying it:
// a PID namespace that dies with us, else a death signal for the server alone, else only its process group.
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Clock } from '../clock.js'

export const containmentLevels = ['namespace', 'death-signal', 'group'] as const
export type ContainmentLevel = (typeof containmentLevels)[number]

export interface Containment {
  readonly level: ContainmentLevel
  /** Put in front of the server's own command line. */
  readonly prefix: readonly string[]
}

export interface ContainmentOptions {
  readonly clock: Clock
  /** Do not try anything stronger. */
  readonly atMost?: ContainmentLevel | undefined
}

const remembered = new Map<ContainmentLevel, Promise<Containment>>()

export function strongestContainment(options: ContainmentOptions): Promise<Containment> {
  const { clock, atMost = 'namespace' } = options
  const known = remembered.get(atMost)
  if (known) return known
  const probe = findStrongest(clock, atMost).then(({ containment, certain }) => {
    // A machine without a free descriptor or a spare second has not refused anything: ask again next time.
    if (!certain) remembered.delete(atMost)
    return containment
  })
  remembered.set(atMost, probe)
  return probe
}

const probeMilliseconds = 2000

async function findStrongest(clock: Clock, atMost: ContainmentLevel) {
  let certain = true
  for (const containment of await candidates()) {
    if (containmentLevels.indexOf(containment.level) < containmentLevels.indexOf(atMost)) continue
    const outcome = await tryOut(containment, clock)
    if (outcome === 'works') return { containment, certain }
    if (outcome === 'unclear') certain = false
  }
  const group: Containment = { level: 'group', prefix: [] }
  return { containment: group, certain }
}

/** Strongest first. */
async function candidates(): Promise<Containment[]> {
  if (process.platform !== 'linux') return []
  const [setpriv, unshare] = await Promise.all([findTool('setpriv'), findTool('unshare')])
  if (setpriv === undefined) return []
  // The signal comes when the *thread* that started the server ends, so servers are started from the main thread.
  const deathSignal = [...(await withoutCores()), setpriv, '--pdeathsig', 'KILL', '--']
  const namespaces =
    unshare === undefined ? [] : namespaceOptions().map(options => [unshare, ...options, '--'])
  return [
    ...namespaces.map(prefix => ({ level: 'namespace' as const, prefix: [...deathSignal, ...prefix] })),
    { level: 'death-signal', prefix: deathSignal },
  ]
}

/**
 * The death signal ends `unshare`, `--kill-child` ends the first process of the namespace, and the kernel then ends
 * every process in it, whatever group, session or parent it has chosen. Two things to know: until both signals are
 * armed, in the first millisecond of a start, our death goes unnoticed and is left to the sweep; and `unshare` holds
 * the server's pipes too, so that a server which closes one of them and lives on looks silent, not closed.
 *
 * With a /proc of its own the server finds itself under its own pid (.NET looks), and does not find us: the
 * environment we keep from it would otherwise be readable in ours.
 *
 * Without root a user namespace is needed too. The user is mapped to itself and never to root: a server that believes
 * it is root changes its behaviour, and files would seem to belong to somebody else.
 */
function namespaceOptions(): string[][] {
  const plain = ['--pid', '--fork', '--kill-child=KILL']
  const ownProc = ['--mount-proc', '--propagation', 'slave']
  const asUser = ['--user', '--map-current-user']
  const unprivileged = [
    [...asUser, ...plain, ...ownProc],
    [...asUser, ...plain],
  ]
  return process.getuid?.() === 0 ? [[...plain, ...ownProc], plain, ...unprivileged] : unprivileged
}

/** A crashing server must not fill the workspace with core files; mostly the limit is zero already. */
async function withoutCores(): Promise<string[]> {
  const limits = await readFile('/proc/self/limits', 'latin1').catch(() => '')
  if (/^Max core file size\s+0\s/m.test(limits)) return []
  const prlimit = await findTool('prlimit')
  return prlimit === undefined ? [] : [prlimit, '--core=0']
}

/** The system's own folders come first: a workspace may have put its own on PATH. */
async function findTool(name: string): Promise<string | undefined> {
  const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin']
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  for (const folder of [...folders, ...onPath]) {
    const path = join(folder, name)
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (executable) return path
  }
  return undefined
}

async function tryOut(containment: Containment, clock: Clock): Promise<'works' | 'refused' | 'unclear'> {
  const harmless = await findTool('true')
  const [command, ...args] = containment.prefix
  if (harmless === undefined || command === undefined) return 'refused'
  return new Promise(resolve => {
    try {
      const child = spawn(command, [...args, harmless], {
        stdio: 'ignore',
        cwd: '/',
        env: {},
        detached: true,
      })
      const timer = clock.after(probeMilliseconds, () => {
        child.kill('SIGKILL')
        resolve('unclear')
      })
      const settle = (outcome: 'works' | 'refused' | 'unclear') => {
        timer.cancel()
        resolve(outcome)
      }
      child.on('error', () => settle('unclear'))
      child.on('exit', code => settle(code === 0 ? 'works' : 'refused'))
    } catch {
      resolve('unclear')
    }
  })
}
