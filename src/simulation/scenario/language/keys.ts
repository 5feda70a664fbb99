/** The keys of a written map: which are known, which are missing. */

import type { Advice, Report, Span } from "./problems.ts"
import { isShownWhole, listedBy, nearest, shown } from "./problems.ts"
import type { Written, WrittenEntry, WrittenList, WrittenMap } from "./source.ts"

export interface KnownKeys {
  /** What the keys belong to, as in `arguments of reservation.create`. */
  readonly of: string
  /** The word of the scenario language whose description lists the keys. */
  readonly word?: string
  readonly known: readonly string[]
  readonly required?: readonly string[]
  /** The meaning of a required key, in words. */
  readonly meanings?: { readonly [key: string]: string }
  /** Where a missing key is reported; the map itself by default. */
  readonly missingAt?: Span
}

/** Field names of the service's requests for which scenarios have other words. */
const REQUEST_NAMES: ReadonlyMap<string, string> = new Map([
  ["payload_limit", "max_weight_kg"],
  ["zone_id", "zone"],
  ["retailer_id", "retailer"],
  ["arrival_window_start", "window"],
  ["arrival_window_end", "window"],
  ["subscribed_events", "events"],
  ["reason_code", "code"],
])

/** The known key that was probably meant. */
function meantKey(written: string, known: readonly string[]): string | undefined {
  const said = REQUEST_NAMES.get(written)
  const [, key = "", value = ""] = /^([a-z_]+):(\S.*)$/.exec(written) ?? []
  if (known.includes(key)) return `${key}: ${value}`
  return said !== undefined && known.includes(said) ? said : nearest(written, known)
}

export type Entries = ReadonlyMap<string, WrittenEntry>

/** The known keys that are present; unknown and missing ones are reported. */
export function readKeys(map: WrittenMap, keys: KnownKeys, report: Report): Entries {
  const entries = new Map<string, WrittenEntry>()
  for (const entry of map.entries) {
    if (keys.known.includes(entry.key)) entries.set(entry.key, entry)
    else reportUnknownKey(entry, keys, report)
  }
  for (const key of keys.required ?? []) {
    const isMisspelled = map.entries.some(
      (entry) => !entries.has(entry.key) && meantKey(entry.key, [key]) === key,
    )
    if (entries.has(key) || isMisspelled) continue
    report(keys.missingAt ?? map.span, `the key ${JSON.stringify(key)} is missing`, {
      expected: keys.meanings?.[key] ?? expectedKeys(keys),
    })
  }
  return entries
}

export function reportUnknownKey(entry: WrittenEntry, keys: KnownKeys, report: Report): void {
  const missing = keys.known.filter((key) => key !== entry.key)
  const suggestion = meantKey(entry.key, missing)
  const advice: Advice = { expected: expectedKeys(keys), ...listingHelp(keys) }
  const message = `unknown key ${JSON.stringify(entry.key)}`
  report(entry.keySpan, message, suggestion === undefined ? advice : { ...advice, suggestion })
}

/** The command that lists the keys, where there are too many to show. */
function listingHelp({ word, known }: KnownKeys): Pick<Advice, "help"> {
  return word === undefined || isShownWhole(known) ? {} : { help: listedBy(word) }
}

function expectedKeys({ of, known, required }: KnownKeys): string {
  if (known.length === 0) return `nothing: ${of} takes no keys`
  const marked = known.map((key) => (required?.includes(key) === true ? `${key} (required)` : key))
  return `${of}: ${shown(marked)}`
}

/** The value as a map, reported when it is something else. */
export function asMap(value: Written, expected: string, report: Report): WrittenMap | null {
  if (value.type === "map") return value
  report(value.span, `${found(value)} where a map should be`, { expected })
  return null
}

/** The value as a list, reported when it is something else. */
export function asList(value: Written, expected: string, report: Report): WrittenList | null {
  if (value.type === "list") return value
  report(value.span, `${found(value)} where a list should be`, { expected })
  return null
}

/** The value as non-empty text, reported when it is something else. */
export function asText(value: Written, expected: string, report: Report): string | null {
  if (value.type === "scalar" && typeof value.value === "string" && value.value.trim() !== "")
    return value.value
  report(value.span, `${found(value)} where text should be`, { expected, ...quoteHelp(value) })
  return null
}

/** `help` for a number or boolean that was meant as text. */
export function quoteHelp(value: Written): { readonly help?: string } {
  const isBare = value.type === "scalar" && value.value !== null && typeof value.value !== "string"
  return isBare ? { help: `write it in quotes: "${value.text}"` } : {}
}

/** What is written there, in words. */
export function found(value: Written): string {
  if (value.type === "list") return value.items.length === 0 ? "an empty list" : "a list"
  if (value.type === "map") return "a map"
  if (value.value === null) return value.text === "" ? "nothing" : "null"
  if (typeof value.value === "string") return value.value === "" ? "empty text" : JSON.stringify(value.value)
  return value.text
}
