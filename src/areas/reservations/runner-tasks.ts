/**
 * Runner tasks: the operations of the runner application and of operations on the task of a reservation. Source:
 * reservations contract, handoff and exceptions.
 */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { newId } from "../../model/ids.ts"
import { ETA_DISTANCE_MS_MAX } from "../../model/values/limits.ts"
import type { MeasureRequest } from "../../model/requests/requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { ActorHost, Transaction } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { readPhoto } from "../../engine/services/photos/photo-content.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import type { Policies } from "../../engine/services/policies.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { WebhookStore } from "../webhooks/store.ts"
import { commandReservation } from "./commands.ts"
import type { ReservationRecord } from "./record.ts"
import { ReservationRows } from "./rows.ts"
import type { SentPayloadLimit } from "./rows.ts"

type Moved = Routine<ReservationRecord, Refused>

export class RunnerTasks extends Context.Tag("RunnerTasks")<
  RunnerTasks,
  {
    readonly assign: (caller: Operator, reservationId: string, runnerId: string) => Moved
    readonly atStore: (caller: Operator, reservationId: string) => Moved
    /** The order is not ready; the counter may say when it will be, within a day of now. */
    readonly hold: (caller: Operator, reservationId: string, readyEstimateAtMs: EpochMs | null) => Moved
    /** The order is ready after a hold. */
    readonly ready: (caller: Operator, reservationId: string) => Moved
    readonly giveUp: (caller: Operator, reservationId: string) => Moved
    readonly orderInHand: (caller: Operator, reservationId: string) => Moved
    /** Checks the measured order against the payload limit; one that does not fit ends the task. */
    readonly measurePayload: (caller: Operator, reservationId: string, measure: MeasureRequest) => Moved
    readonly atUnit: (caller: Operator, reservationId: string) => Moved
    /**
     * Records the load, and stores its photo in the same transaction: JPEG or PNG, else `VALIDATION_ERROR`. Without a
     * photo a later call may add one.
     */
    readonly load: (caller: Operator, reservationId: string, photo: Uint8Array | null) => Moved
    /** Starts a new open link after the last one failed. */
    readonly retryOpenLink: (caller: Operator, reservationId: string) => Moved
    readonly raise: (caller: Operator, reservationId: string, code: ExceptionCode, message?: string) => Moved
    readonly clear: (caller: Operator, reservationId: string, code: ExceptionCode) => Moved
  }
>() {}

export const layerRunnerTasks = Layer.effect(
  RunnerTasks,
  Effect.gen(function* () {
    const context = yield* Effect.context<
      ActorHost | PhotoStore | Policies | ReservationRows | WebhookStore
    >()
    const rows = yield* ReservationRows
    const run = (
      caller: Operator,
      reservationId: string,
      event: Turn<"runner-task">["event"],
      before: Routine<void, never, Transaction> = Routine.void,
    ): Moved =>
      provided(
        commandReservation({
          name: "take a step of a runner task",
          caller,
          reservationId,
          request: () => ({ part: "/runner-task", turn: { event } }),
          onAnswered: ({ isRepeat }) => (isRepeat ? Routine.void : before),
        }),
        context,
      )
    const loadWith = (caller: Operator, reservationId: string, photo: Uint8Array): Moved =>
      provided(loadWithPhoto(caller, reservationId, photo), context)

    return {
      assign: (caller, id, runnerId) => run(caller, id, { type: "runner.assigned", runnerId }),
      atStore: (caller, id) => run(caller, id, { type: "runner.at_store" }),
      hold: (caller, reservationId, readyEstimateAtMs) =>
        provided(
          commandReservation({
            name: "hold a runner task",
            caller,
            reservationId,
            check: checkEstimate(readyEstimateAtMs),
            request: () => ({
              part: "/runner-task",
              turn: { event: { type: "order.not_ready", readyEstimateAtMs } },
            }),
          }),
          context,
        ),
      ready: (caller, id) => run(caller, id, { type: "order.ready" }),
      giveUp: (caller, id) => run(caller, id, { type: "order.given_up" }),
      orderInHand: (caller, id) => run(caller, id, { type: "order.in_hand" }),
      measurePayload: (caller, reservationId, measured) =>
        provided(
          commandReservation({
            name: "record a payload",
            caller,
            reservationId,
            request: () => ({ part: "/runner-task", turn: { event: measuredEvent(measured) } }),
            fieldsAtFault: ({ payloadLimit }) => unmeasured(payloadLimit, measured),
          }),
          context,
        ),
      atUnit: (caller, id) => run(caller, id, { type: "runner.at_unit" }),
      load: (caller, id, photo) =>
        photo === null
          ? run(caller, id, { type: "load.recorded", photoId: null })
          : loadWith(caller, id, photo),
      retryOpenLink: (caller, id) => run(caller, id, { type: "open_link.retried" }),
      raise: (caller, id, code, message) =>
        run(caller, id, { type: "exception.raised", code }, noteMessage(rows, { id, code, message })),
      clear: (caller, id, code) => run(caller, id, { type: "exception.cleared", code }),
    } satisfies RunnerTasks["Type"]
  }),
)

const checkEstimate = Routine.fn(function* (readyEstimateAtMs: EpochMs | null) {
  const nowMs = yield* Routine.nowMs
  if (readyEstimateAtMs === null || Math.abs(readyEstimateAtMs - nowMs) <= ETA_DISTANCE_MS_MAX) return
  const problem = { field: "ready_estimate", message: "must be within 24 hours of now" }
  return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
})

/** The photo's id is created with the event; its bytes are stored after the machine has accepted it. */
const loadWithPhoto = Routine.fn(function* (caller: Operator, reservationId: string, photo: Uint8Array) {
  const file = yield* readPhoto(photo)
  const photos = yield* PhotoStore
  return yield* commandReservation({
    name: "record a load photo",
    caller,
    reservationId,
    request: () => ({
      part: "/runner-task",
      turn: (nonce) => ({ event: { type: "load.recorded", photoId: newId("photo", nonce) } }),
    }),
    onAnswered: ({ nonce }) =>
      Routine.flatMap(realNowMs, (createdAtMs) =>
        photos.put({
          ...file,
          photoId: newId("photo", nonce),
          reservationId,
          environment: caller.environment,
          createdAtMs,
        }),
      ),
  })
})
function measuredEvent({ weight_kg, dimensions_cm }: MeasureRequest) {
  const measure = { weightKg: weight_kg ?? null, dimensionsCm: dimensions_cm ?? null }
  return { type: "payload.measured", measure } as const
}

/** Measures that the limit bounds and that are missing. */
function unmeasured(limit: SentPayloadLimit | null, measured: MeasureRequest): readonly string[] {
  const isMissing = (bound: unknown, measure: unknown): boolean =>
    (bound ?? null) !== null && (measure ?? null) === null
  return [
    ...(isMissing(limit?.max_weight_kg, measured.weight_kg) ? ["weight_kg"] : []),
    ...(isMissing(limit?.max_dimensions_cm, measured.dimensions_cm) ? ["dimensions_cm"] : []),
  ]
}

/** Stores the message of an exception; without one, the code's default text is shown. */
export function noteMessage(
  rows: ReservationRows["Type"],
  { id, code, message }: { id: string; code: ExceptionCode; message: string | undefined },
): Routine<void, never, Transaction> {
  return Routine.gen(function* () {
    const row = yield* rows.byId(id)
    const messages = Object.entries(row?.exceptionMessages ?? {}).filter(([known]) => known !== code)
    yield* rows.change(id, {
      exceptionMessages: Object.fromEntries(
        message === undefined ? messages : [...messages, [code, message]],
      ),
    })
  })
}
