/**
 * Questions of one kind that are asked in the same moment, answered by one statement: when many calls leave after one commit,
 * each asks what it sends.
 */

import { Context, Deferred, Effect, FiberId, Option } from "effect"
import { Foreseen, SqlTransaction } from "./transaction.ts"

type Answers<Answer> = ReadonlyMap<string, Answer>

interface Gathering<Answer> {
  readonly ids: Set<string>
  readonly answers: Deferred.Deferred<Answers<Answer>>
}

/** Null where there is no answer. Inside a transaction, or a look at foreseen rows, each question is asked alone, and there. */
export function askedTogether<Answer>(
  ask: (ids: readonly string[]) => Effect.Effect<Answers<Answer>>,
): (id: string) => Effect.Effect<Answer | null> {
  let gathering: Gathering<Answer> | null = null
  // One step, because fibers may take turns between steps, and be interrupted: nobody joins what is closed already.
  const joined = (id: string) =>
    Effect.suspend(() => {
      if (gathering !== null) {
        gathering.ids.add(id)
        return Effect.succeed(gathering.answers)
      }
      const mine = { ids: new Set([id]), answers: Deferred.unsafeMake<Answers<Answer>>(FiberId.none) }
      gathering = mine
      // A fiber of its own: whoever asked first may be interrupted. It begins when those who ask now have asked.
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
        Option.isSome(Context.getOption(context, Foreseen))
      const answers = isAlone
        ? ask([id])
        : Effect.flatMap(Effect.uninterruptible(joined(id)), (told) => Deferred.await(told))
      return Effect.map(answers, (told) => told.get(id) ?? null)
    })
}
