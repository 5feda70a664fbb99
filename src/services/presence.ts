/**
 * Whether the caller still waits for a command's answer. A command whose caller has left before its first transaction began is
 * dropped; one that has committed anything is finished (src/DECISIONS.md §151).
 */

import { Context, Data, Effect, Option } from "effect"

export class CallerPresence extends Context.Tag("CallerPresence")<
  CallerPresence,
  {
    readonly hasLeft: () => boolean
    /** Set by the host with the first commit. */
    hasCommitted: boolean
  }
>() {}

/** Ends a command whose caller has left. It has committed nothing. */
export class CallerLeft extends Data.TaggedError("CallerLeft") {}

/** Dies with `CallerLeft` where the caller has left and nothing has been committed. */
export const requireCaller: Effect.Effect<void> = Effect.flatMap(
  Effect.serviceOption(CallerPresence),
  (presence) =>
    Option.isSome(presence) && !presence.value.hasCommitted && presence.value.hasLeft()
      ? Effect.die(new CallerLeft())
      : Effect.void,
)

/** From here on the command is finished, even if its caller leaves. */
export const keepCommand: Effect.Effect<void> = Effect.map(
  Effect.serviceOption(CallerPresence),
  (presence) => {
    if (Option.isSome(presence)) presence.value.hasCommitted = true
  },
)
