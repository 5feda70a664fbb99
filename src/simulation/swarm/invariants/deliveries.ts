/**
 * Invariants of direct delivery and its vehicles, written from the contract. Source: direct delivery contract, quote,
 * delivery, states and transitions, sandbox specifics.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import { openedBy } from "../../outside-world.ts"
import { chargeTable } from "../../../areas/direct-delivery/charges.ts"
import { deliveries, quotes } from "../../../areas/direct-delivery/rows.ts"
import { messages } from "../../../areas/messages/rows.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Plan } from "../plan.ts"
import { contextOf, leafOf, partOf } from "../seen.ts"

/** Operations may give a vehicle more than it takes by itself. */
const keepsRuns = ({ moves }: Plan): boolean =>
  !moves.some(({ act }) => act.verb === "do" && act.command === "delivery.reassign")

export const DELIVERY_SWARM_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "a delivery starts from a live and available quote, with its terms", check: fromLiveQuote },
  { sentence: "an external id names one delivery", check: oneForExternalId },
  {
    sentence: "a vehicle has at most one active run and one behind it",
    holdsFor: keepsRuns,
    where: "not where operations give a run to another vehicle",
    check: placesOfVehicles,
  },
  { sentence: "no delivery is a run of two vehicles", check: oneVehicle },
  { sentence: "vehicle and delivery name each other when no message is under way", check: nameEachOther },
  { sentence: "a completed delivery of production is charged once, and no other is", check: chargedOnce },
  { sentence: "an ended delivery says when it ended, and only then", check: endTimes },
  { sentence: "the sandbox sends no text to a customer", check: silentSandbox },
  { sentence: "a customer gets each notice once", check: noticesOnce },
  { sentence: "a compartment is opened only at the customer's door", check: opensAtTheDoor },
  { sentence: "a vehicle carries out its runs in the order in which they came", check: runsInOrder },
]

function fromLiveQuote({ run }: Watched): SwarmCheck {
  const { store } = run.service.host
  const [rows, known] = [memoryRowsOf(store, deliveries), memoryRowsOf(store, quotes)]
  return {
    onTurn: ({ group, entry }, { start, decision, instantMs }) => {
      if (entry === null || start?.machine !== "delivery@1" || decision !== "promote@3") return null
      const row = rows.get(idOf(group.address))
      const quote = known
        .all()
        .find((one) => one.siteId === row?.siteId && one.externalDeliveryId === row.externalDeliveryId)
      if (row === null || quote === undefined) return `${group.address} has no quote`
      if (quote.terms === null) return `the quote of ${group.address} was not available`
      if (quote.expiresAtMs <= instantMs)
        return `the quote of ${group.address} ran out ${instantMs - quote.expiresAtMs} ms before`
      const { feeCents, currency, pickupEtaMs, deliveryEtaMs } = row
      const kept = { pickupEtaMs, deliveryEtaMs, feeCents, currency }
      const isKept = Object.entries(quote.terms).every(
        ([name, value]) => kept[name as keyof typeof kept] === value,
      )
      return isKept ? null : `${group.address} has other terms than its quote`
    },
  }
}

function oneForExternalId({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, deliveries)
  return {
    onEnd: () => {
      const seen = new Set<string>()
      for (const { siteId, externalDeliveryId } of rows.all()) {
        const key = `${siteId} ${externalDeliveryId}`
        if (seen.has(key)) return `${externalDeliveryId} names two deliveries`
        seen.add(key)
      }
      return null
    },
  }
}

interface Runs {
  readonly vehicleId: string
  readonly active: string | null
  readonly queued: readonly string[]
}

function runsOf(group: Group): Runs {
  const { activeId } = contextOf(group, group.address)
  return {
    vehicleId: idOf(group.address),
    active: activeId === null || activeId === undefined ? null : String(activeId),
    queued: partOf<readonly string[]>(group, group.address, "queuedIds") ?? [],
  }
}

/** A booked errand keeps its place when the fleet has shrunk since its hold: its vehicle may then have a run too many. */
function placesOfVehicles({ run }: Watched): SwarmCheck {
  const { groups } = run.service.host
  const isErrand = (id: string): boolean => groups.get(`courier-order/${id}`) !== null
  let hasShrunk = false
  return {
    onTurn: ({ group, entry }) => {
      if (entry === null || kindOf(group.address) !== "vehicle") return null
      if (contextOf(group, group.address)["isOnline"] === false) hasShrunk = true
      const { active, queued } = runsOf(group)
      if (active === null && queued.length > 0) return `${group.address} has a queue and no active run`
      const mayExceed = hasShrunk && [active ?? "", ...queued].some(isErrand)
      return queued.length <= 1 || mayExceed
        ? null
        : `${group.address} has ${queued.length} runs behind its active one`
    },
  }
}

function oneVehicle(): SwarmCheck {
  const runsByVehicle = new Map<string, readonly string[]>()
  return {
    onTurn: ({ group, entry }) => {
      if (entry === null || kindOf(group.address) !== "vehicle") return null
      const { active, queued } = runsOf(group)
      const runs = active === null ? queued : [active, ...queued]
      runsByVehicle.set(group.address, runs)
      return new Set(runs).size === runs.length ? null : `${group.address} has one run twice`
    },
    onEnd: () => {
      const all = [...runsByVehicle.values()].flat()
      return new Set(all).size === all.length ? null : "a run belongs to two vehicles"
    },
  }
}

/** Checked when every mailbox is empty: a hand-over between groups is then complete. */
function nameEachOther({ run }: Watched): SwarmCheck {
  const { groups } = run.service.host
  const changed = new Set<string>()
  const find = (): string | null => {
    for (const address of changed) {
      const found = standing(address)
      if (found !== null) return found
    }
    changed.clear()
    return null
  }
  const standing = (address: string): string | null => {
    const group = groups.get(address)
    if (group === null) return null
    if (kindOf(address) === "delivery") {
      const state = leafOf(group, address)
      const vehicle = groups.get(`vehicle/${String(contextOf(group, address)["vehicleId"])}`)
      if (vehicle === null) return `${address} names a vehicle that is not there`
      const { active, queued } = runsOf(vehicle)
      const isRun = active === idOf(address) || queued.includes(idOf(address))
      const isOpen = state !== "completed" && state !== "cancelled"
      return isRun === isOpen
        ? null
        : `${address} is ${state} and ${isRun ? "is" : "is not"} a run of ${vehicle.address}`
    }
    const { active, queued, vehicleId } = runsOf(group)
    for (const id of active === null ? queued : [active, ...queued]) {
      const delivery = groups.get(`delivery/${id}`)
      if (delivery === null) return `${address} has the run ${id}, which is not there`
      if (contextOf(delivery, delivery.address)["vehicleId"] !== vehicleId)
        return `${address} has the run ${id} of another vehicle`
    }
    return null
  }
  return {
    onTurn: ({ group: { address }, entry }) => {
      const isOne = kindOf(address) === "delivery" || kindOf(address) === "vehicle"
      if (entry !== null && isOne) changed.add(address)
      return null
    },
    onInstant: () => (changed.size === 0 || groups.messages().length > 0 ? null : find()),
    onEnd: find,
  }
}

function chargedOnce({ run }: Watched): SwarmCheck {
  const { store } = run.service.host
  return {
    onEnd: () => {
      const charges = new Map(
        memoryRowsOf(store, chargeTable)
          .all()
          .map((charge) => [charge.deliveryId, charge]),
      )
      for (const row of memoryRowsOf(store, deliveries).all()) {
        const charge = charges.get(row.deliveryId)
        const isOwed =
          row.status === "COMPLETED" && row.environment === "production" && row.storePlace === null
        if (isOwed !== (charge !== undefined))
          return `${row.deliveryId} is ${row.status} and ${isOwed ? "not " : ""}charged`
        if (charge !== undefined && charge.feeCents !== row.feeCents)
          return `${row.deliveryId} is charged another fee`
        charges.delete(row.deliveryId)
      }
      const [stray] = charges.keys()
      return stray === undefined ? null : `${stray} is charged and no delivery`
    },
  }
}

function endTimes({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, deliveries)
  return {
    onTurn: ({ group, entry }) => {
      const row =
        entry !== null && kindOf(group.address) === "delivery" ? rows.get(idOf(group.address)) : null
      if (row === null) return null
      if ((row.completedAtMs !== null) !== (row.status === "COMPLETED"))
        return `${row.deliveryId} is ${row.status}, completed at ${row.completedAtMs}`
      return (row.cancelledAtMs !== null) === (row.status === "CANCELLED")
        ? null
        : `${row.deliveryId} is ${row.status}, cancelled at ${row.cancelledAtMs}`
    },
  }
}

function silentSandbox({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, messages)
  return {
    onEnd: () => {
      const sent = rows
        .all()
        .find(({ environment, status }) => environment === "sandbox" && status !== "suppressed")
      return sent === undefined ? null : `a text of the sandbox is ${sent.status}`
    },
  }
}

function noticesOnce({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, messages)
  return {
    onEnd: () => {
      const seen = new Set<string>()
      for (const { subjectId, text, purpose, to } of rows.all()) {
        if (purpose !== "delivery-notice" || subjectId === null) continue
        const key = `${subjectId} ${to} ${text}`
        if (seen.has(key)) return `a notice about ${subjectId} was written twice`
        seen.add(key)
      }
      return null
    },
  }
}

function opensAtTheDoor({ run }: Watched): SwarmCheck {
  const { host } = run.service
  const leftAtMs = new Map<string, number>()
  return {
    onTurn: ({ group, entry }) => {
      const isDelivery = entry !== null && kindOf(group.address) === "delivery"
      if (
        isDelivery &&
        leafOf(group, group.address) !== "arrived_at_customer" &&
        !leftAtMs.has(group.address)
      )
        leftAtMs.set(group.address, host.time.nowMs)
      if (isDelivery && leafOf(group, group.address) === "arrived_at_customer") leftAtMs.delete(group.address)
      return null
    },
    onReceived: (request) => {
      if (openedBy(request) !== "compartment") return null
      const { delivery_id } = JSON.parse(request.body) as { readonly delivery_id: string }
      const address = `delivery/${delivery_id}`
      const left = leftAtMs.get(address)
      // A call of the instant in which the delivery ended may have been sent before.
      return left === undefined || left === host.time.nowMs
        ? null
        : `a compartment was opened while ${address} was not at the door`
    },
  }
}

function runsInOrder(): SwarmCheck {
  const lastByVehicle = new Map<string, Runs>()
  return {
    onTurn: ({ group, entry }) => {
      if (entry === null || kindOf(group.address) !== "vehicle") return null
      const now = runsOf(group)
      const last = lastByVehicle.get(group.address)
      lastByVehicle.set(group.address, now)
      if (last === undefined || last.active === now.active || last.queued.length === 0) return null
      const next = last.queued[0] ?? null
      return now.active === next
        ? null
        : `${group.address} went on with ${String(now.active)}, and ${next} came first`
    },
  }
}
