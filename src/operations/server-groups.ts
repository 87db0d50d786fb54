// Which server answers for which of several files, so that each is asked once, about all of its files together.
import { asBridgeError, type BridgeError } from '../errors.js'
import type { Connection } from '../workspace/workspace.js'
import type { ContextOf } from './operation.js'
import { waits } from './waits.js'

export interface NamedFile {
  /** As answers show it. */
  readonly file: string
  readonly absolute: string
}

export interface ServerGroups<F extends NamedFile> {
  readonly groups: ReadonlyMap<Connection, readonly F[]>
  /** Files nobody can be asked about, each with the reason. */
  readonly unserved: readonly { readonly file: F; readonly error: BridgeError }[]
}

/** A language without a server, or one whose server does not start, must not keep the others from being asked. */
export async function groupByServer<F extends NamedFile>(
  files: readonly F[],
  context: Pick<ContextOf['workspace'], 'workspace' | 'signal' | 'remaining' | 'authorize' | 'awaiting'>,
): Promise<ServerGroups<F>> {
  const { workspace, signal, remaining, authorize } = context
  const about = ({ file }: F) => ({ file, language: workspace.routes.languageOf(file) })
  // All at once, so that they are one question to whoever approves; what is refused is found out below, for each.
  await authorize(...files.map(about)).catch(() => undefined)
  context.awaiting(waits.start)
  const byView = new Map<Connection['view'], { readonly connection: Connection; readonly files: F[] }>()
  const unserved: { readonly file: F; readonly error: BridgeError }[] = []
  for (const file of files) {
    try {
      await authorize(about(file))
      const place = { absolute: file.absolute, relative: file.file }
      const connection = await workspace.connect(place, { signal, milliseconds: remaining() })
      const group = byView.get(connection.view) ?? { connection, files: [] }
      byView.set(connection.view, group)
      group.files.push(file)
    } catch (thrown) {
      const error = asBridgeError(thrown)
      if (signal.aborted || error.kind === 'Bug') throw error
      unserved.push({ file, error })
    }
  }
  return { groups: new Map([...byView.values()].map(group => [group.connection, group.files])), unserved }
}
