/**
 * Runner tasks: the operations of the runner application and of operations on the task of a reservation. Source:
 * reservations contract, handoff and exceptions.
 */

import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { newId } from "../../model/ids.ts"
import { ETA_DISTANCE_MS_MAX } from "../../model/values/limits.ts"
import type { MeasureRequest } from "../../model/requests/requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { PhotoDecoder } from "../../engine/services/photos/photo-decoder.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { service } from "../../engine/services/service.ts"
import { Routine } from "../../engine/services/routine.ts"
import { commandReservation } from "./commands.ts"
import { ReservationRows } from "./rows.ts"
import type { SentPayloadLimit } from "./rows.ts"

export class RunnerTasks extends service<RunnerTasks>()("RunnerTasks", () => ({
  assign: (caller: Operator, reservationId: string, runnerId: string) =>
    step(caller, reservationId, { type: "runner.assigned", runnerId }),
  atStore: stepOf("runner.at_store"),
  hold,
  /** The order is ready after a hold. */
  ready: stepOf("order.ready"),
  giveUp: stepOf("order.given_up"),
  orderInHand: stepOf("order.in_hand"),
  measurePayload,
  atUnit: stepOf("runner.at_unit"),
  load,
  /** Starts a new open link after the last one failed. */
  retryOpenLink: stepOf("open_link.retried"),
  raise,
  clear: (caller: Operator, reservationId: string, code: ExceptionCode) =>
    step(caller, reservationId, { type: "exception.cleared", code }),
})) {}

type PlainStep =
  | "open_link.retried"
  | "order.given_up"
  | "order.in_hand"
  | "order.ready"
  | "runner.at_store"
  | "runner.at_unit"

/** A step whose event has no more than its type. */
function stepOf(type: PlainStep) {
  return (caller: Operator, reservationId: string) => step(caller, reservationId, { type })
}

function step(
  caller: Operator,
  reservationId: string,
  event: Turn<"runner-task">["event"],
  before: Routine<void, never, Transaction> = Routine.void,
) {
  return commandReservation({
    name: "take a step of a runner task",
    caller,
    reservationId,
    request: () => ({ part: "/runner-task", turn: { event } }),
    onAnswered: ({ isRepeat }) => (isRepeat ? Routine.void : before),
  })
}

/** The order is not ready; the counter may say when it will be, within a day of now. */
function hold(caller: Operator, reservationId: string, readyEstimateAtMs: EpochMs | null) {
  return commandReservation({
    name: "hold a runner task",
    caller,
    reservationId,
    check: checkEstimate(readyEstimateAtMs),
    request: () => ({
      part: "/runner-task",
      turn: { event: { type: "order.not_ready", readyEstimateAtMs } },
    }),
  })
}

const checkEstimate = Routine.fn(function* (readyEstimateAtMs: EpochMs | null) {
  const nowMs = yield* Routine.nowMs
  if (readyEstimateAtMs === null || Math.abs(readyEstimateAtMs - nowMs) <= ETA_DISTANCE_MS_MAX) return
  const problem = { field: "ready_estimate", message: "must be within 24 hours of now" }
  return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
})

/** Checks the measured order against the payload limit; one that does not fit ends the task. */
function measurePayload(caller: Operator, reservationId: string, measured: MeasureRequest) {
  return commandReservation({
    name: "record a payload",
    caller,
    reservationId,
    request: () => ({ part: "/runner-task", turn: { event: measuredEvent(measured) } }),
    fieldsAtFault: ({ payloadLimit }) => unmeasured(payloadLimit, measured),
  })
}

/**
 * Records the load, and stores its photo in the same transaction: JPEG or PNG, else `VALIDATION_ERROR`. Without a photo a
 * later call may add one.
 */
function load(caller: Operator, reservationId: string, photo: Uint8Array | null) {
  return photo === null
    ? step(caller, reservationId, { type: "load.recorded", photoId: null })
    : loadWithPhoto(caller, reservationId, photo)
}

/** The photo's id is created with the event; its bytes are stored after the machine has accepted it. */
const loadWithPhoto = Routine.fn(function* (caller: Operator, reservationId: string, photo: Uint8Array) {
  const decoder = yield* PhotoDecoder
  const file = yield* Routine.suspend(() => decoder.decode(photo))
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

function raise(caller: Operator, reservationId: string, code: ExceptionCode, message?: string) {
  return Routine.flatMap(ReservationRows, (rows) =>
    step(
      caller,
      reservationId,
      { type: "exception.raised", code },
      noteMessage(rows, { id: reservationId, code, message }),
    ),
  )
}

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

/** Stores the message of an exception; without one, or with an empty one, the code's default text is shown. */
export function noteMessage(
  rows: ReservationRows["Type"],
  { id, code, message }: { id: string; code: ExceptionCode; message: string | null | undefined },
): Routine<void, never, Transaction> {
  return Routine.gen(function* () {
    const row = yield* rows.byId(id)
    const messages = Object.entries(row?.exceptionMessages ?? {}).filter(([known]) => known !== code)
    yield* rows.change(id, {
      exceptionMessages: Object.fromEntries(message ? [...messages, [code, message]] : messages),
    })
  })
}
