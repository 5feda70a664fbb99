/** What happened to a delivery or a reservation of an organization in the sandbox, step by step. */

import type { Partner } from "../../model/caller.ts"
import { deliveryOf } from "../../areas/courses/subject.ts"
import { deliveryGroup } from "../../areas/direct-delivery/commands.ts"
import { groupFor } from "../../areas/reservations/commands.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { notFound } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { timelineOf } from "../portal/timeline.ts"

/**
 * Oldest first. `id`: of a reservation, or of a delivery by its own or its external id. `NOT_FOUND` for one of another organization,
 * `PERMISSION_DENIED` where the key may not read what the id names.
 */
const of = Routine.fn(function* (caller: Partner, id: string) {
  yield* requirePermission(caller, "events:read")
  const { organizationId } = caller
  const reservation = yield* (yield* ReservationRows).byId(id)
  if (reservation?.organizationId === organizationId && reservation.environment === "sandbox") {
    yield* requirePermission(caller, "reservations:read")
    return yield* timelineOf(groupFor(id))
  }
  if (!caller.permissions.includes("deliveries:read")) return yield* notFound("reservation", id)
  const { deliveryId } = yield* Routine.mapError(deliveryOf({ organizationId, id }), (refused) =>
    refused.code === "NOT_FOUND" ? notFound("reservation or delivery", id) : refused,
  )
  return yield* timelineOf(deliveryGroup(deliveryId))
})

export class WhatHappened extends service<WhatHappened>()("WhatHappened", () => ({ of })) {}
