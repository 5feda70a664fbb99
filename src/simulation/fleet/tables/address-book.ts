/** Places by address, from a table of addresses beside a model, such as one of OpenAddresses, or from its streets. Nothing is asked from a network. */

import { SITE_LATITUDE_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { nearest } from "../../scenario/language/problems.ts"
import { numberIn } from "./cells.ts"
import type { Table, TableFault } from "./table.ts"

export interface AddressBook {
  readonly file: string
  /** Every place of an address; empty of one that is not in the file. */
  readonly placesOf: (address: string) => readonly Place[]
  /** The address of the file that is written most alike; null without one. */
  readonly nearestTo: (address: string) => string | null
}

interface Known {
  /** As the file writes it. */
  readonly address: string
  readonly places: Place[]
}

/** What the columns may be called. */
const COLUMNS: Readonly<
  Record<"address" | "latitude" | "longitude" | "number" | "street", readonly string[]>
> = {
  latitude: ["lat", "latitude", "y"],
  longitude: ["lon", "lng", "long", "longitude", "x"],
  address: ["address", "full_address", "addr"],
  street: ["street", "addr:street", "street_name"],
  number: ["number", "addr:housenumber", "housenumber", "house_number"],
}

const books = new WeakMap<Table, AddressBook | TableFault>()

/** Or what is missing: the rest of a sentence that begins with the name of the file. */
export function addressBook(table: Table): AddressBook | TableFault {
  const known = books.get(table) ?? bookOf(table)
  books.set(table, known)
  return known
}

function bookOf(table: Table): AddressBook | TableFault {
  const names = table.columns.map((name) => name.trim().toLowerCase())
  const has = `; it has ${table.columns.join(", ")}`
  const columnsOf = (...all: readonly (keyof typeof COLUMNS)[]): readonly number[] | null => {
    const found = all.map((of) => names.findIndex((name) => COLUMNS[of].includes(name)))
    return found.includes(-1) ? null : found
  }
  const place = columnsOf("latitude", "longitude")
  const written = columnsOf("number", "street") ?? columnsOf("address")
  if (place === null) return { fault: `has no columns lat and lon${has}` }
  if (written === null) return { fault: `has no column address, and no columns street and number${has}` }
  const byKey = new Map<string, Known>()
  for (const { cells } of table.rows) {
    const textOf = (at: number): string => cells[at] ?? ""
    const [latitude, longitude] = place.map((at) => numberIn(textOf(at), table) ?? Number.NaN)
    const address = written.map(textOf).join(" ").trim()
    if (latitude === undefined || longitude === undefined || address === "") continue
    if (!(Math.abs(latitude) <= SITE_LATITUDE_MAX && Math.abs(longitude) <= 180)) continue
    add(byKey, address, { latitude, longitude })
  }
  return foundIn(table.file, byKey)
}

/** Of an address and its place each. */
export function bookOfPlaces(
  file: string,
  places: readonly (readonly [address: string, place: Place])[],
): AddressBook {
  const byKey = new Map<string, Known>()
  for (const [address, place] of places) add(byKey, address, place)
  return foundIn(file, byKey)
}

function add(byKey: Map<string, Known>, address: string, place: Place): void {
  const key = keyOf(address)
  const known = byKey.get(key) ?? { address, places: [] }
  byKey.set(key, known)
  known.places.push(place)
}

function foundIn(file: string, byKey: ReadonlyMap<string, Known>): AddressBook {
  return {
    file,
    placesOf: (text) => keysOf(text).flatMap((key) => byKey.get(key)?.places ?? []),
    nearestTo: (text) => {
      const [key = ""] = keysOf(text).toReversed()
      const found = nearest(key, byKey.keys())
      return found === undefined ? null : (byKey.get(found)?.address ?? null)
    },
  }
}

/** The whole address and, of one with commas, the part before the first: what follows is mostly the city. */
function keysOf(text: string): readonly string[] {
  return [...new Set([text, text.split(",")[0] ?? ""].map(keyOf))]
}

/** What is written short in many addresses. */
const LONG: Readonly<Record<string, string>> = {
  st: "street",
  str: "street",
  ave: "avenue",
  av: "avenue",
  rd: "road",
  dr: "drive",
  ln: "lane",
  ct: "court",
  pl: "place",
  sq: "square",
  blvd: "boulevard",
  hwy: "highway",
  pkwy: "parkway",
  n: "north",
  s: "south",
  e: "east",
  w: "west",
}

/** Without case, accents, punctuation and the order of street and number. */
function keyOf(address: string): string {
  const words = address
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['’]/g, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => LONG[word] ?? word)
  const at = words.findIndex((word) => /^\d/.test(word))
  return [...words.toSpliced(at === -1 ? words.length : at, 1), ...(at === -1 ? [] : [words[at]])].join(" ")
}
