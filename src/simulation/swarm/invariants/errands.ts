/**
 * Invariants of errands and their money, written from the contract. Source: courier connector contract, states and
 * transitions, clocks, idempotency, payment.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import { durationIfGiven } from "../../scenario/language/field-values.ts"
import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { courierOrders } from "../../../areas/courier/rows.ts"
import { deliveries } from "../../../areas/direct-delivery/rows.ts"
import { vehicles } from "../../../areas/dispatch/rows.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import type { KeptPayment } from "../../../areas/courier/memory/simulated-processor.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Plan } from "../plan.ts"
import { contextOf, leafOf } from "../seen.ts"

/** Without operations that move runs or take vehicles away, places only change by what takes and frees them. */
const placesStay = ({ moves }: Plan): boolean =>
  !moves.some(
    ({ act }) =>
      act.verb === "do" && (act.command === "delivery.reassign" || act.command === "vehicle.go_offline"),
  )

/** Fees are given back for most of a day. A processor that fails longer leaves fees that operations must resolve. */
const GONE_MS = 12 * HOUR_MS

/** False for a plan in which the processor fails for longer than fees are given back. */
export function hasProcessor({ moves }: Plan): boolean {
  const sinceMs = new Map<"fails" | "is slow", number>()
  const ended = moves.map(({ act, atMs }) => {
    if (act.verb !== "inject" || !act.fault.startsWith("payments.")) return 0
    const what = act.fault === "payments.take" ? "is slow" : "fails"
    const isEnd = act.fault === "payments.work" || durationIfGiven(act.with, "time") === 0
    const beganMs = sinceMs.get(what) ?? atMs
    if (isEnd) sinceMs.delete(what)
    else sinceMs.set(what, beganMs)
    return atMs - beganMs
  })
  return Math.max(0, ...ended) < GONE_MS
}

export const ERRAND_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "an errand moves only to a state that may come next", check: () => phaseMoves() },
  {
    sentence: "a hold ends fifteen minutes after it was taken, or ten more after a failed payment",
    check: () => holdLengths(),
  },
  { sentence: "no hold reaches beyond the pickup horizon", check: () => holdsInHorizon() },
  {
    sentence: "a quote lasts until thirty minutes after its hold, and never gets shorter",
    check: () => quoteLengths(),
  },
  {
    sentence: "what was authorized is captured, given back or still open, and nothing else",
    check: bookMoves,
  },
  { sentence: "an errand has at most one fee authorized or taken", check: oneFee },
  { sentence: "no fee is taken before the errand's order was reported", check: capturedAfterReport },
  { sentence: "a booked errand is one delivery, and no other errand is", check: oneDelivery },
  { sentence: "an ended errand says when it ended and why", check: endReasons },
  {
    sentence: "holds and runs never take more places than the fleet has",
    holdsFor: placesStay,
    where: "not where operations move runs or take vehicles away",
    check: placesOfFleet,
  },
  {
    sentence: "only a failed, cancelled or declined errand gives its fee back",
    check: () => refundsForEnds(),
  },
  { sentence: "a fee that the processor did not give back is known as owed", check: owedFees },
]

function onErrand(check: (result: TurnResult, phase: string) => string | null): SwarmCheck {
  return {
    onTurn: (result) => {
      const { address } = result.group
      if (kindOf(address) !== "courier-order" || result.entry === null) return null
      return check(result, leafOf(result.group, address))
    },
  }
}

const OPEN_ENDS = ["declined", "cancelled"]
const PHASES: Readonly<Record<string, readonly string[]>> = {
  "": ["quoted", "unserved"],
  quoted: ["held", "authorizing", "expired", ...OPEN_ENDS],
  held: ["authorizing", "capturing", "lapsed", ...OPEN_ENDS],
  authorizing: ["held"],
  capturing: ["held", "booked"],
  lapsed: ["held", "authorizing", "capturing", "overdue", ...OPEN_ENDS],
  overdue: ["held", "capturing", "expired", ...OPEN_ENDS],
  expired: ["cancelled"],
  booked: ["failed", ...OPEN_ENDS],
}

function phaseMoves(): SwarmCheck {
  const lastByGroup = new Map<string, string>()
  return onErrand(({ group: { address } }, phase) => {
    const last = lastByGroup.get(address) ?? ""
    lastByGroup.set(address, phase)
    return last === phase || PHASES[last]?.includes(phase) === true
      ? null
      : `${address} went from ${last || "nothing"} to ${phase}`
  })
}

const HOLD_MS = 15 * MINUTE_MS
const RETRY_MS = 10 * MINUTE_MS
const HORIZON_MS = 90 * MINUTE_MS
const QUOTE_AFTER_HOLD_MS = 30 * MINUTE_MS

/** The end of the hold as it changes. */
function onHold(
  check: (change: {
    readonly atMs: number
    readonly before: number | null
    readonly now: number
    readonly phase: string
  }) => string | null,
): SwarmCheck {
  const endByGroup = new Map<string, number | null>()
  return {
    onTurn: ({ group, entry }, { atMs }) => {
      if (kindOf(group.address) !== "courier-order" || entry === null) return null
      const now = contextOf(group, group.address)["holdEndsAtMs"] as number | null
      const before = endByGroup.get(group.address) ?? null
      endByGroup.set(group.address, now)
      if (now === before || now === null) return null
      const found = check({ atMs, before, now, phase: leafOf(group, group.address) })
      return found === null ? null : `${group.address}: ${found}`
    },
  }
}

function holdLengths(): SwarmCheck {
  return onHold(({ atMs, before, now, phase }) => {
    const isTaken = now === atMs + HOLD_MS
    const isReleased = now === atMs && phase === "lapsed"
    const isLengthened = before !== null && now === Math.min(before + RETRY_MS, atMs + HORIZON_MS)
    return isTaken || isReleased || isLengthened
      ? null
      : `the hold ends ${now - atMs} ms from now, it ended at ${String(before)}`
  })
}

function holdsInHorizon(): SwarmCheck {
  return onHold(({ atMs, now }) =>
    now <= atMs + HORIZON_MS ? null : `the hold ends ${now - atMs} ms from now`,
  )
}

function quoteLengths(): SwarmCheck {
  const endByGroup = new Map<string, number>()
  return onErrand(({ group }) => {
    const { quoteEndsAtMs, holdEndsAtMs } = contextOf(group, group.address)
    const now = Number(quoteEndsAtMs)
    const before = endByGroup.get(group.address) ?? 0
    endByGroup.set(group.address, now)
    if (now < before) return `the quote of ${group.address} got ${before - now} ms shorter`
    const isLong = holdEndsAtMs === null || now >= Number(holdEndsAtMs) + QUOTE_AFTER_HOLD_MS
    return isLong
      ? null
      : `the quote of ${group.address} ends ${now - Number(holdEndsAtMs)} ms after its hold`
  })
}

const BOOK_MOVES: Readonly<Record<string, readonly string[]>> = {
  // A release of what was never granted is a release all the same.
  "": ["authorized", "canceled"],
  authorized: ["captured", "canceled"],
  captured: ["refunded"],
}

/**
 * What changes in the processor's books. They are read after every turn too: a fee may be authorized and captured within one instant, and
 * a turn always lies between.
 */
function onBooks(
  { run }: Watched,
  check: (id: string, before: KeptPayment | undefined, now: KeptPayment) => string | null,
): SwarmCheck {
  const { books } = run.service.world.processor
  const last = new Map<string, KeptPayment>()
  const find = (): string | null => {
    for (const [id, now] of books) {
      const before = last.get(id)
      if (before?.state === now.state) continue
      last.set(id, now)
      const found = check(id, before, now)
      if (found !== null) return found
    }
    return null
  }
  return { onTurn: find, onInstant: find, onEnd: find }
}

function bookMoves(watched: Watched): SwarmCheck {
  return onBooks(watched, (id, before, now) =>
    BOOK_MOVES[before?.state ?? ""]?.includes(now.state) === true
      ? null
      : `${id} went from ${before?.state ?? "nothing"} to ${now.state}`,
  )
}

function oneFee(watched: Watched): SwarmCheck {
  const { books } = watched.run.service.world.processor
  return onBooks(watched, (_, __, { deliveryId }) => {
    const open = [...books.values()].filter(
      (one) => one.deliveryId === deliveryId && (one.state === "authorized" || one.state === "captured"),
    )
    return open.length <= 1 ? null : `${deliveryId} has ${open.length} fees authorized or taken`
  })
}

function capturedAfterReport(watched: Watched): SwarmCheck {
  const reported = new Set<string>()
  const books = onBooks(watched, (id, _, { deliveryId, state }) =>
    state !== "captured" || reported.has(deliveryId)
      ? null
      : `${id} was captured before the order of ${deliveryId} was reported`,
  )
  return {
    ...books,
    onTurn: ({ group, entry }) => {
      if (entry !== null && leafOf(group, group.address) === "capturing") reported.add(idOf(group.address))
      return null
    },
  }
}

function oneDelivery({ run }: Watched): SwarmCheck {
  const { host } = run.service
  return {
    onEnd: () => {
      const rows = memoryRowsOf(host.store, deliveries)
      for (const group of host.groups.all()) {
        if (kindOf(group.address) !== "courier-order") continue
        const id = idOf(group.address)
        const { vehicleId, failureReason } = contextOf(group, group.address)
        const phase = leafOf(group, group.address)
        const wasBooked = host.groups.get(`delivery/${id}`) !== null
        if (phase === "booked" && (!wasBooked || rows.get(id) === null))
          return `${id} is booked and no delivery`
        if (wasBooked && vehicleId === null) return `${id} is a delivery without a vehicle`
        if (failureReason !== null && !wasBooked) return `${id} failed and was never booked`
      }
      return null
    },
  }
}

function endReasons(watched: Watched): SwarmCheck {
  const rows = memoryRowsOf(watched.run.service.host.store, courierOrders)
  return onErrand(({ group }, phase) => {
    const { endedAtMs, declineReason, failureReason } = contextOf(group, group.address)
    const isOver = ["unserved", "declined", "cancelled", "failed"].includes(phase)
    if (isOver !== (endedAtMs !== null)) return `${group.address} is ${phase}, ended at ${String(endedAtMs)}`
    const isDeclined = phase === "unserved" || phase === "declined"
    if (isDeclined !== (declineReason !== null))
      return `${group.address} is ${phase}, declined for ${String(declineReason)}`
    if ((phase === "failed") !== (failureReason !== null))
      return `${group.address} is ${phase}, failed for ${String(failureReason)}`
    return rows.get(idOf(group.address)) === null ? `${group.address} has no row` : null
  })
}

const PLACES_OF_VEHICLE = 2
const HOLDING = ["held", "authorizing", "capturing"]

function placesOfFleet({ run }: Watched): SwarmCheck {
  const { store, time } = run.service.host
  const [own, runs, fleet] = [
    memoryRowsOf(store, courierOrders),
    memoryRowsOf(store, deliveries),
    memoryRowsOf(store, vehicles),
  ]
  let isTaken = false
  const find = (): string | null => {
    isTaken = false
    const held = own
      .all()
      .filter(
        ({ phase, holdEndsAtMs }) =>
          HOLDING.includes(phase) && (phase !== "held" || (holdEndsAtMs ?? 0) > time.nowMs),
      ).length
    const open = runs.all().filter(({ status }) => status !== "COMPLETED" && status !== "CANCELLED").length
    const places = fleet.all().filter(({ isOnline }) => isOnline).length * PLACES_OF_VEHICLE
    return held + open <= places ? null : `${held} holds and ${open} runs take places of ${places}`
  }
  return {
    onTurn: ({ group: { address }, entry }, { by, start }) => {
      const takes =
        start?.machine === "delivery@1" || (kindOf(address) === "courier-order" && by === "command")
      if (entry !== null && takes) isTaken = true
      return null
    },
    onInstant: () => (isTaken ? find() : null),
  }
}

/** A release while the errand goes on belongs to an authorization that failed. */
function refundsForEnds(): SwarmCheck {
  return onErrand(({ group }, phase) => {
    const state = leafOf(group, `${group.address}/payment`)
    if (state !== "refunded" && state !== "unrefunded") return null
    return ["failed", "cancelled", "declined"].includes(phase)
      ? null
      : `${group.address} is ${phase} and its fee is ${state}`
  })
}

const WITHOUT_FEE = ["cancelled", "declined", "expired"]

/** At the end, when no request is in flight. A failed errand may keep its fee. */
function owedFees({ run }: Watched): SwarmCheck {
  const { books } = run.service.world.processor
  return {
    onEnd: () => {
      for (const [id, { deliveryId, state }] of books) {
        const group = run.service.host.groups.get(`courier-order/${deliveryId}`)
        const phase = group === null ? "" : leafOf(group, group.address)
        if (group === null || !WITHOUT_FEE.includes(phase)) continue
        if (state !== "authorized" && state !== "captured") continue
        const payment = leafOf(group, `${group.address}/payment`)
        if (payment !== "unvoided" && payment !== "unrefunded")
          return `${id} is ${state}, its errand is ${phase} and its payment ${payment}`
      }
      return null
    },
  }
}
