// Inlay hints come last: they are asked for only when everything else is in and there is room for them.
import type { Piece } from '../context/piece.js'
import { ContextBatch } from './context-batch.js'
import { type ContextQuestion, focusNeeds, untilDeadline } from './context-gather.js'
import { askHints } from './context-state.js'
import type { ContextOf } from './operation.js'

const leastRoom = 120

export async function hintsFor(
  { focuses }: ContextQuestion,
  room: number,
  context: ContextOf['workspace'],
): Promise<readonly Piece[]> {
  // Time for it is left when most of it is.
  if (room < leastRoom || context.remaining() <= 0) return []
  const batch = new ContextBatch(context)
  const asked = focuses.map(focus =>
    batch.ask({ kind: 'inlay_hints', target: focus.source.relative }, () =>
      context.inFile(focus.source.relative, focusNeeds, file => askHints(focus, file, batch)),
    ),
  )
  await untilDeadline(Promise.all(asked), context)
  batch.close()
  return [...batch.pieces]
}
