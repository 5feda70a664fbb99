/**
 * Invariants of reservations, written from the contract's tables and not from the machines. Source: reservations
 * contract, states and transitions, bot status, handoff status, limits.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import type { ReservationPolicy } from "../../../model/reservation.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { DEFAULT_POLICY } from "../../../engine/services/policies.ts"
import { reservations } from "../../../areas/reservations/rows.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import { openedBy } from "../../outside-world.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Plan } from "../plan.ts"
import { contextOf, leafOf, partOf, pathOf } from "../seen.ts"

/** Without lost nodes a call is made once for each attempt. */
const keepsNodes = ({ faults }: Plan): boolean => faults.nodesLost === 0

export const RESERVATION_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "a reservation's status moves as the contract's table says", check: statusMoves },
  { sentence: "a bot's status moves only forward, and ABORTED is final", check: botMoves },
  { sentence: "a handoff moves only to a step that may come next", check: handoffMoves },
  { sentence: "a reservation keeps its stall, zone and retailer", check: stallStays },
  { sentence: "the window moves only before the bot arrives", check: windowMoves },
  { sentence: "no part of a finished reservation is still open", check: partsEnd },
  { sentence: "milestones come in the order of a handoff, each once but the last", check: milestonesInOrder },
  { sentence: "a failed handoff published the exception that ended it", check: failuresPublished },
  { sentence: "bot_no_show by the clock comes after the whole wait at the bot", check: noShowAfterWait },
  { sentence: "a runner gives up by the clock only after the window's end", check: notReadyAfterWindow },
  {
    sentence: "an open link is called at most as often as its policy allows",
    holdsFor: keepsNodes,
    where: "not where nodes are lost",
    check: openLinkAttempts,
  },
  { sentence: "a window that ends completes what is loaded and cancels what is not", check: endedByWindow },
  { sentence: "an idempotency key names one reservation", check: keyNamesOne },
  { sentence: "a reservation stands at an active stall of its zone", check: activeStall },
  { sentence: "a load is recorded once, with a photo or without", check: loadedOnce },
  { sentence: "no more open links are started than a handoff may use", check: openLinksBounded },
]

type OnRoot = (result: TurnResult, address: GroupAddress) => string | null

/** Turns of reservations that were written down. */
function onReservation(check: OnRoot): SwarmCheck {
  return {
    onTurn: (result) => {
      const { address, actors } = result.group
      const isOne = kindOf(address) === "reservation" && actors.has(address) && result.entry !== null
      return isOne ? check(result, address) : null
    },
  }
}

/** From the last value of each group to the next; every value must be among those that may follow. */
function moving(
  valueOf: (result: TurnResult, address: GroupAddress) => string,
  may: (from: string, to: string) => boolean,
) {
  const lastByGroup = new Map<string, string>()
  return onReservation((result, address) => {
    const now = valueOf(result, address)
    const last = lastByGroup.get(address) ?? ""
    lastByGroup.set(address, now)
    return last === now || may(last, now) ? null : `${address} went from ${last || "nothing"} to ${now}`
  })
}

/** Several statuses may pass in one turn: what may be reached, in one step or more. */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  "": ["confirmed"],
  confirmed: ["arrived", "completed", "canceled"],
  arrived: ["completed", "canceled"],
}

function statusMoves(): SwarmCheck {
  return moving(
    ({ group }, address) => leafOf(group, address),
    (from, to) => STATUSES[from]?.includes(to) === true,
  )
}

const BOT_ORDER = ["", "INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED"]

function botMoves(): SwarmCheck {
  return moving(
    ({ group }, address) => String(contextOf(group, `${address}/bot`)["status"] ?? ""),
    (from, to) => {
      if (from === "ABORTED") return false
      if (to === "ABORTED") return BOT_ORDER.indexOf(from) < BOT_ORDER.indexOf("SECURED")
      return BOT_ORDER.indexOf(to) > BOT_ORDER.indexOf(from)
    },
  )
}

const ENDS = ["canceled", "failed"]
const HANDOFFS: Readonly<Record<string, readonly string[]>> = {
  "": ["queued"],
  queued: ["assigned", ...ENDS],
  assigned: ["at_store", ...ENDS],
  at_store: ["held", "retrieved", ...ENDS],
  held: ["at_store", "retrieved", ...ENDS],
  retrieved: ["at_unit", "handoff_ready", ...ENDS],
  at_unit: ["handoff_ready", "loaded", ...ENDS],
  handoff_ready: ["loaded", ...ENDS],
}

function handoffOf({ group }: TurnResult, address: GroupAddress): string {
  return (pathOf(group, `${address}/runner-task`).replace("open.", "").split(".")[0] ?? "") || ""
}

function handoffMoves(): SwarmCheck {
  return moving(handoffOf, (from, to) => HANDOFFS[from]?.includes(to) === true)
}

function stallStays(): SwarmCheck {
  return moving(
    ({ group }, address) => {
      const { stallId, zoneId, retailerId } = contextOf(group, address)
      return JSON.stringify([stallId, zoneId, retailerId])
    },
    (from) => from === "",
  )
}

function windowMoves(): SwarmCheck {
  const lastByGroup = new Map<string, { readonly window: string; readonly status: string }>()
  return onReservation(({ group }, address) => {
    const { startsAtMs, endsAtMs } = contextOf(group, address)
    const now = { window: JSON.stringify([startsAtMs, endsAtMs]), status: leafOf(group, address) }
    const last = lastByGroup.get(address)
    lastByGroup.set(address, now)
    if (last === undefined || last.window === now.window || last.status === "confirmed") return null
    return `the window of ${address} moved while it was ${last.status}`
  })
}

function partsEnd(): SwarmCheck {
  return onReservation(({ group }, address) => {
    const status = leafOf(group, address)
    if (status !== "completed" && status !== "canceled") return null
    if (leafOf(group, `${address}/bot`) !== "closed")
      return `the bot of ${address}, which is ${status}, is not closed`
    const task = pathOf(group, `${address}/runner-task`)
    return task.startsWith("open.") ? `the runner task of ${address}, which is ${status}, is ${task}` : null
  })
}

const MILESTONES = ["task_started", "order_in_hand", "runner_at_unit", "handoff_complete"]

function milestonesInOrder(): SwarmCheck {
  const seenByGroup = new Map<string, string[]>()
  return onReservation(({ emissions }, address) => {
    const seen = seenByGroup.get(address) ?? []
    seenByGroup.set(address, seen)
    for (const { event, extras } of emissions) {
      if (event !== "reservation.handoff_updated") continue
      const milestone = JSON.stringify(extras["milestone"]).slice(1, -1)
      const next = MILESTONES[seen.length]
      const isSecondPhoto =
        milestone === "handoff_complete" && seen.filter((one) => one === milestone).length === 1
      if (milestone !== next && !isSecondPhoto)
        return `${address} published ${milestone} after ${seen.join(", ") || "nothing"}`
      seen.push(milestone)
    }
    return null
  })
}

const ENDING = ["order_not_ready_fail", "payload_rejected"]

function failuresPublished(): SwarmCheck {
  const failed = new Set<string>()
  return onReservation((result, address) => {
    if (handoffOf(result, address) !== "failed" || failed.has(address)) return null
    failed.add(address)
    const codes = result.emissions.map(({ extras }) => extras["reason_code"])
    return codes.some((code) => typeof code === "string" && ENDING.includes(code))
      ? null
      : `the handoff of ${address} failed without a reason`
  })
}

function exceptionByClock({ emissions }: TurnResult, code: string, by: string): boolean {
  return by === "timer" && emissions.some(({ extras }) => extras["reason_code"] === code)
}

/** The policy of a reservation's runner task. */
function policyIn(group: Group): ReservationPolicy {
  const policy = partOf<ReservationPolicy>(group, `${group.address}/runner-task`, "policy")
  return policy ?? DEFAULT_POLICY.reservation
}

function noShowAfterWait(): SwarmCheck {
  return {
    onTurn: (result, { by, atMs }) => {
      if (!exceptionByClock(result, "bot_no_show", by)) return null
      const task = contextOf(result.group, `${result.group.address}/runner-task`)
      const { botWaitMs } = policyIn(result.group)
      const waitedMs = atMs - Number(task["atUnitAtMs"])
      return waitedMs >= botWaitMs ? null : `the runner had waited ${waitedMs} ms of ${botWaitMs}`
    },
  }
}

function notReadyAfterWindow(): SwarmCheck {
  return {
    onTurn: (result, { by, atMs }) => {
      if (!exceptionByClock(result, "order_not_ready_fail", by)) return null
      const endsAtMs = Number(contextOf(result.group, result.group.address)["endsAtMs"])
      return atMs >= endsAtMs ? null : `the runner gave up ${endsAtMs - atMs} ms before the window's end`
    },
  }
}

function openLinkAttempts({ run }: Watched): SwarmCheck {
  const countById = new Map<string, number>()
  return {
    onReceived: (request) => {
      if (openedBy(request) !== "open link") return null
      const id = request.headers["X-Service-Attempt-Id"] ?? ""
      const count = (countById.get(id) ?? 0) + 1
      countById.set(id, count)
      const { reservation_id } = JSON.parse(request.body) as { readonly reservation_id: string }
      const address = `reservation/${reservation_id}`
      const group = run.service.host.groups.get(address)
      if (group === null) return null
      const { openLinkAttemptsMax: max } = policyIn(group)
      return count <= max ? null : `${id} was called ${count} times, and ${max} are allowed`
    },
  }
}

function endedByWindow(): SwarmCheck {
  const openByGroup = new Map<string, boolean>()
  return {
    onTurn: ({ group, entry }, { by, to, timer }) => {
      const { address, actors } = group
      if (kindOf(address) !== "reservation" || !actors.has(address) || entry === null) return null
      const status = leafOf(group, address)
      const isOpen = status === "confirmed" || status === "arrived"
      const wasOpen = openByGroup.get(address) ?? false
      openByGroup.set(address, isOpen)
      if (isOpen || !wasOpen || by !== "timer" || to !== address || timer === undefined) return null
      const isLoaded = pathOf(group, `${address}/runner-task`).startsWith("loaded")
      const wanted = isLoaded ? "completed" : "canceled"
      return status === wanted
        ? null
        : `${address} ended as ${status} with the order ${isLoaded ? "" : "not "}loaded`
    },
  }
}

function keyNamesOne({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, reservations)
  const idByKey = new Map<string, string>()
  return onReservation((_, address) => {
    const key = rows.get(idOf(address))?.idempotencyKey ?? null
    if (key === null) return null
    const first = idByKey.get(key) ?? address
    idByKey.set(key, first)
    return first === address ? null : `${first} and ${address} have one key`
  })
}

function activeStall({ run }: Watched): SwarmCheck {
  const zones = run.world.sites.flatMap((site) => site.zones)
  const active = new Set(
    zones.flatMap(({ zoneId, stalls }) =>
      stalls.filter(({ isActive }) => isActive).map(({ stallId }) => `${zoneId} ${stallId}`),
    ),
  )
  return onReservation(({ group }, address) => {
    const { zoneId, stallId } = contextOf(group, address)
    const place = `${String(zoneId)} ${String(stallId)}`
    return active.has(place) ? null : `${address} stands at ${place}, which is no active stall`
  })
}

function loadedOnce(): SwarmCheck {
  const loadByGroup = new Map<string, string>()
  return onReservation(({ group }, address) => {
    const task = contextOf(group, `${address}/runner-task`)
    if (Object.keys(task).length === 0) return null
    const isLoaded = pathOf(group, `${address}/runner-task`).startsWith("loaded")
    const { completedAtMs, photoId, isPhotoSkipped } = task
    if (!isLoaded)
      return completedAtMs === null && isPhotoSkipped === null
        ? null
        : `${address} has a load and is not loaded`
    const before = loadByGroup.get(address)
    loadByGroup.set(address, JSON.stringify([completedAtMs, photoId]))
    if ((photoId === null) !== isPhotoSkipped)
      return `${address} has the photo ${String(photoId)}, skipped ${String(isPhotoSkipped)}`
    if (before === undefined) return null
    const [firstMs, firstPhoto] = JSON.parse(before) as readonly [number, string | null]
    if (firstMs !== completedAtMs)
      return `the load of ${address} was recorded at ${firstMs} and again at ${String(completedAtMs)}`
    return firstPhoto === null || firstPhoto === photoId ? null : `the photo of ${address} was replaced`
  })
}

const OPEN_LINKS_MAX = 20

function openLinksBounded(): SwarmCheck {
  return onReservation(({ group }, address) => {
    const started = [...group.actors.keys()].filter((one) => one.startsWith(`${address}/open-link-`)).length
    const { openLinks } = contextOf(group, `${address}/runner-task`)
    if (started !== (openLinks ?? 0))
      return `${address} started ${started} open links and counts ${String(openLinks)}`
    return started <= OPEN_LINKS_MAX ? null : `${address} started ${started} open links`
  })
}
