/**
 * Questions of one kind that are asked in the same moment, answered by one statement: when many calls leave after one commit,
 * each asks what it sends.
 */

import { Deferred, Effect, Option } from "effect"
import { SqlTransaction } from "./transaction.ts"

type Answers<Answer> = ReadonlyMap<string, Answer>

/** Null where there is no answer. Inside a transaction each question is asked alone, and there. */
export function askedTogether<Answer>(
  ask: (ids: readonly string[]) => Effect.Effect<Answers<Answer>>,
): (id: string) => Effect.Effect<Answer | null> {
  let gathering: { readonly ids: Set<string>; readonly answers: Deferred.Deferred<Answers<Answer>> } | null =
    null
  const gathered = Effect.gen(function* () {
    if (gathering !== null) return gathering
    const { ids, answers } = { ids: new Set<string>(), answers: yield* Deferred.make<Answers<Answer>>() }
    gathering = { ids, answers }
    // A fiber of its own: whoever asked first may be interrupted. It begins when those who ask now have asked.
    const asking = Effect.suspend(() => {
      gathering = null
      return ask([...ids])
    })
    yield* Effect.forkDaemon(Effect.intoDeferred(asking, answers))
    return gathering
  })
  return (id) =>
    Effect.gen(function* () {
      if (Option.isSome(yield* Effect.serviceOption(SqlTransaction)))
        return (yield* ask([id])).get(id) ?? null
      const { ids, answers } = yield* gathered
      ids.add(id)
      return (yield* Deferred.await(answers)).get(id) ?? null
    })
}
