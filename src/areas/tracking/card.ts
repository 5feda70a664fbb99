/** Cards: the part of a tracking view that a card in a chat shows, small enough for an answer that is asked for every ten seconds. */

import { CARD_TRAIL_PLACES_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { CardData } from "../../model/requests/courier-card.ts"
import type { CourierDetails } from "../courier/rows.ts"
import { timesOf } from "../dispatch/assignment.ts"
import { metresBetween } from "../dispatch/geography.ts"

type Viewed = Omit<CardData, "doorAfterMs">

export function cardOf(view: Viewed, details: Pick<CourierDetails, "dropoffPlace" | "storePlace">): CardData {
  const { environment, timeZone, nowMs, steps, arrival, change, map, vehicle, endedAtMs } = view
  return {
    environment,
    timeZone,
    nowMs,
    doorAfterMs: doorAfterMs(details.storePlace, details.dropoffPlace),
    steps,
    arrival,
    change,
    map: map === null ? null : { ...map, trail: thinned(map.trail) },
    vehicle,
    endedAtMs,
  }
}

function doorAfterMs(store: Place | null, door: Place | null): number | null {
  if (store === null || door === null) return null
  return timesOf({ readyByMs: 0, setsOutAtMs: 0, toStoreM: 0, toCustomerM: metresBetween(store, door) })
    .deliveryEtaMs
}

/** Places at even distances in the list, with the first and the newest. */
export function thinned(trail: readonly Place[]): readonly Place[] {
  const last = trail.length - 1
  if (last < CARD_TRAIL_PLACES_MAX) return trail
  const gaps = CARD_TRAIL_PLACES_MAX - 1
  return Array.from(
    { length: CARD_TRAIL_PLACES_MAX },
    (_, at) => trail[Math.round((at * last) / gaps)],
  ).filter((place) => place !== undefined)
}
