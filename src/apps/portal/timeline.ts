/**
 * The timeline of one group of an organization, from its journal: what happened, and the state of the actor before and after.
 * Only names and instants: no context, no facts and no fields of events, which may belong to others.
 */

import { partOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { timerName } from "../../model/timer-name.ts"
import { GroupJournals, innermostState } from "../../engine/services/group-journals.ts"
import type { JournalTurn } from "../../engine/services/group-journals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { inWords } from "./words.ts"

/** One actor's part in one turn. */
export interface TimelineLine {
  readonly revision: number
  readonly atMs: EpochMs
  /** `delivery`, `bot`, `runner-task`: the actor's part of the group. */
  readonly actor: string
  /** `step.advanced`; `timer` for a timer of the actor. */
  readonly event: string
  /** The event in words; for a timer, its name. */
  readonly label: string
  readonly by: "command" | "message" | "result" | "timer"
  /** States in words; null before the start. */
  readonly before: string | null
  readonly after: string
  /** The code with which the actor refused; its state stays. */
  readonly refused: string | null
  /** Types of the events that the step published. */
  readonly published: readonly string[]
}

/** In order of time, with the first entries of a journal that is longer than the limit. */
export const timelineOf = Routine.fn(function* (address: GroupAddress) {
  const journals = yield* GroupJournals
  return linesOf(yield* journals.first(address, TIMELINE_ENTRIES_MAX))
})

/** The lines of the turns of one group. */
export function linesOf(turns: readonly JournalTurn[]): readonly TimelineLine[] {
  const states = new Map<string, string>()
  return turns.flatMap(({ revision, instantMs: atMs, body }) => {
    const { by, to, refused } = body
    const line = (
      actor: string,
      type: string,
      after: string,
      published: readonly string[] = [],
    ): TimelineLine => {
      const before = states.get(actor) ?? null
      states.set(actor, after)
      return { revision, atMs, actor: partOf(actor), ...eventOf(type), by, before, after, refused, published }
    }
    // The entry of a refusal has no steps.
    if (refused !== null) return [line(to, body.event?.type ?? "", states.get(to) ?? "")]
    return body.steps.flatMap(({ a, on, did, value, asked }) =>
      did === "ignored"
        ? []
        : [
            line(
              a,
              (on as { readonly type: string }).type,
              inWords(innermostState(value)),
              asked.flatMap((one) => (one.type === "kernel.publish" ? [one.event] : [])),
            ),
          ],
    )
  })
}

function eventOf(type: string): { readonly event: string; readonly label: string } {
  if (type === "@start") return { event: "started", label: "Started" }
  const timer = timerName(type)
  return timer === null ? { event: type, label: inWords(type) } : { event: "timer", label: inWords(timer) }
}
