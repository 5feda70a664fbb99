/**
 * Test reservations of the sandbox: the API's creation, with values for all that the request leaves out (src/DECISIONS.md §219).
 */

import { Clock, Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import type { MakeTestReservationRequest } from "../../model/requests/portal.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { Catalog } from "../catalog/catalog.ts"
import { Reservations } from "../reservations/reservations.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class TestReservations extends service<TestReservations>()("TestReservations", () => ({ make })) {}

const STARTS_AFTER_MS = 30 * MINUTE_MS
const WINDOW_MS = 30 * MINUTE_MS
/** A number that North American numbering keeps for fiction. */
const PHONE = "+15125550142"
/** Steps of the walk call no open link. Port 9 discards; `example.com` is reserved for examples. */
const LOCAL_LINK = "http://127.0.0.1:9/open"
const OPEN_LINK = "https://example.com/open"

/** Returns the reservation's id. The caller is a partner in the sandbox. */
const make = Effect.fnUntraced(function* (caller: Partner, request: MakeTestReservationRequest) {
  if (caller.environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  const place = yield* placeFor(caller, request)
  const urls = yield* UrlPolicy
  const host = yield* ActorHost
  const name = `test-${(yield* host.nonce).slice(0, 8)}`
  const startsAtMs = request.arrival_window_start ?? (yield* Clock.currentTimeMillis) + STARTS_AFTER_MS
  const { reservation } = yield* (yield* Reservations).create(caller, {
    ...request,
    ...place,
    order_number: request.order_number ?? name,
    end_user_name: request.end_user_name ?? "Test Customer",
    end_user_phone: request.end_user_phone ?? PHONE,
    arrival_window_start: startsAtMs,
    arrival_window_end: request.arrival_window_end ?? startsAtMs + WINDOW_MS,
    open_link_url: request.open_link_url ?? (urls.checkText(LOCAL_LINK) === null ? LOCAL_LINK : OPEN_LINK),
  })
  return reservation.reservation_id
})

/** A granted zone that has an active stall and fits what was sent, the first one with runners if there is one; its first retailer that fits. */
const placeFor = Routine.fn(function* (
  caller: Partner,
  { zone_id: zoneId, retailer_id: retailerId }: MakeTestReservationRequest,
) {
  const catalog = yield* Catalog
  const sites = yield* catalog.discover(caller)
  const zones = sites.flatMap((site) => site.zones).filter(({ retailers }) => retailers.length > 0)
  const [first] = zones
  if (first === undefined) return yield* new TurnedAway({ code: "NOT_FLEET_PARTNER" })
  let place: { readonly zone_id: string; readonly retailer_id: string } | null = null
  for (const { zone_id, retailers } of zones) {
    if (zoneId !== undefined && zone_id !== zoneId) continue
    const retailer = retailers.find((one) => retailerId === undefined || one.retailer_id === retailerId)
    const zone = yield* catalog.zone(caller, zone_id)
    const hasStall = zone?.stalls.some(({ isActive }) => isActive) === true
    if (retailer === undefined || !hasStall) continue
    const found = { zone_id, retailer_id: retailer.retailer_id }
    if (zone.hasRunner) return found
    place ??= found
  }
  if (place !== null) return place
  // The creation says what is wrong with what was sent.
  return {
    zone_id: zoneId ?? first.zone_id,
    retailer_id: retailerId ?? first.retailers[0]?.retailer_id ?? "",
  }
})
