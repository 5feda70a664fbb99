/** Commands on one delivery: the check of its owner, one event in one transaction, and the record for the answer. */

import type { Caller } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Turn } from "../../../machines/contracts.ts"
import { ask, currentRoot } from "../../engine/services/actors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import type { Locks } from "../../engine/services/host.ts"
import { refusedFor } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { newsOf } from "../dispatch/estimates.ts"
import { composeDelivery, deliveryStatus } from "./record.ts"
import type { Look } from "./record.ts"
import { DeliveryRows, DeliverySites } from "./rows.ts"
import type { DeliveryRow } from "./rows.ts"
import { TrackingLinks } from "./tracking-links.ts"

export function deliveryGroup(deliveryId: string): string {
  return `delivery/${deliveryId}`
}

/** The record in the open transaction or view. */
export const currentDelivery = Routine.fn(function* (deliveryId: string) {
  const rows = yield* DeliveryRows
  const { group } = yield* Transaction
  const row = yield* rows.byId(deliveryId)
  const found = yield* group(deliveryGroup(deliveryId))
  if (row === null || found === null) return yield* new Refused({ code: "DELIVERY_NOT_FOUND" })
  const status = deliveryStatus(found.actors, deliveryGroup(deliveryId))
  return composeDelivery(row, found.actors, yield* lookNow({ ...row, status }))
})

/** What estimates and links of a delivery need, as of now. */
export const lookNow = Routine.fn(function* (row: DeliveryRow) {
  const sites = yield* DeliverySites
  const { nowMs } = yield* Transaction
  const store = row.storePlace ?? (yield* sites.byId(row.siteId))?.place ?? row.place
  const news = yield* newsOf(row, { store, nowMs })
  return { ...news, store, links: yield* TrackingLinks, nowMs } satisfies Look
})

/** The site's own delivery, or `DELIVERY_NOT_FOUND`, also when it was only quoted. */
export const ownDelivery = Routine.fn(function* (siteId: string, externalDeliveryId: string) {
  const rows = yield* DeliveryRows
  const row = yield* rows.byExternalId(siteId, externalDeliveryId)
  return row ?? (yield* new Refused({ code: "DELIVERY_NOT_FOUND" }))
})

/** The delivery of the operator's environment, by its own id. */
export const deliveryFor = Routine.fn(function* (caller: Caller, deliveryId: string) {
  const rows = yield* DeliveryRows
  const row = yield* rows.byId(deliveryId)
  const isTheirs = row !== null && row.environment === caller.environment
  return isTheirs ? row : yield* new Refused({ code: "DELIVERY_NOT_FOUND" })
})

export interface DeliveryCommand {
  readonly row: DeliveryRow
  readonly event: Turn<"delivery">["event"]
  readonly locks?: Omit<Locks, "groups">
  /** Checked under the command's locks, before its turn. */
  readonly check?: Routine<void, Refused>
  /** Row changes of the command, made before the events of its turn are composed. */
  readonly onAnswered?: (answered: {
    readonly isRepeat: boolean
    readonly status: DeliveryStatus
  }) => Routine<void, never, Transaction>
}

/**
 * One command, one transaction. A refusal is committed too (its entry stays in the journal), then fails with its code.
 */
export const commandDelivery = Routine.fn(function* (command: DeliveryCommand) {
  const { row, event, locks = {}, check, onAnswered } = command
  const host = yield* ActorHost
  const to = deliveryGroup(row.deliveryId)
  const outcome = yield* host.run({
    name: "change a delivery",
    locks: { ...locks, groups: [to] },
    body: Routine.fn(function* () {
      const rows = yield* DeliveryRows
      const transaction = yield* Transaction
      const before = yield* transaction.group(to)
      if (check !== undefined) yield* check
      const answer = yield* ask("delivery", { to, event, nonce: yield* host.nonce })
      if (answer.type === "refused") return answer
      const after = yield* transaction.group(to)
      const status = (yield* currentRoot("delivery", to)).context.announced
      // The command's own answer reads the row before the observer projects it, so `updatedAtMs` is set now.
      if (before?.actors.get(to)?.snapshot !== after?.actors.get(to)?.snapshot) {
        yield* rows.change(row.deliveryId, { updatedAtMs: after?.instantMs ?? transaction.nowMs })
      }
      if (onAnswered !== undefined) {
        yield* onAnswered({ isRepeat: answer.value?.isRepeat === true, status })
      }
      return { type: "answered", record: yield* currentDelivery(row.deliveryId) } as const
    }),
  })
  if (outcome.type === "answered") return outcome.record
  return yield* refusedFor(outcome)
})

/** At any status before the end, also after loading. A repeat keeps the first reason. */
export const cancelDelivery = Routine.fn(function* (row: DeliveryRow, reason: string | null) {
  const rows = yield* DeliveryRows
  return yield* commandDelivery({
    row,
    event: { type: "cancel.requested" },
    onAnswered: ({ isRepeat }) =>
      isRepeat ? Routine.void : rows.change(row.deliveryId, { cancellationReason: reason }),
  })
})
