/** Store directory: listings of stores with their hours and categories. Read before a transaction. */

import { Context } from "effect"
import type { Effect } from "effect"
import { STORE_MATCHES_MAX, STORE_MATCH_M_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { wholeWord } from "../../../engine/services/geocoding/street-words.ts"
import { bigint, json, text, choice } from "../../../engine/services/tables/columns.ts"
import { table } from "../../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../../engine/services/tables/table.ts"

/** Minutes of the store's local day; `closesAt` beyond 24 hours is on the next day. */
export interface OpeningHours {
  /** 0 is Sunday. */
  readonly weekday: number
  readonly opensAtMinute: number
  readonly closesAtMinute: number
}

/** Prefix of store ids; sites of direct delivery have UUIDs. */
export const STORE_PREFIX = "store_"

/** Public listings. */
export const storeTable = table("stores", {
  one: "a store",
  many: "stores",
  columns: {
    storeId: text(),
    name: text(),
    /** The name as `plainName()` writes it, so that a look-up is one index search. */
    plainName: text().hidden(),
    street: text(),
    zip: text(),
    place: json<Place>(),
    /** Categories of the listing, such as `restaurant`. */
    categories: json<readonly string[]>(),
    phone: text().nullable(),
    /** Null when the listing has none. */
    hours: json<readonly OpeningHours[]>().nullable(),
    /** From placing an order until it can be picked up. */
    leadTimeMs: bigint(),
    /** Whether the kitchen waits for the vehicle, or works towards a pickup slot. */
    kitchenStarts: choice<"on_check_in" | "scheduled">(),
    /** How a vehicle finds the curb, for the store's people to read. */
    stallHint: text().nullable(),
  },
  key: ["storeId"],
  indexes: [{ name: "stores_name", by: ["plainName"] }],
})

export type Store = RowOf<typeof storeTable>

/** The store with its search columns. */
export function listed(store: Store): NewRowOf<typeof storeTable> {
  return { ...store, plainName: plainName(store.name) }
}

/** The store as an agent describes it. */
export interface WantedStore {
  readonly name: string
  readonly address: { readonly street: string; readonly zip: string }
  /** Null when the geocoder does not know the address. */
  readonly place: Place | null
}

/** The listing, or not found, or an outage of the look-up. */
export type FoundStore =
  | { readonly type: "found"; readonly store: Store }
  | { readonly type: "unknown"; readonly matches: readonly Store[] }
  | { readonly type: "unavailable" }

export class StoreDirectory extends Context.Tag("StoreDirectory")<
  StoreDirectory,
  {
    /**
     * By name, ignoring case, accents and punctuation, and at the written address or near the place. A geocoded place
     * may be off by kilometres, so either is enough.
     */
    readonly find: (wanted: WantedStore) => Effect.Effect<FoundStore>
  }
>() {}

/** A normalized name: without case, accents, punctuation and words for a suite. */
export function plainName(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/&/g, " and ")
    .replace(/[’']/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/\b(suite|ste|unit|no) \w+\b/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}

/** A normalized street: as a name, with the number of a unit left out and with its words in full. */
export function plainStreet(street: string): string {
  return plainName(street.replace(/#\s*[\p{L}\p{N}-]+/gu, " "))
    .split(" ")
    .map(wholeWord)
    .join(" ")
}

/** The matching listing: same name, and at the address or near the place. */
export function storeAmong(
  stores: readonly Store[],
  { name, address, place }: WantedStore,
  {
    metresBetween,
    metresMax,
  }: {
    readonly metresBetween: (one: Place, other: Place) => number
    readonly metresMax: number
  },
): Store | null {
  const wanted = plainName(name)
  const near = stores
    .filter((store) => plainName(store.name) === wanted)
    .map((store) => ({
      store,
      metres: place === null ? Number.POSITIVE_INFINITY : metresBetween(store.place, place),
      isThere: isAt(store, address),
    }))
    .filter(({ metres, isThere }) => isThere || metres <= metresMax)
    .toSorted((one, other) => Number(other.isThere) - Number(one.isThere) || one.metres - other.metres)
  return near[0]?.store ?? null
}

/**
 * At most three listings that were probably meant: with the same name elsewhere, or near and with a common word in the
 * name. Nearest first. The caller gives listings that are served: a pub is no help.
 */
export function nearListings(
  stores: readonly Store[],
  { name, address, place }: WantedStore,
  metresBetween: (one: Place, other: Place) => number,
): readonly Store[] {
  const wanted = plainName(name)
  const words = new Set(wanted.split(" ").filter((word) => word.length > 2))
  const zip = address.zip.trim().slice(0, 5)
  return stores
    .map((store) => ({
      store,
      isNamed: plainName(store.name) === wanted,
      metres: place === null ? Number.POSITIVE_INFINITY : metresBetween(store.place, place),
    }))
    .filter(({ store, isNamed, metres }) => {
      const isNear = store.zip.slice(0, 5) === zip || metres <= STORE_MATCH_M_MAX
      return (
        isNamed ||
        (isNear &&
          plainName(store.name)
            .split(" ")
            .some((word) => words.has(word)))
      )
    })
    .toSorted(
      (one, other) =>
        Number(other.isNamed) - Number(one.isNamed) ||
        (one.metres === other.metres ? 0 : one.metres - other.metres) ||
        (one.store.storeId < other.store.storeId ? -1 : 1),
    )
    .slice(0, STORE_MATCHES_MAX)
    .map(({ store }) => store)
}

function isAt(store: Store, { street, zip }: WantedStore["address"]): boolean {
  return plainStreet(store.street) === plainStreet(street) && store.zip.slice(0, 5) === zip.trim().slice(0, 5)
}
