/**
 * Whether the caller still waits for a command's answer. A command whose caller has disconnected before its first
 * transaction began is dropped; one that has committed anything is finished (src/DECISIONS.md §150).
 */

import { Context, Data, Option } from "effect"
import { Routine } from "./routine.ts"

export class CallerPresence extends Context.Tag("CallerPresence")<
  CallerPresence,
  {
    readonly hasLeft: () => boolean
    /** Set by the host with the first commit. */
    hasCommitted: boolean
  }
>() {}

/** Ends a command whose caller has disconnected. It has committed nothing. */
export class CallerLeft extends Data.TaggedError("CallerLeft") {}

/** Dies with `CallerLeft` when the caller has disconnected and nothing has been committed. */
export const requireCaller: Routine<void> = Routine.portsWith((ports) => {
  const presence = Context.getOption(ports, CallerPresence)
  if (Option.isSome(presence) && !presence.value.hasCommitted && presence.value.hasLeft())
    throw new CallerLeft()
})

/** From here on the command is finished, even if its caller disconnects. */
export const keepCommand: Routine<void> = Routine.portsWith((ports) => {
  const presence = Context.getOption(ports, CallerPresence)
  if (Option.isSome(presence)) presence.value.hasCommitted = true
})
