/** What every command on a reservation shares: finding it, locking it, running one turn, answering with the record. */

import { Effect } from "effect"
import type { Caller } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { ActorHost, Transaction } from "../host.ts"
import { composeReservation } from "./record.ts"
import type { ReservationRecord } from "./record.ts"
import { ReservationRows } from "./rows.ts"
import type { ReservationRow } from "./rows.ts"

export function groupFor(reservationId: string): string {
  return `reservation/${reservationId}`
}

/** The caller's own row, or `NOT_FOUND`: another organization's looks the same as none. */
export const ownRow = Effect.fnUntraced(function* (caller: Caller, reservationId: string) {
  const rows = yield* ReservationRows
  const row = yield* rows.byId(reservationId)
  const isOwn =
    row !== null &&
    row.environment === caller.environment &&
    (caller.type === "operator" || row.organizationId === caller.organizationId)
  return isOwn ? row : yield* new Refused({ code: "NOT_FOUND" })
})

/** The record as the open transaction sees it, without a photo link. */
export const currentRecord = Effect.fnUntraced(function* (
  reservationId: string,
  photoUrl: string | null = null,
) {
  const rows = yield* ReservationRows
  const { group, nowMs } = yield* Transaction
  const row = yield* rows.byId(reservationId)
  const found = yield* group(groupFor(reservationId))
  if (row === null || found === null) return yield* new Refused({ code: "NOT_FOUND" })
  return composeReservation({
    row: { ...row, updatedAtMs: found.instantMs },
    actors: found.actors,
    nowMs,
    photoUrl,
  })
})

/** One event for one actor of a reservation. */
export interface ReservationEventRequest {
  /** `""` for the reservation itself, else the part. */
  readonly part: "" | "/bot" | "/runner-task"
  readonly event: { readonly type: string } & JsonObject
  readonly facts?: JsonObject
  readonly decision?: string
}

/** Runs one event inside the open transaction. */
export const runEvent = Effect.fnUntraced(function* (
  reservationId: string,
  request: ReservationEventRequest,
) {
  const host = yield* ActorHost
  const transaction = yield* Transaction
  const { part, ...turn } = request
  const to = `${groupFor(reservationId)}${part}`
  // A zone without runner service has no runner task: what is asked of it cannot be done in this state.
  const found = yield* transaction.group(groupFor(reservationId))
  if (found !== null && !found.actors.has(to)) return { type: "refused", code: "INVALID_STATE" } as const
  return yield* transaction.turn({ to, ...turn, nonce: yield* host.nonce })
})

export interface ReservationCommand {
  readonly caller: Caller
  readonly reservationId: string
  readonly request: (row: ReservationRow) => ReservationEventRequest
  /** Row changes that belong to the command, made before the events of its turn are composed. */
  readonly onAnswered?: (answered: {
    readonly row: ReservationRow
    readonly isRepeat: boolean
  }) => Effect.Effect<void, never, Transaction>
  /** Rows that a refusal leaves behind. */
  readonly onRefused?: (row: ReservationRow) => Effect.Effect<void, never, Transaction>
}

/**
 * One command, one transaction. A refusal commits too (its entry stays in the journal), then fails with its code.
 */
export const commandReservation = Effect.fnUntraced(function* (command: ReservationCommand) {
  const host = yield* ActorHost
  const outcome = yield* host.transact({ groups: [groupFor(command.reservationId)] }, runCommand(command))
  if (outcome.type === "refused") return yield* new Refused({ code: outcome.code })
  return outcome.record
})

/** Inside the transaction. */
const runCommand = Effect.fnUntraced(function* (command: ReservationCommand) {
  const { caller, reservationId, request, onAnswered, onRefused } = command
  const row = yield* ownRow(caller, reservationId)
  const answer = yield* runEvent(reservationId, request(row))
  if (answer.type === "refused") {
    if (onRefused !== undefined) yield* onRefused(row)
    return answer
  }
  if (onAnswered !== undefined) yield* onAnswered({ row, isRepeat: answer.value?.["isRepeat"] === true })
  const record: ReservationRecord = yield* currentRecord(reservationId)
  return { type: "answered", record, value: answer.value } as const
})
