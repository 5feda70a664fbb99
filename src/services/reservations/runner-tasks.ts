/**
 * Runner tasks: what the runner application and operations do with the task of a reservation.
 * Source: reservations contract, handoff and exceptions.
 */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import type { Refused } from "../../model/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import type { JsonObject } from "../../model/json.ts"
import type { MeasureRequest } from "../../model/requests.ts"
import type { EpochMs } from "../../model/time.ts"
import type { ActorHost } from "../host.ts"
import type { Transaction } from "../host.ts"
import { commandReservation } from "./commands.ts"
import type { ReservationRecord } from "./record.ts"
import { ReservationRows } from "./rows.ts"

type Moved = Effect.Effect<ReservationRecord, Refused>

export class RunnerTasks extends Context.Tag("RunnerTasks")<
  RunnerTasks,
  {
    readonly assign: (caller: Operator, reservationId: string, runnerId: string) => Moved
    readonly atStore: (caller: Operator, reservationId: string) => Moved
    /** The order is not ready; the counter may say when it will be. */
    readonly hold: (caller: Operator, reservationId: string, readyEstimateAtMs: EpochMs | null) => Moved
    /** The order is ready after a hold. */
    readonly ready: (caller: Operator, reservationId: string) => Moved
    readonly giveUp: (caller: Operator, reservationId: string) => Moved
    readonly orderInHand: (caller: Operator, reservationId: string) => Moved
    /** Checks the measured order against the payload limit; one that does not fit ends the task. */
    readonly measurePayload: (caller: Operator, reservationId: string, measure: MeasureRequest) => Moved
    readonly atUnit: (caller: Operator, reservationId: string) => Moved
    /** Records the load; a null photo may land later by another call. */
    readonly load: (caller: Operator, reservationId: string, photoId: string | null) => Moved
    /** Starts a new open link after the last one failed. */
    readonly retryOpenLink: (caller: Operator, reservationId: string) => Moved
    readonly raise: (caller: Operator, reservationId: string, code: ExceptionCode, message?: string) => Moved
    readonly clear: (caller: Operator, reservationId: string, code: ExceptionCode) => Moved
  }
>() {}

export const layerRunnerTasks = Layer.effect(
  RunnerTasks,
  Effect.gen(function* () {
    const context = yield* Effect.context<ActorHost | ReservationRows>()
    const rows = yield* ReservationRows
    const run = (
      caller: Operator,
      reservationId: string,
      event: { readonly type: string } & JsonObject,
      before: Effect.Effect<void, never, Transaction> = Effect.void,
    ): Moved =>
      commandReservation({
        caller,
        reservationId,
        request: () => ({ part: "/runner-task", event }),
        onAnswered: ({ isRepeat }) => (isRepeat ? Effect.void : before),
      }).pipe(Effect.provide(context))

    return {
      assign: (caller, id, runnerId) => run(caller, id, { type: "runner.assigned", runnerId }),
      atStore: (caller, id) => run(caller, id, { type: "runner.at_store" }),
      hold: (caller, id, readyEstimateAtMs) =>
        run(caller, id, { type: "order.not_ready", readyEstimateAtMs }),
      ready: (caller, id) => run(caller, id, { type: "order.ready" }),
      giveUp: (caller, id) => run(caller, id, { type: "order.given_up" }),
      orderInHand: (caller, id) => run(caller, id, { type: "order.in_hand" }),
      measurePayload: (caller, id, { weight_kg, dimensions_cm }) =>
        run(caller, id, {
          type: "payload.measured",
          measure: { weightKg: weight_kg ?? null, dimensionsCm: dimensions_cm ?? null },
        }),
      atUnit: (caller, id) => run(caller, id, { type: "runner.at_unit" }),
      load: (caller, id, photoId) => run(caller, id, { type: "load.recorded", photoId }),
      retryOpenLink: (caller, id) => run(caller, id, { type: "open_link.retried" }),
      raise: (caller, id, code, message) =>
        run(caller, id, { type: "exception.raised", code }, noteMessage(rows, { id, code, message })),
      clear: (caller, id, code) => run(caller, id, { type: "exception.cleared", code }),
    } satisfies RunnerTasks["Type"]
  }),
)

/** Keeps the message that goes with an exception; without one, the code's own sentence is told. */
export function noteMessage(
  rows: ReservationRows["Type"],
  { id, code, message }: { id: string; code: ExceptionCode; message: string | undefined },
): Effect.Effect<void, never, Transaction> {
  return Effect.gen(function* () {
    const row = yield* rows.byId(id)
    const messages = Object.entries(row?.exceptionMessages ?? {}).filter(([known]) => known !== code)
    yield* rows.change(id, {
      exceptionMessages: Object.fromEntries(
        message === undefined ? messages : [...messages, [code, message]],
      ),
    })
  })
}
