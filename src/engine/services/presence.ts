/**
 * Whether the caller still waits for a command's answer. A command whose caller has disconnected before its first
 * transaction began is dropped; one that has committed anything is finished (src/DECISIONS.md §150).
 */

import { Context, Data, Effect, Option } from "effect"
import { Routine } from "./routine.ts"

export class CallerPresence extends Context.Tag("CallerPresence")<
  CallerPresence,
  {
    readonly hasLeft: () => boolean
    /** Set by the host with the first commit. */
    hasCommitted: boolean
    /**
     * For work that needs no database: lets another request be admitted in place of this one when the work takes longer than
     * `PLACE_HELD_MS_MAX`. Ends with the answered function, which says whether the place was given up.
     */
    readonly stepAside: () => () => boolean
    /** Resolves when the request is admitted again, and at the latest when it has waited as long as any other. */
    readonly takePlace: () => Promise<void>
  }
>() {}

/** Ends a command whose caller has disconnected. It has committed nothing. */
export class CallerLeft extends Data.TaggedError("CallerLeft") {}

/** Dies with `CallerLeft` when the caller has disconnected and nothing has been committed. */
export const requireCaller: Routine<void> = Routine.map(Routine.optional(CallerPresence), (presence) => {
  if (presence?.hasCommitted === false && presence.hasLeft()) throw new CallerLeft()
})

/**
 * Work of a command that needs no database, such as the look-up of a name. Other requests are admitted meanwhile, unless the work is
 * short.
 */
export function besideDatabase<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.contextWithEffect((ports: Context.Context<never>) => {
    const presence = Option.getOrNull(Context.getOption(ports, CallerPresence))
    return presence === null ? work : withoutPlace(work, presence)
  })
}

function withoutPlace<A, E, R>(
  work: Effect.Effect<A, E, R>,
  { stepAside, takePlace }: CallerPresence["Type"],
): Effect.Effect<A, E, R> {
  return Effect.suspend(() => {
    const end = stepAside()
    let hasPlace = true
    const ended = Effect.sync(() => {
      hasPlace = !end()
    })
    return Effect.tap(Effect.ensuring(work, ended), () =>
      hasPlace ? Effect.void : Effect.promise(takePlace),
    )
  })
}

/** From here on the command is finished, even if its caller disconnects. */
export const keepCommand: Routine<void> = Routine.map(Routine.optional(CallerPresence), (presence) => {
  if (presence !== undefined) presence.hasCommitted = true
})
