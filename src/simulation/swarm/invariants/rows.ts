/** Invariants of rows: their projected columns show what the machines say, and what is fixed stays. */

import { idOf, kindOf } from "../../../model/address.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { courierOrders } from "../../../areas/courier/rows.ts"
import { deliveries } from "../../../areas/direct-delivery/rows.ts"
import { vehicles } from "../../../areas/dispatch/rows.ts"
import { reservations } from "../../../areas/reservations/rows.ts"
import { webhookEndpoints } from "../../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import { contextOf, leafOf, pathOf } from "../seen.ts"

export const ROW_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "the row of a reservation shows its machine's status and window", check: reservationRows },
  { sentence: "the row of a delivery shows its machine's status and vehicle", check: deliveryRows },
  { sentence: "the row of an errand shows its machine's phase and the end of its hold", check: errandRows },
  { sentence: "the row of a vehicle says online as its machine does", check: vehicleRows },
  { sentence: "the row of an endpoint shows its machine's failures", check: endpointRows },
  { sentence: "what was booked of a reservation never changes", check: bookedStays },
  { sentence: "a delivery keeps its customer, its place and its terms", check: termsStay },
  { sentence: "an update never goes back in time", check: updatesGoOn },
]

/** Calls back for the group as it is now; a transaction of several turns has one row for all. */
function latest(
  { run }: Watched,
  kind: string,
  check: (result: TurnResult, id: string) => string | null,
): SwarmCheck {
  return {
    onTurn: (result) => {
      const { address, revision } = result.group
      if (kindOf(address) !== kind || result.entry === null) return null
      return run.service.host.groups.get(address)?.revision === revision ? check(result, idOf(address)) : null
    },
  }
}

function reservationRows(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, reservations)
  return latest(watched, "reservation", ({ group }, id) => {
    const row = rows.get(id)
    const { startsAtMs, endsAtMs } = contextOf(group, group.address)
    const status = leafOf(group, group.address)
    if (row === null) return `${id} has no row`
    if (row.status !== status) return `${id} is ${status} and its row says ${row.status}`
    return row.startsAtMs === startsAtMs && row.endsAtMs === endsAtMs
      ? null
      : `the row of ${id} has another window`
  })
}

function deliveryRows(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, deliveries)
  return latest(watched, "delivery", ({ group }, id) => {
    const row = rows.get(id)
    const status = leafOf(group, group.address).toUpperCase()
    if (row === null) return `${id} has no row`
    if (row.status !== status) return `${id} is ${status} and its row says ${row.status}`
    const { vehicleId } = contextOf(group, group.address)
    return row.vehicleId === vehicleId
      ? null
      : `${id} is with ${String(vehicleId)} and its row says ${row.vehicleId}`
  })
}

function errandRows(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, courierOrders)
  return latest(watched, "courier-order", ({ group }, id) => {
    const row = rows.get(id)
    const phase = leafOf(group, group.address)
    if (row === null) return `${id} has no row`
    if (row.phase !== phase) return `${id} is ${phase} and its row says ${row.phase}`
    const { holdEndsAtMs } = contextOf(group, group.address)
    return row.holdEndsAtMs === holdEndsAtMs ? null : `the row of ${id} has another end of the hold`
  })
}

function vehicleRows(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, vehicles)
  return latest(watched, "vehicle", ({ group }, id) => {
    const { isOnline } = contextOf(group, group.address)
    const row = rows.get(id)
    return row === null || row.isOnline === isOnline ? null : `${id} and its row differ about being online`
  })
}

function endpointRows(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, webhookEndpoints)
  return latest(watched, "webhook-endpoint", ({ group }, id) => {
    const row = rows.get(id)
    const { consecutiveFailures } = contextOf(group, group.address)
    const isEnabled = pathOf(group, group.address) === "enabled"
    if (row === null) return null
    if (row.isActive !== isEnabled)
      return `${id} is ${isEnabled ? "" : "not "}enabled and its row says otherwise`
    return row.consecutiveFailures === consecutiveFailures
      ? null
      : `${id} failed ${String(consecutiveFailures)} times and its row says ${row.consecutiveFailures}`
  })
}

/** The columns of a row, as they were first seen. */
function staying(watched: Watched, kind: string, read: (id: string) => object | null): SwarmCheck {
  const firstById = new Map<string, string>()
  return latest(watched, kind, (_, id) => {
    const row = read(id)
    if (row === null) return null
    const now = JSON.stringify(row)
    const first = firstById.get(id)
    if (first === undefined) firstById.set(id, now)
    return first === undefined || first === now ? null : `${id} had ${first} and has ${now}`
  })
}

function bookedStays(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, reservations)
  return staying(watched, "reservation", (id) => {
    const row = rows.get(id)
    if (row === null) return null
    const {
      stallId,
      zoneId,
      retailerId,
      orderNumber,
      endUserPhone,
      openLinkUrl,
      createdAtMs,
      idempotencyKey,
    } = row
    return {
      stallId,
      zoneId,
      retailerId,
      orderNumber,
      endUserPhone,
      openLinkUrl,
      createdAtMs,
      idempotencyKey,
    }
  })
}

function termsStay(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, deliveries)
  return staying(watched, "delivery", (id) => {
    const row = rows.get(id)
    if (row === null) return null
    const { feeCents, currency, pickupEtaMs, deliveryEtaMs, customer, place, siteId, externalDeliveryId } =
      row
    // An errand's agent may correct it later; a retailer's delivery keeps everything.
    return row.storePlace === null
      ? { feeCents, currency, pickupEtaMs, deliveryEtaMs, customer, place, siteId, externalDeliveryId }
      : { feeCents, currency, siteId, externalDeliveryId }
  })
}

function updatesGoOn({ run }: Watched): SwarmCheck {
  const { store } = run.service.host
  const [own, runs, errands] = [
    memoryRowsOf(store, reservations),
    memoryRowsOf(store, deliveries),
    memoryRowsOf(store, courierOrders),
  ]
  const lastById = new Map<string, number>()
  return {
    onTurn: ({ group }) => {
      const id = idOf(group.address)
      const row = own.get(id) ?? runs.get(id) ?? errands.get(id)
      if (row === null) return null
      const last = lastById.get(group.address) ?? 0
      const { updatedAtMs, createdAtMs } = row
      lastById.set(group.address, updatedAtMs)
      if (updatedAtMs < createdAtMs) return `${id} was updated before it was created`
      return updatedAtMs < last ? `the update of ${id} went from ${last} to ${updatedAtMs}` : null
    },
  }
}
