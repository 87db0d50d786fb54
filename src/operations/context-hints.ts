// Inlay hints come last: they are asked for only when everything else is in and there is room for them.
import { ContextBatch } from './context-batch.js'
import { type ContextQuestion, focusNeeds, type Gathered, untilDeadline } from './context-gather.js'
import { askHints } from './context-state.js'
import type { ContextOf } from './operation.js'

const leastRoom = 120

export async function hintsFor(
  { focuses }: ContextQuestion,
  { pieces }: Gathered,
  room: number,
  context: ContextOf['workspace'],
): Promise<Gathered> {
  if (room < leastRoom || context.remaining() <= 0) return { pieces: [], missed: [] }
  const batch = new ContextBatch(context)
  // A server that has told nothing of a file will not tell this either.
  const answered = focuses.filter(({ source }) => pieces.some(({ file }) => file === source.relative))
  const asked = answered.map(focus =>
    batch.ask({ kind: 'inlay_hints', target: focus.source.relative }, () =>
      context.inFile(focus.source.relative, focusNeeds, file => askHints(focus, file, batch)),
    ),
  )
  await untilDeadline(Promise.all(asked), context)
  const missed = batch.close()
  return { pieces: [...batch.pieces], missed }
}
