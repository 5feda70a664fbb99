/** The nouns of the catalog: zones, stalls and retailers of an environment. */

import { noun } from "./noun.ts"
import type { ChangeOf, NewOf, RowOf } from "./noun.ts"

const BOOKED_BY = "Partners book by it. Empty: one is made. It cannot be changed later."

export const ZONE = noun({
  one: "zone",
  many: "zones",
  identifier: "CatalogZone",
  description: "With `has_runner`, bookings in it open a runner task.",
  id: "zone_id",
  idHint: BOOKED_BY,
  together: ["latitude", "longitude"],
  fields: {
    site_id: { is: "site id", isFixed: true, label: "Site" },
    name: { is: "name", label: "Name", option: ["--name <name>", "for people"] },
    latitude: {
      is: "latitude",
      isNullable: true,
      label: "Latitude",
      option: ["--latitude <degrees>", "WGS 84"],
    },
    longitude: {
      is: "longitude",
      isNullable: true,
      label: "Longitude",
      option: ["--longitude <degrees>", "WGS 84"],
    },
    has_runner: {
      is: "flag",
      otherwise: true,
      label: "Runner",
      hint: "Bookings that were made before a change keep their terms.",
      options: {
        yes: ["--runner", "bookings open a runner task"],
        no: ["--no-runner", "bookings open no runner task"],
      },
    },
  },
})
export type Zone = RowOf<typeof ZONE>
export type NewZone = NewOf<typeof ZONE>
export type ZoneChange = ChangeOf<typeof ZONE>

export const STALL = noun({
  one: "stall",
  many: "stalls",
  identifier: "CatalogStall",
  id: "stall_id",
  idHint: BOOKED_BY,
  fields: {
    zone_id: { is: "id", isFixed: true, label: "Zone" },
    label: {
      is: "label",
      isNullable: true,
      label: "Label",
      hint: "As it stands at the curb. Empty: none.",
      cell: { none: "no label" },
      option: ["--label <label>", "for people; an empty text for none"],
    },
    is_active: {
      is: "flag",
      otherwise: true,
      label: "State",
      options: {
        yes: ["--active", "bookings may be given it"],
        no: ["--no-active", "no booking is given it"],
      },
    },
  },
})
export type Stall = RowOf<typeof STALL>
export type NewStall = NewOf<typeof STALL>
export type StallChange = ChangeOf<typeof STALL>

export const RETAILER = noun({
  one: "retailer",
  many: "retailers",
  identifier: "CatalogRetailer",
  id: "retailer_id",
  idHint: BOOKED_BY,
  page: {
    lead: "Whose orders are carried out. A site's page says which zone supports which.",
    nothing: "A zone can be booked for a retailer that it supports.",
  },
  fields: {
    name: { is: "name", label: "Name", option: ["--name <name>", "for people"] },
    logo_url: {
      is: "https url",
      isNullable: true,
      label: "Logo",
      hint: "An https URL.",
      cell: { none: "no logo", some: "has a logo" },
      option: ["--logo-url <url>", "https; an empty text for none"],
    },
    support_phone: {
      is: "phone",
      isNullable: true,
      label: "Support phone",
      hint: "With its country code, such as +15125550100.",
      cell: { none: "no support phone" },
      option: ["--support-phone <number>", "E.164; an empty text for none"],
    },
    pickup_requirements: {
      is: "paragraph",
      isNullable: true,
      label: "Pickup needs",
      hint: "What a partner's integration must satisfy.",
      cell: { none: "no needs" },
      option: ["--pickup-requirements <text>", "what an integration must satisfy; an empty text for none"],
    },
  },
})
export type Retailer = RowOf<typeof RETAILER>
export type NewRetailer = NewOf<typeof RETAILER>
export type RetailerChange = ChangeOf<typeof RETAILER>
