/**
 * A batch loader: look-ups of one kind that begin in the same moment share one statement. When many calls leave after one commit,
 * each looks up what it sends.
 */

import { Context, Deferred, Effect, FiberId, Option } from "effect"
import { Prefetched, SqlTransaction } from "./transaction.ts"

type Answers<Answer> = ReadonlyMap<string, Answer>

interface Gathering<Answer> {
  readonly ids: Set<string>
  readonly answers: Deferred.Deferred<Answers<Answer>>
}

/**
 * Null for an id without an answer. Inside a transaction, or over prefetched rows, each look-up has a statement of its
 * own.
 */
export function batchLoader<Answer>(
  ask: (ids: readonly string[]) => Effect.Effect<Answers<Answer>>,
): (id: string) => Effect.Effect<Answer | null> {
  let gathering: Gathering<Answer> | null = null
  // One step: a fiber that is interrupted in between must not join a batch that was already sent.
  const joined = (id: string) =>
    Effect.suspend(() => {
      if (gathering !== null) {
        gathering.ids.add(id)
        return Effect.succeed(gathering.answers)
      }
      const mine = { ids: new Set([id]), answers: Deferred.unsafeMake<Answers<Answer>>(FiberId.none) }
      gathering = mine
      // A fiber of its own, because the first caller may be interrupted. It starts when the callers of this moment have joined.
      const asking = Effect.suspend(() => {
        gathering = null
        return ask([...mine.ids])
      })
      return Effect.as(Effect.forkDaemon(Effect.intoDeferred(asking, mine.answers)), mine.answers)
    })
  return (id) =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const isAlone =
        Option.isSome(Context.getOption(context, SqlTransaction)) ||
        Option.isSome(Context.getOption(context, Prefetched))
      const answers = isAlone
        ? ask([id])
        : Effect.flatMap(Effect.uninterruptible(joined(id)), (told) => Deferred.await(told))
      return Effect.map(answers, (told) => told.get(id) ?? null)
    })
}
