/**
 * The courier connector's invariants: sentences that hold in every run, each with its check. See
 * `src/simulation/scenario/invariants.ts`.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import type { PaymentStatus } from "../../../model/courier.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import { errandGroup, seenIn } from "../../../areas/courier/errand.ts"
import type { SimulatedService } from "../../simulated-service.ts"
import type { Invariant, InvariantCheck } from "../invariant.ts"
import { courierOrders } from "../../../areas/courier/rows.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"

export const COURIER_INVARIANTS: readonly Invariant[] = [
  { sentence: "no errand is booked before its fee is taken", check: () => paidBookings() },
  { sentence: "no user holds two vehicles", check: oneHold },
  { sentence: "whatever an errand paid that ends before its collection goes back", check: paymentsGoBack },
  { sentence: "the processor keeps one fee of a booked errand and none of any other", check: booksAgree },
]

const TAKEN: ReadonlySet<PaymentStatus> = new Set(["captured", "refunded"])
const RETURNED: ReadonlySet<PaymentStatus> = new Set(["failed", "pending", "voided", "refunded"])

function errandIn(group: Group): ReturnType<typeof seenIn> {
  return kindOf(group.address) === "courier-order" ? seenIn(group) : null
}

function paidBookings(): InvariantCheck {
  return {
    onTurn: ({ group }) => {
      const seen = errandIn(group)
      if (seen?.phase !== "booked" || TAKEN.has(seen.paymentStatus)) return null
      return `${group.address} is booked and its payment is ${seen.paymentStatus}`
    },
  }
}

/** Checked between instants: within one command, the new hold exists before the old one is released. */
function oneHold({ host }: SimulatedService): InvariantCheck {
  const held = new Set<string>()
  let lastMs: EpochMs | null = null
  const find = (): string | null => {
    const rows = memoryRowsOf(host.store, courierOrders)
    const idByUser = new Map<string, string>()
    for (const deliveryId of held) {
      const userId = rows.get(deliveryId)?.userId ?? ""
      const other = idByUser.get(userId)
      if (other !== undefined) return `${other} and ${deliveryId} are held for ${userId}`
      idByUser.set(userId, deliveryId)
    }
    return null
  }
  return {
    onTurn: ({ group, instantMs }) => {
      const found = lastMs !== null && instantMs > lastMs ? find() : null
      lastMs = instantMs
      const seen = errandIn(group)
      if (seen?.phase === "held") held.add(idOf(group.address))
      else if (seen !== null) held.delete(idOf(group.address))
      return found
    },
    onEnd: find,
  }
}

/** Checked at the end, when the processor has answered everything. */
function paymentsGoBack({ host }: SimulatedService): InvariantCheck {
  return {
    onEnd: () => {
      for (const group of host.groups.all()) {
        const seen = errandIn(group)
        if (seen === null || (seen.phase !== "cancelled" && seen.phase !== "declined")) continue
        if (!RETURNED.has(seen.paymentStatus)) {
          return `${group.address} is ${seen.phase} and its payment is ${seen.paymentStatus}`
        }
      }
      return null
    },
  }
}

/** Checked at the end against the processor's own books: requests whose answers were lost count too. */
function booksAgree({ host, world }: SimulatedService): InvariantCheck {
  return {
    onEnd: () => {
      const paid = new Set<string>()
      for (const { deliveryId, state } of world.processor.books.values()) {
        if (state === "canceled" || state === "refunded") continue
        const address = errandGroup(deliveryId)
        if (host.groups.isFolded(address)) continue
        const group = host.groups.get(address)
        const phase = group === null ? null : (errandIn(group)?.phase ?? null)
        const isOwed = phase === "booked" || phase === "failed"
        if (state === "authorized" || !isOwed) return `${deliveryId} is ${phase} and its fee is ${state}`
        if (paid.has(deliveryId)) return `${deliveryId} has paid its fee twice`
        paid.add(deliveryId)
      }
      return null
    },
  }
}
