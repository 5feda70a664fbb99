/** Places by address, from a table of addresses beside a model, such as one of OpenAddresses, or from its streets. Nothing is asked from a network. */

import { listed } from "../../../model/values/listed.ts"
import { SITE_LATITUDE_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { nearest } from "../../scenario/language/problems.ts"
import { addressWords, isName, keyOf, streetOf, wordsOf } from "./address-words.ts"
import { numberIn } from "./cells.ts"
import type { Table, TableFault } from "./table.ts"

export interface AddressBook {
  readonly file: string
  /** Every place of an address, or why there is none. */
  readonly find: (address: string) => MissingAddress | { readonly doors: readonly KnownDoor[] }
}

export interface MissingAddress {
  /** The rest of a sentence about rows: `whose address is not in book.csv`. */
  readonly reason: string
  /** Of this one: `: "12 Mian St", nearest is "12 Main Street"`. */
  readonly about: () => string
}

export interface KnownDoor {
  readonly place: Place
  /** As the file writes it; empty when it does not. */
  readonly city: string
}

/** A row of the file. */
export interface WrittenAddress {
  readonly address: string
  readonly city: string
  readonly postcode: string
  readonly place: Place
}

interface Known extends KnownDoor {
  readonly cityWords: readonly string[]
  readonly postcode: readonly string[]
}

interface Book {
  readonly file: string
  readonly byKey: ReadonlyMap<string, { readonly address: string; readonly doors: readonly Known[] }>
  readonly streets: ReadonlySet<string>
}

/** What the columns may be called. */
const COLUMNS: Readonly<
  Record<"address" | "city" | "latitude" | "longitude" | "number" | "postcode" | "street", readonly string[]>
> = {
  latitude: ["lat", "latitude", "y"],
  longitude: ["lon", "lng", "long", "longitude", "x"],
  address: ["address", "full_address", "addr"],
  street: ["street", "addr:street", "street_name"],
  number: ["number", "addr:housenumber", "housenumber", "house_number"],
  city: ["city", "addr:city", "town"],
  postcode: ["postcode", "addr:postcode", "postal_code", "zip", "zip_code", "zipcode"],
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
  const [cityAt, postcodeAt] = [columnsOf("city"), columnsOf("postcode")]
  const rows: WrittenAddress[] = []
  for (const { cells } of table.rows) {
    const textOf = (at: number): string => cells[at] ?? ""
    const [latitude, longitude] = place.map((at) => numberIn(textOf(at), table) ?? Number.NaN)
    const address = written.map(textOf).join(" ").trim()
    if (latitude === undefined || longitude === undefined || address === "") continue
    if (!(Math.abs(latitude) <= SITE_LATITUDE_MAX && Math.abs(longitude) <= 180)) continue
    const [city, postcode] = [cityAt, postcodeAt].map((at) => (at ?? []).map(textOf).join(""))
    rows.push({ address, city: city ?? "", postcode: postcode ?? "", place: { latitude, longitude } })
  }
  return bookOfRows(table.file, rows)
}

export function bookOfRows(file: string, rows: Iterable<WrittenAddress>): AddressBook {
  const byKey = new Map<string, { address: string; doors: Known[] }>()
  const streets = new Set<string>()
  for (const { address, city, postcode, place } of rows) {
    const { street, rest } = addressWords(address)
    const key = keyOf(street)
    const known = byKey.get(key) ?? { address, doors: [] }
    byKey.set(key, known)
    streets.add(streetOf(street).join(" "))
    const cityWords = city === "" ? rest.filter(isName) : wordsOf(city)
    const shown = city === "" ? cityWords.join(" ") : city
    known.doors.push({ place, city: shown, cityWords, postcode: wordsOf(postcode) })
  }
  const book: Book = { file, byKey, streets }
  return { file, find: (text) => findIn(book, text) }
}

function findIn(book: Book, text: string): MissingAddress | { readonly doors: readonly KnownDoor[] } {
  const { street, rest } = addressWords(text)
  const { doors = [] } = book.byKey.get(keyOf(street)) ?? {}
  const there = doors.filter((door) => isThere(door, rest))
  const coded = there.filter(({ postcode }) => hasAll(rest, postcode))
  if (there.length > 0) return { doors: coded.length > 0 ? coded : there }
  if (doors.length > 0) return inAnotherCity(book, { text, doors })
  // A city may follow without a comma.
  for (let length = street.length - 1; length > 0; length -= 1) {
    const [own, more] = [street.slice(0, length), [...street.slice(length), ...rest]]
    const known = book.byKey.get(keyOf(own))?.doors.filter((door) => isNamed(door, more)) ?? []
    if (known.length > 0) return { doors: known }
  }
  return notThere(book, { text, street })
}

/** True also when the text names no place. */
function isThere(door: Known, rest: readonly string[]): boolean {
  if (isNamed(door, rest)) return true
  const { cityWords, postcode } = door
  const [code = ""] = postcode
  const isElsewhere = rest.some((word) => /^\d/.test(word) && word.length === code.length)
  return !isElsewhere && (cityWords.length === 0 || !rest.some(isName))
}

/** A postcode may be there without its city, and the city without a postcode. */
function isNamed({ cityWords, postcode }: Known, rest: readonly string[]): boolean {
  return hasAll(rest, postcode) || hasAll(rest, cityWords)
}

/** False of no words. */
function hasAll(text: readonly string[], words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => text.includes(word))
}

interface Asked {
  readonly text: string
  readonly doors: readonly Known[]
}

function inAnotherCity({ file }: Book, { text, doors }: Asked): MissingAddress {
  return {
    reason: `whose address ${file} has in another city`,
    about: () => `: ${JSON.stringify(text)}${citiesText(doors)}`,
  }
}

/** `, in Austin and Dallas`; nothing without a city. */
export function citiesText(doors: readonly KnownDoor[]): string {
  const cities = [...new Set(doors.map(({ city }) => city))].filter((city) => city !== "")
  return cities.length === 0 ? "" : `, in ${listed(cities.toSorted())}`
}

function notThere(
  { file, byKey, streets }: Book,
  { text, street }: { readonly text: string; readonly street: readonly string[] },
): MissingAddress {
  const name = streetOf(street)
  const lacksNumber = streets.has(name.join(" "))
  const why = lacksNumber
    ? name.length === street.length
      ? `whose address has no house number for ${file}`
      : `whose house number is not in its street in ${file}`
    : `whose address is not in ${file}`
  return {
    reason: why,
    about: () => {
      const found = nearest(keyOf(street), byKey.keys())
      const near = found === undefined ? undefined : byKey.get(found)?.address
      return `: ${JSON.stringify(text)}${near === undefined ? "" : `, nearest is ${JSON.stringify(near)}`}`
    },
  }
}
