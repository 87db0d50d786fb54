// Diagnostics as MCP resources: a client reads, or follows, the state of one file or of the workspace without
// a tool call. Every reading asks the servers anew through the one pipeline, so no trial text and no old state can be
// told; loaded after the handshake, like the tools.
import {
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { BridgeCore } from '../../bridge.js'
import type { Clock } from '../../clock.js'
import { offeredBy } from '../../dialects/offered.js'
import { asBridgeError, type ErrorKind } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import { operations } from '../../operations/index.js'
import { serverStatus } from '../../operations/server-status.js'
import { KnownFiles } from './known-files.js'
import { type Follower, followSubscriptions } from './resource-updates.js'
import { fileUriTemplate, parseResourceUri, type ResourceSubject, workspaceUri } from './resource-uri.js'
import type { Subscriptions } from './subscriptions.js'
import { type FileReport, workspaceText } from './workspace-diagnostics.js'

export type ReadableBridge = Pick<BridgeCore, 'root' | 'preset' | 'events' | 'run' | 'render'>

export interface ResourcesOptions {
  readonly openBridge: () => Promise<ReadableBridge>
  readonly subscriptions: Subscriptions
  readonly clock: Clock
  /** A resource that somebody subscribed to has changed. */
  readonly onUpdate: (uri: string) => void
}

export interface Resources {
  list(): Promise<Resource[]>
  templates(): Promise<ResourceTemplateType[]>
  /** The text of a resource; throws an error of the protocol when there is none. */
  read(uri: string, signal: AbortSignal): Promise<string>
  /** What the answer to a tool call says about files. */
  learn(answer: Answer<unknown>): void
  close(): void
}

/** So many files at most are looked at for the workspace; the others are named as not looked at. */
const mostFiles = 50
/** Servers answer one after the other anyway, and the questions of a model must not wait behind ours. */
const atOnce = 4
/** Of a look nobody waits for. */
const backgroundMilliseconds = 10_000

const description =
  'Errors and warnings, settled for the present content or said to be unknown; reading asks the servers anew.'
const workspaceResource: Resource = {
  uri: workspaceUri,
  name: 'diagnostics',
  title: 'Diagnostics of the workspace',
  description: `${description} Covers the files known to have findings, and says what it does not cover.`,
  mimeType: 'text/plain',
}
const fileTemplate: ResourceTemplateType = {
  uriTemplate: fileUriTemplate,
  name: 'diagnostics of a file',
  title: 'Diagnostics of a file',
  description: `${description} The path is relative to the workspace root.`,
  mimeType: 'text/plain',
}

export function createResources(options: ResourcesOptions): Resources {
  const { openBridge, subscriptions, clock, onUpdate } = options
  let opened: { readonly bridge: ReadableBridge; readonly known: KnownFiles } | undefined
  let follower: Follower | undefined
  let isClosed = false

  const open = async () => {
    const bridge = await openBridge()
    if (opened?.bridge === bridge) return opened
    const known = new KnownFiles(bridge.root)
    opened = { bridge, known }
    follower?.close()
    follower = followSubscriptions({
      subscriptions,
      events: bridge.events,
      clock,
      onUpdate,
      hear: event => known.hear(event),
      look: async (uri, signal) => (await look(uri, { signal, isBackground: true }))?.state,
    })
    if (isClosed) follower.close()
    return opened
  }

  const look = async (uri: string, how: Looking): Promise<Look | undefined> => {
    const subject = parseResourceUri(uri)
    const { bridge, known } = await open()
    if (subject === undefined || !isOffered(bridge)) return undefined
    return lookAt(subject, { bridge, known, ...how })
  }

  // Servers speak up before anybody asks: from the first moment on, it is noted of which files.
  void open().catch(() => undefined)

  return {
    async list() {
      return (await offers(openBridge)) ? [workspaceResource] : []
    },
    async templates() {
      return (await offers(openBridge)) ? [fileTemplate] : []
    },
    async read(uri, signal) {
      try {
        const seen = await look(uri, { signal, isBackground: false })
        if (seen === undefined) throw new ResourceNotFoundError(uri, `${notFound} (asked for: ${uri})`)
        if (seen.failure !== undefined) throw failed(uri, seen.failure, seen.text)
        follower?.wasRead(uri, seen.state)
        return seen.text
      } catch (thrown) {
        if (thrown instanceof ProtocolError) throw thrown
        const { kind, message, hint } = asBridgeError(thrown)
        throw failed(uri, kind, `${kind}: ${message}\nhint: ${hint ?? 'See the message.'}`)
      }
    },
    learn(answer) {
      if (opened?.known.learn(answer)) follower?.suspect()
    },
    close() {
      isClosed = true
      follower?.close()
    },
  }
}

interface Looking {
  readonly signal: AbortSignal
  /** Nobody asked: it keeps no server alive, and has less time. */
  readonly isBackground: boolean
}

interface Look {
  readonly text: string
  /** Equal as long as the same is wrong at the same places. */
  readonly state: string
  readonly failure: ErrorKind | undefined
}

interface LookingAt extends Looking {
  readonly bridge: ReadableBridge
  readonly known: KnownFiles
}

async function lookAt(subject: ResourceSubject, context: LookingAt): Promise<Look> {
  if (subject.kind === 'file') {
    const { answer, text } = await reportOn(subject.path, context)
    return { text, state: stateOf(answer), failure: answer.ok ? undefined : answer.kind }
  }
  const { bridge, known, signal } = context
  const paths = known.paths
  const reports = await mapSome(paths.slice(0, mostFiles), path => reportOn(path, context))
  const there = reports.filter(({ answer }) => !isGone(answer))
  const present = there.filter(({ answer }) => !isSettledAndClean(answer))
  const state = present.map(({ path, answer }) => `${path} ${stateOf(answer)}`).sort()
  const status = await bridge.run(serverStatus, {}, { caller: 'model', synthetic: true, signal })
  const text = workspaceText({
    reports: present,
    clean: there.length - present.length,
    notLookedAt: paths.slice(mostFiles),
    languages: status.ok ? serverStatus.output.parse(status.result).languages : [],
    limitBytes: bridge.preset.limitKb * 1024,
  })
  return { text, state: state.join('\n'), failure: undefined }
}

async function reportOn(
  path: string,
  { bridge, known, signal, isBackground }: LookingAt,
): Promise<FileReport> {
  const input = isBackground ? { file: path, timeout_ms: backgroundMilliseconds } : { file: path }
  const answer = await bridge.run(getDiagnostics, input, {
    caller: 'model',
    synthetic: isBackground,
    signal,
  })
  known.learn(answer)
  if (isSettledAndClean(answer) || isGone(answer)) known.forget(path)
  return { path, answer, text: bridge.render(getDiagnostics, answer) }
}

function isSettledAndClean(answer: Answer<unknown>): boolean {
  if (!answer.ok) return false
  const { files } = getDiagnostics.output.parse(answer.result)
  return files.every(file => file.verdict === 'settled' && file.diagnostics.length === 0)
}

const goneKinds: readonly ErrorKind[] = ['FileNotFound', 'NotAFile', 'PathOutsideWorkspace']

function isGone(answer: Answer<unknown>): boolean {
  return !answer.ok && goneKinds.includes(answer.kind)
}

/** What is wrong and where; the content it is true for changes with every letter and is left out. */
function stateOf(answer: Answer<unknown>): string {
  if (!answer.ok) return answer.kind
  const { files } = getDiagnostics.output.parse(answer.result)
  return JSON.stringify(
    files.map(({ verdict, diagnostics }) => [
      verdict,
      diagnostics.map(({ severity, message, code, line, column }) => [severity, message, code, line, column]),
    ]),
  )
}

/** Where the tool is not offered, neither is what it would answer. */
function isOffered({ preset }: ReadableBridge): boolean {
  return offeredBy(preset, operations).some(({ name }) => name === getDiagnostics.name)
}

/** With a configuration that cannot be read, the resources are there to say so. */
async function offers(openBridge: () => Promise<ReadableBridge>): Promise<boolean> {
  const bridge = await openBridge().catch(() => undefined)
  return bridge === undefined || isOffered(bridge)
}

const notFound = `There is ${workspaceUri} for the workspace and ${fileUriTemplate} for a file of it, where the preset offers diagnostics`

/** A resource has no way to be an answer that failed; the text of the error carries what an answer would. */
function failed(uri: string, kind: ErrorKind, text: string): ProtocolError {
  if (goneKinds.includes(kind)) return new ResourceNotFoundError(uri, text)
  return new ProtocolError(ProtocolErrorCode.InternalError, text)
}

/** As `Promise.all`, some at a time. */
async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(map))))
  }
  return results
}
