/** A site as it stands in the fields of a form, and what a request says of it. */

import type { Schemas } from "../api.ts"
import type { operations } from "../api-types.ts"
import type { Site } from "../sites.ts"

type Body<Name extends "addSite" | "changeSite"> =
  operations[Name]["requestBody"]["content"]["application/json"]

export type NewSiteBody = Body<"addSite">
export type SiteChangeBody = Body<"changeSite">

export interface SiteDraft {
  readonly name: string
  readonly timezone: string
  /** Empty: reservations only. */
  readonly organizationId: string
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  /** Degrees; both empty: the place of the address. */
  readonly latitude: string
  readonly longitude: string
  /** Dollars. */
  readonly price: string
  /** min */
  readonly ready: string
  readonly fleetId: string
  readonly supervisor: "no" | "yes"
  readonly dispatchPolicy: Site["dispatch_policy"]
}

export const EMPTY_SITE: SiteDraft = {
  name: "",
  timezone: "",
  organizationId: "",
  street: "",
  city: "",
  state: "",
  zip: "",
  latitude: "",
  longitude: "",
  price: "",
  ready: "",
  fleetId: "",
  supervisor: "no",
  dispatchPolicy: "earliest_free",
}

export function draftOf(site: Site): SiteDraft {
  const { address, delivery_price_cents: cents, latitude, longitude } = site
  return {
    name: site.name,
    timezone: site.timezone ?? "",
    organizationId: site.organization_id ?? "",
    street: address?.street ?? "",
    city: address?.city ?? "",
    state: address?.state ?? "",
    zip: address?.zip ?? "",
    latitude: latitude === null ? "" : String(latitude),
    longitude: longitude === null ? "" : String(longitude),
    price: cents === null ? "" : (cents / 100).toFixed(2),
    ready: String(site.ready_ahead_minutes),
    fleetId: site.fleet_id ?? "",
    supervisor: site.has_supervisor ? "yes" : "no",
    dispatchPolicy: site.dispatch_policy,
  }
}

/** What is filled in. */
export function newSiteOf(draft: SiteDraft): NewSiteBody {
  const { name, timezone, organizationId, latitude, longitude, price, ready, fleetId, supervisor } = draft
  const address = addressOf(draft)
  return {
    name,
    ...(timezone === "" ? {} : { timezone }),
    ...(organizationId === "" ? {} : { organization_id: organizationId }),
    ...(address === null ? {} : { address }),
    ...(latitude === "" ? {} : { latitude: Number(latitude) }),
    ...(longitude === "" ? {} : { longitude: Number(longitude) }),
    ...(price === "" ? {} : { delivery_price_cents: centsOf(price) }),
    ...(ready === "" ? {} : { ready_ahead_minutes: Number(ready) }),
    ...(fleetId === "" ? {} : { fleet_id: fleetId }),
    ...(supervisor === "yes" ? { has_supervisor: true } : {}),
    dispatch_policy: draft.dispatchPolicy,
  }
}

/** Only what differs: two operators may change different fields. */
export function changeIn(site: Site, draft: SiteDraft): SiteChangeBody {
  const known = draftOf(site)
  const differs = (...fields: readonly (keyof SiteDraft)[]): boolean =>
    fields.some((field) => draft[field] !== known[field])
  const { name, timezone, organizationId, latitude, longitude, price, ready, fleetId, supervisor } = draft
  return {
    ...(differs("name") ? { name } : {}),
    ...(differs("timezone") ? { timezone: timezone === "" ? null : timezone } : {}),
    ...(differs("organizationId") ? { organization_id: organizationId } : {}),
    ...(differs("street", "city", "state", "zip") ? { address: addressOf(draft) } : {}),
    ...(differs("latitude", "longitude") && latitude !== "" ? { latitude: Number(latitude) } : {}),
    ...(differs("latitude", "longitude") && longitude !== "" ? { longitude: Number(longitude) } : {}),
    ...(differs("price") ? { delivery_price_cents: price === "" ? null : centsOf(price) } : {}),
    ...(differs("ready") ? { ready_ahead_minutes: Number(ready) } : {}),
    ...(differs("fleetId") ? { fleet_id: fleetId } : {}),
    ...(differs("supervisor") ? { has_supervisor: supervisor === "yes" } : {}),
    ...(differs("dispatchPolicy") ? { dispatch_policy: draft.dispatchPolicy } : {}),
  }
}

/** Null when no part of it is filled in. */
function addressOf({ street, city, state, zip }: SiteDraft): Site["address"] {
  return [street, city, state, zip].every((part) => part === "") ? null : { street, city, state, zip }
}

function centsOf(dollars: string): number {
  return Math.round(Number(dollars) * 100)
}

export type SiteOverlap = Schemas["SiteOverlap"]
