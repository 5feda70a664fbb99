/** What operations look at when one reservation needs help: what happened to it, and whom to call. */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import type { Refused } from "../../model/values/errors.ts"
import { groupFor, ownRow } from "../../areas/reservations/commands.ts"
import type { ReservationRows } from "../../areas/reservations/rows.ts"
import { timelineOf } from "../portal/timeline.ts"
import type { TimelineLine } from "../portal/timeline.ts"
import type { GroupJournals } from "../../engine/services/group-journals.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"

export class ReservationCase extends Context.Tag("ReservationCase")<
  ReservationCase,
  {
    /** In order of time. */
    readonly timeline: (caller: Operator, reservationId: string) => Routine<readonly TimelineLine[], Refused>
    /** The end user. The caller records that the operator looked. */
    readonly contact: (
      caller: Operator,
      reservationId: string,
    ) => Routine<{ readonly name: string; readonly phone: string }, Refused>
  }
>() {}

type Needs = GroupJournals | ReservationRows

export const layerReservationCase: Layer.Layer<ReservationCase, never, Needs> = Layer.effect(
  ReservationCase,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      timeline: (caller, id) =>
        provided(Routine.zipRight(ownRow(caller, id), timelineOf(groupFor(id))), context),
      contact: (caller, id) =>
        Routine.map(provided(ownRow(caller, id), context), ({ endUserName, endUserPhone }) => ({
          name: endUserName,
          phone: endUserPhone,
        })),
    }
  }),
)
