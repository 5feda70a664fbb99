/**
 * The time zone of a place: the default of a site without one. Its boundaries are simplified, so it may be wrong by some
 * kilometres at a border; people can set another one.
 */

import timeZoneAt from "@photostructure/tz-lookup"
import type { Place } from "../../../model/place.ts"

/** An IANA name; null without a place. */
export function timeZoneOf(place: Place | null): string | null {
  return place === null ? null : timeZoneAt(place.latitude, place.longitude)
}
