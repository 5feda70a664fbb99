/** Common parts of every command on a reservation: find it, lock it, run one turn, answer with the record. */

import type { Caller } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { ask } from "../../engine/services/actors.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { Policies } from "../../engine/services/policies.ts"
import { Routine } from "../../engine/services/routine.ts"
import { WebhookStore } from "../webhooks/store.ts"
import { composeReservation } from "./record.ts"
import type { ReservationRecord } from "./record.ts"
import { refusedBy } from "./refusals.ts"
import { ReservationRows } from "./rows.ts"
import type { ReservationRow } from "./rows.ts"

export function groupFor(reservationId: string): string {
  return `reservation/${reservationId}`
}

/** The lock for commands that take capacity of a zone. */
export function zoneLock({ environment }: Caller, zoneId: string): string {
  return `${environment}/${zoneId}`
}

/** The caller's own row, or `NOT_FOUND`, also for another organization's. */
export const ownRow = Routine.fn(function* (caller: Caller, reservationId: string) {
  const rows = yield* ReservationRows
  const row = yield* rows.byId(reservationId)
  const isOwn =
    row !== null &&
    row.environment === caller.environment &&
    (caller.type === "operator" || row.organizationId === caller.organizationId)
  return isOwn ? row : yield* new Refused({ code: "NOT_FOUND" })
})

/** The record in the open transaction, without a photo link. */
export const currentRecord = Routine.fn(function* (reservationId: string, photoUrl: string | null = null) {
  const rows = yield* ReservationRows
  const { group, nowMs } = yield* Transaction
  const row = yield* rows.byId(reservationId)
  const found = yield* group(groupFor(reservationId))
  if (row === null || found === null) return yield* new Refused({ code: "NOT_FOUND" })
  return composeReservation({ row, actors: found.actors, nowMs, photoUrl })
})

/** The machine of each part of a reservation; `""` is the reservation itself. */
const MACHINE_BY_PART = { "": "reservation", "/bot": "bot", "/runner-task": "runner-task" } as const

type Part = keyof typeof MACHINE_BY_PART

/** One event for one actor of a reservation. */
export type ReservationEventRequest = {
  [P in Part]: {
    readonly part: P
    /** Made from the turn's nonce if the event contains a new id. */
    readonly turn: PartTurn<P> | ((nonce: string) => PartTurn<P>)
  }
}[Part]

type PartTurn<P extends Part> = Turn<(typeof MACHINE_BY_PART)[P]>

/**
 * Runs one event inside the open transaction. If it moved some actor, the row is updated at once, because the command's
 * own answer reads it.
 */
export const runEvent = Routine.fn(function* (reservationId: string, request: ReservationEventRequest) {
  const host = yield* ActorHost
  const transaction = yield* Transaction
  const { part, turn } = request
  const to = `${groupFor(reservationId)}${part}`
  // A zone without runner service has no runner task, so its commands are refused in this state.
  const found = yield* transaction.group(groupFor(reservationId))
  if (found !== null && !found.actors.has(to)) {
    const reason = { type: "sentence", text: "the zone has no runner service" } as const
    return { type: "refused", code: "INVALID_STATE", reason } as const
  }
  const nonce = yield* host.nonce
  const made = typeof turn === "function" ? turn(nonce) : turn
  const answer = yield* ask(MACHINE_BY_PART[part], { to, ...made, nonce })
  const after = yield* transaction.group(groupFor(reservationId))
  if (found !== null && after !== null && hasMoved(found, after)) {
    const rows = yield* ReservationRows
    yield* rows.change(reservationId, { updatedAtMs: after.instantMs })
  }
  return answer.type === "refused"
    ? answer
    : { ...answer, nonce, instantMs: after?.instantMs ?? transaction.nowMs }
})

function hasMoved(before: Group, after: Group): boolean {
  return [...after.actors].some(
    ([address, { snapshot }]) => before.actors.get(address)?.snapshot !== snapshot,
  )
}

export interface ReservationCommand {
  /** For traces and the log of faults. */
  readonly name: string
  readonly caller: Caller
  readonly reservationId: string
  readonly request: (row: ReservationRow) => ReservationEventRequest
  /** The zone to lock in addition, for a command that takes capacity. */
  readonly zone?: string
  /** Row changes of the command, made before the events of its turn are composed. */
  readonly onAnswered?: (answered: {
    readonly row: ReservationRow
    readonly isRepeat: boolean
    /** The nonce of the turn, from which ids in its event are derived. */
    readonly nonce: string
    /** When the turn happened: what the command changes of the row happened then too. */
    readonly instantMs: EpochMs
  }) => Routine<void, never, Transaction>
  /** Checks against now, on the clock of the reservation: an operator's own request is on real time. */
  readonly check?: Routine<void, Refused>
  /** The fields that a machine's `VALIDATION_ERROR` is about. */
  readonly fieldsAtFault?: (row: ReservationRow) => readonly string[]
  /** Rows that are written even after a refusal. */
  readonly onRefused?: (row: ReservationRow) => Routine<void, never, Transaction>
}

/**
 * One command, one transaction. A refusal is committed too (its entry stays in the journal), then fails with its code.
 */
export const commandReservation = Routine.fn(function* (command: ReservationCommand) {
  const host = yield* ActorHost
  const locks = {
    groups: [groupFor(command.reservationId)],
    ...(command.zone === undefined ? {} : { zone: zoneLock(command.caller, command.zone) }),
  }
  const outcome = yield* host.run({
    name: command.name,
    locks,
    reads: readForEvents(command.caller),
    body: () => runCommand(command),
  })
  if (outcome.type === "refused") return yield* refusedBy(outcome, outcome.fields)
  return outcome.record
})

/**
 * Rows that most events of a partner's command need: endpoints and policy. The transaction caches them for the
 * observers.
 */
export const readForEvents = Routine.fn(function* (caller: Caller) {
  if (caller.type !== "partner") return
  const { organizationId, environment } = caller
  const policies = yield* Policies
  const webhooks = yield* WebhookStore
  yield* batch([
    webhooks.endpoints({ organizationId, environment, area: "reservations" }),
    policies.of(environment),
  ])
})

/** Runs inside the transaction. */
const runCommand = Routine.fn(function* (command: ReservationCommand) {
  const { caller, reservationId, request, check, onAnswered, onRefused, fieldsAtFault } = command
  const row = yield* ownRow(caller, reservationId)
  if (check !== undefined) yield* check
  const answer = yield* runEvent(reservationId, request(row))
  if (answer.type === "refused") {
    if (onRefused !== undefined) yield* onRefused(row)
    return { ...answer, fields: fieldsAtFault?.(row) }
  }
  const { nonce, instantMs, value } = answer
  if (onAnswered !== undefined)
    yield* onAnswered({ row, isRepeat: value?.isRepeat === true, nonce, instantMs })
  const record: ReservationRecord = yield* currentRecord(reservationId)
  return { type: "answered", record } as const
})
