/**
 * Counts the attempts of a webhook delivery. A request that was sent again because its node was lost is the same
 * attempt.
 */

import { idOf, kindOf } from "../../model/address.ts"
import { rootOf } from "../../engine/services/actors.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { InvariantCheck } from "./invariant.ts"

/** Fails when receivers got a delivery more often than `attemptsMax` and its resends allow. */
export function attemptsCheck(
  attemptsMax: number,
  isWatched: (headers: ReceivedRequest["headers"]) => boolean,
): InvariantCheck {
  const receivedById = new Map<string, number>()
  const resendsById = new Map<string, number>()
  const lastById = new Map<string, number>()
  return {
    onTurn: ({ group }) => {
      if (kindOf(group.address) !== "webhook-delivery") return null
      const { context } = rootOf("webhook-delivery", group)
      // Version 1 of the machine does not resend.
      const resends = "resends" in context ? context.resends : 0
      const id = idOf(group.address)
      // The machine restarts its count with each attempt.
      if (resends > (lastById.get(id) ?? 0)) resendsById.set(id, (resendsById.get(id) ?? 0) + 1)
      lastById.set(id, resends)
      return null
    },
    onReceived: ({ headers }) => {
      const id = headers["X-Service-Delivery-Id"]
      if (id === undefined || !isWatched(headers)) return null
      const received = (receivedById.get(id) ?? 0) + 1
      receivedById.set(id, received)
      const attempts = received - (resendsById.get(id) ?? 0)
      return attempts > attemptsMax ? `delivery ${id} was attempted ${attempts} times` : null
    },
  }
}
