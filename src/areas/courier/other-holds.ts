/**
 * A user holds one vehicle at a time: a new hold releases the user's other holds. Source: courier connector contract,
 * transitions; choice R8.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { Step } from "./calls.ts"
import { orderTurn } from "./commands.ts"
import { errandGroup, isAsking, seenIn } from "./errand.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings } from "./settings.ts"

/** A hold that a new one replaces. */
export interface OtherHold {
  readonly deliveryId: string
  readonly holdEndsAtMs: EpochMs
}

interface Wanted {
  readonly userId: string
  /** The errand of the new hold. */
  readonly deliveryId: string
}

/**
 * The locks for taking a hold, and the user's other holds under them. The other holds are read before the locks and
 * checked again under them. A hold with a payment in flight neither expires nor is released, so the call waits for it.
 */
export const otherHolds = Routine.fn(function* ({ userId, deliveryId }: Wanted) {
  const rows = yield* CourierRows
  const { fleetId } = yield* CourierSettings
  const heldNow = Routine.map(rows.heldBy(userId), (all) =>
    all.map((row) => row.deliveryId).filter((id) => id !== deliveryId),
  )
  let locked: readonly string[] = []
  const locks = Routine.map(heldNow, (others) => {
    locked = others
    return { pool: fleetId, groups: [deliveryId, ...others].map(errandGroup) }
  })
  const found: Routine<
    | Exclude<Step, { readonly envelope: unknown }>
    | { readonly type: "found"; readonly holds: readonly OtherHold[] },
    never,
    Transaction
  > = Routine.gen(function* () {
    if ((yield* heldNow).some((id) => !locked.includes(id))) return { type: "again" } as const
    const { group } = yield* Transaction
    const holds: OtherHold[] = []
    for (const id of locked) {
      const other = yield* group(errandGroup(id))
      if (isAsking(other)) return { type: "busy", deliveryId: id } as const
      const seen = other === null ? null : seenIn(other)
      if (seen?.phase === "held") holds.push({ deliveryId: id, holdEndsAtMs: seen.order.holdEndsAtMs ?? 0 })
    }
    return { type: "found", holds } as const
  })
  return { locks, found }
})

/** The holds that the user's next reserve would replace, without locks. One with a payment in flight is not released. */
export const replaceableHolds = Routine.fn(function* (userId: string) {
  const held = yield* (yield* CourierRows).heldBy(userId)
  return held
    .filter(({ phase }) => phase === "held")
    .map(({ deliveryId, holdEndsAtMs }): OtherHold => ({ deliveryId, holdEndsAtMs: holdEndsAtMs ?? 0 }))
})

/** How many places the replaced holds free. */
export const placesOf = Routine.fn(function* (holds: readonly OtherHold[]) {
  const { nowMs } = yield* Transaction
  return holds.filter(({ holdEndsAtMs }) => holdEndsAtMs > nowMs).length
})

/** Releases the holds, and returns their ids. */
export const release = Routine.fn(function* (holds: readonly OtherHold[]) {
  for (const { deliveryId } of holds) yield* orderTurn(deliveryId, { event: { type: "hold.released" } })
  return holds.map(({ deliveryId }) => deliveryId)
})
