/**
 * Invariants of webhooks, seen from the receivers. Source: reservations contract, delivery of events; direct delivery
 * contract, events.
 */

import { hmacHex } from "#digest"
import { idOf, kindOf } from "../../../model/address.ts"
import { newEventId, newUuid } from "../../../model/ids.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { webhookBodies, webhookDeliveries, webhookEndpoints } from "../../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import { isAccepted } from "../../outside-world.ts"
import type { ReceivedRequest } from "../../outside-world.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Plan } from "../plan.ts"
import { contextOf, leafOf, pathOf } from "../seen.ts"

/** After a lost node an attempt leaves again at once. */
const keepsNodes = ({ faults }: Plan): boolean => faults.nodesLost === 0

export const WEBHOOK_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "every webhook is accepted, or uses up its attempts, or its endpoint was switched off",
    check: reaches,
  },
  { sentence: "an event is queued for exactly the active endpoints that listen to it", check: fansOut },
  {
    sentence: "attempts of a webhook are as far apart as the contract says",
    holdsFor: keepsNodes,
    where: "not where nodes are lost",
    check: pauses,
  },
  { sentence: "every webhook is signed with a secret that its endpoint has or had", check: signed },
  { sentence: "one event has one id and one body at every endpoint", check: oneBody },
  { sentence: "a webhook leaves only while its delivery is sending", check: leavesWhileSending },
  { sentence: "events of one subject are ordered by occurred_at and event_id", check: ordered },
  { sentence: "no webhook contains a secret", check: secretFree },
  {
    sentence: "an endpoint is disabled by its owner, or after fifty failures in a row",
    check: () => disabledAtFifty(),
  },
]

function deliveryIdOf({ headers }: ReceivedRequest): string | null {
  return headers["X-Service-Delivery-Id"] ?? null
}

const CHANGES: ReadonlySet<string> = new Set(["webhook.change", "pickup_webhook.change"])

function reaches({ run }: Watched): SwarmCheck {
  const { host } = run.service
  const accepted = new Set<string>()
  const switchedOff = new Set<string>()
  const endpoints = memoryRowsOf(host.store, webhookEndpoints)
  const rows = memoryRowsOf(host.store, webhookDeliveries)
  const note = (): null => {
    for (const { webhookId, isActive } of endpoints.all()) if (!isActive) switchedOff.add(webhookId)
    return null
  }
  return {
    onReceived: (request) => {
      const id = deliveryIdOf(request)
      if (id !== null && isAccepted(request)) accepted.add(id)
      return null
    },
    // Over a database the rows are the final ones, in which an endpoint may be on again.
    onAnswered: ({ move: { act }, outcome }) => {
      const isOff = act.verb === "do" && CHANGES.has(act.command) && act.with["is_active"] === false
      const webhookId = isOff ? run.webhooks.get(act.for ?? "")?.webhookId : undefined
      if (webhookId !== undefined && outcome.type !== "refused") switchedOff.add(webhookId)
      return note()
    },
    onTurn: ({ group: { address } }, { event }) => {
      if (event?.type === "endpoint.switched_off") switchedOff.add(idOf(address))
      return kindOf(address) === "webhook-endpoint" ? note() : null
    },
    onEnd: () => {
      for (const group of host.groups.all()) {
        if (kindOf(group.address) !== "webhook-delivery") continue
        const id = idOf(group.address)
        const state = leafOf(group, group.address)
        const { attempt, attemptsMax } = contextOf(group, group.address)
        if (state === "delivered" && !accepted.has(id))
          return `${id} counts as delivered and no receiver took it`
        if (state === "dropped" && attempt !== attemptsMax)
          return `${id} was dropped after ${String(attempt)} attempts of ${String(attemptsMax)}`
        const webhookId = rows.get(id)?.webhookId ?? ""
        // A removed endpoint has no row.
        const wasOff = switchedOff.has(webhookId) || endpoints.get(webhookId) === null
        if (state === "discarded" && !wasOff) return `${id} was discarded and its endpoint was never off`
        if (!["delivered", "dropped", "discarded"].includes(state)) return `${id} is still ${state}`
      }
      return null
    },
  }
}

/** Events of turns; positions of vehicles are published by rows. */
const FANNED_OUT = [
  "reservation.status_changed",
  "reservation.handoff_updated",
  "reservation.exception",
  "pickup_status.changed",
]

function fansOut({ run, plan }: Watched): SwarmCheck {
  const { host } = run.service
  const endpoints = memoryRowsOf(host.store, webhookEndpoints)
  const rows = memoryRowsOf(host.store, webhookDeliveries)
  const isSilent = plan.world.policy["announces_handoffs"] === false
  return {
    onTurn: ({ emissions, nonce, group }) => {
      for (const { event, occurredUs, ordinal } of emissions) {
        if (!FANNED_OUT.includes(event)) continue
        if (isSilent && event !== "reservation.status_changed" && event !== "pickup_status.changed") continue
        // An errand's delivery has no retailer, who would get its events.
        if (host.groups.get(`courier-order/${idOf(group.address)}`) !== null) continue
        const isReservation = event.startsWith("reservation.")
        const eventId = isReservation
          ? newEventId(occurredUs, nonce, ordinal)
          : newUuid(nonce, `${event} ${ordinal}`)
        const listening = endpoints
          .all()
          .filter(
            (one) =>
              one.isActive &&
              one.environment === plan.world.environment &&
              one.subscribedEvents.some((wanted) => wanted === event) &&
              (one.area === "reservations") === isReservation,
          )
          .map(({ webhookId }) => webhookId)
        const queued = rows
          .all()
          .filter((row) => row.eventId === eventId)
          .map(({ webhookId }) => webhookId)
        if (listening.toSorted().join() !== queued.toSorted().join())
          return `${event} was queued for ${queued.length} endpoints, and ${listening.length} listen`
      }
      return null
    },
  }
}

const RESERVATION_PAUSES_MS = [2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE_MS)
const PICKUP_PAUSES_MS = [30, 60, 120, 240].map((seconds) => seconds * SECOND_MS)

function pauses(): SwarmCheck {
  const lastById = new Map<string, { readonly atMs: number; readonly count: number }>()
  return {
    // An attempt that does not count leaves again at once. It may be lost several times before the receiver sees it again.
    onTurn: ({ group: { address } }, { event }) => {
      const last = lastById.get(idOf(address))
      if (event?.type === "call.lost" && last !== undefined && Number.isFinite(last.atMs))
        lastById.set(idOf(address), { atMs: Number.NEGATIVE_INFINITY, count: last.count - 1 })
      return null
    },
    onReceived: (request) => {
      const id = deliveryIdOf(request)
      if (id === null) return null
      const last = lastById.get(id)
      lastById.set(id, { atMs: request.atMs, count: (last?.count ?? 0) + 1 })
      if (last === undefined) return null
      const isPickup = request.headers["X-Service-Event"] !== undefined
      const pauseMs = (isPickup ? PICKUP_PAUSES_MS : RESERVATION_PAUSES_MS)[last.count - 1] ?? HOUR_MS
      const passedMs = request.atMs - last.atMs
      return passedMs >= pauseMs
        ? null
        : `attempt ${last.count + 1} of ${id} came ${passedMs} ms after the last, not ${pauseMs}`
    },
  }
}

function signed({ run }: Watched): SwarmCheck {
  const secrets = new Map<string, Set<string>>()
  const { store } = run.service.host
  const endpoints = memoryRowsOf(store, webhookEndpoints)
  const rows = memoryRowsOf(store, webhookDeliveries)
  const note = (): null => {
    for (const { webhookId, secret } of endpoints.all()) {
      const known = secrets.get(webhookId) ?? new Set()
      secrets.set(webhookId, known.add(secret))
    }
    return null
  }
  return {
    onAnswered: note,
    onReceived: (request) => {
      const id = deliveryIdOf(request)
      if (id === null) return null
      note()
      const signature = request.headers["X-Service-Signature"] ?? ""
      const [, time, hex = signature] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature) ?? []
      const text = time === undefined ? request.body : `${time}.${request.body}`
      const known = [...(secrets.get(rows.get(id)?.webhookId ?? "") ?? [])]
      const isSigned = known.some((secret) => hmacHex(secret, text) === hex)
      if (!isSigned) return `${id} is signed with an unknown secret`
      const isNow = time === undefined || Math.abs(Number(time) * 1000 - request.atMs) <= SECOND_MS
      return isNow ? null : `${id} is signed for another time`
    },
  }
}

function oneBody({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, webhookDeliveries)
  const bodyByEvent = new Map<string, string>()
  return {
    onReceived: (request) => {
      const id = deliveryIdOf(request)
      const eventId = id === null ? undefined : rows.get(id)?.eventId
      if (eventId === undefined) return null
      const said = (JSON.parse(request.body) as { readonly event_id?: string }).event_id
      if (said !== undefined && said !== eventId) return `the event ${eventId} says that it is ${said}`
      const before = bodyByEvent.get(eventId)
      bodyByEvent.set(eventId, request.body)
      return before === undefined || before === request.body ? null : `the event ${eventId} has two bodies`
    },
  }
}

function leavesWhileSending({ run }: Watched): SwarmCheck {
  const { groups } = run.service.host
  return {
    onReceived: (request) => {
      const id = deliveryIdOf(request)
      const group = id === null ? null : groups.get(`webhook-delivery/${id}`)
      if (group === null) return null
      const state = pathOf(group, group.address)
      return state === "sending" ? null : `${id} left while it was ${state}`
    },
  }
}

function ordered({ run }: Watched): SwarmCheck {
  const bodies = memoryRowsOf(run.service.host.store, webhookBodies)
  const lastBySubject = new Map<string, readonly [occurredUs: number, eventId: string]>()
  return {
    onTurn: ({ emissions, nonce, group }) => {
      for (const { occurredUs, ordinal, event } of emissions) {
        const eventId = newEventId(occurredUs, nonce, ordinal)
        const body = bodies.get(eventId)
        if (body === null) continue
        const [lastUs, lastId] = lastBySubject.get(group.address) ?? [0, ""]
        lastBySubject.set(group.address, [occurredUs, eventId])
        const said = (JSON.parse(body.body) as { readonly occurred_at?: string }).occurred_at ?? ""
        if (!said.includes(String(occurredUs % 1_000_000).padStart(6, "0")))
          return `${event} says ${said}, and occurred at ${occurredUs} µs`
        if (occurredUs < lastUs || (occurredUs === lastUs && eventId <= lastId))
          return `${event} comes before the event that was published before it`
      }
      return null
    },
  }
}

function secretFree(): SwarmCheck {
  return {
    onReceived: ({ body }) =>
      ["whsec_", "spt_"].some((part) => body.includes(part)) ? "a body contains a secret" : null,
  }
}

const FAILURES_MAX = 50

function disabledAtFifty(): SwarmCheck {
  const wasEnabled = new Set<string>()
  return {
    onTurn: ({ group, entry }, { event }) => {
      if (kindOf(group.address) !== "webhook-endpoint" || entry === null) return null
      const state = pathOf(group, group.address)
      const failures = Number(contextOf(group, group.address)["consecutiveFailures"])
      if (state === "enabled") {
        wasEnabled.add(group.address)
        return failures < FAILURES_MAX ? null : `${group.address} failed ${failures} times and is enabled`
      }
      const isFirst = wasEnabled.delete(group.address)
      const isByOwner = event?.type === "endpoint.switched_off" || event?.type === "endpoint.removed"
      return !isFirst || isByOwner || failures >= FAILURES_MAX
        ? null
        : `${group.address} is ${state} after ${failures} failures`
    },
  }
}
