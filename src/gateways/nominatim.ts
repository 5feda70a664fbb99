/**
 * A geocoder that speaks the search API of Nominatim, which anyone may run over OpenStreetMap's data, and which hosts such as
 * LocationIQ offer under a key. Source: Nominatim manual, Search queries (structured query).
 *
 * What it finds for less than a street is no place to deliver to, and counts as not found.
 */

import { Effect, Layer, Option, Schema } from "effect"
import { GEOCODER_TIMEOUT_MS, GEOCODINGS_MAX } from "../model/limits.ts"
import { Geocoder } from "../services/geocoding/geocoder.ts"
import type { Address, Located } from "../services/geocoding/geocoder.ts"
import { textOf } from "./bounded-answer.ts"

export interface NominatimOptions {
  /** Of the search, such as https://nominatim.example.com/search; what its query says is sent along and goes first. */
  readonly url: string
  /** Sent as the parameter `key`. */
  readonly key: string | null
}

export function layerNominatim(options: NominatimOptions): Layer.Layer<Geocoder> {
  return Layer.sync(Geocoder, () => {
    let inFlight = 0
    const locate = async (address: Address): Promise<Located> => {
      // More would only queue behind a service that does not keep up; the caller is told to come again.
      if (inFlight >= GEOCODINGS_MAX) return UNAVAILABLE
      inFlight += 1
      try {
        return await ask(searchUrl(options, address))
      } catch {
        // Neither the URL nor what went wrong with it may be told: it holds a street and a key.
        return UNAVAILABLE
      } finally {
        inFlight -= 1
      }
    }
    return { locate: (address) => Effect.promise(() => locate(address)) }
  })
}

const UNAVAILABLE: Located = { type: "unavailable" }

function searchUrl({ url, key }: NominatimOptions, { street, city, state, zip }: Address): string {
  const search = new URL(url)
  const asked = {
    street,
    city,
    state,
    postalcode: zip,
    countrycodes: "us",
    format: "jsonv2",
    limit: "1",
    ...(key === null ? {} : { key }),
  }
  for (const [name, value] of Object.entries(asked)) {
    if (!search.searchParams.has(name)) search.searchParams.set(name, value)
  }
  return search.href
}

async function ask(url: string): Promise<Located> {
  const answer = await fetch(url, {
    headers: { Accept: "application/json", "User-Agent": "Curbline/1" },
    redirect: "error",
    signal: AbortSignal.timeout(GEOCODER_TIMEOUT_MS),
  })
  const text = await textOf(answer)
  if (answer.status === 404 && Option.isSome(decodeNothing(text))) return { type: "unknown" }
  const found = answer.status === 200 ? Option.getOrNull(decodeFound(text)) : null
  return found === null ? UNAVAILABLE : placeIn(found)
}

/** How LocationIQ says that there is no such address; any other 404 is a wrong path. */
const decodeNothing = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ error: Schema.Literal("Unable to geocode") })),
)

const Degrees = (most: number) => Schema.NumberFromString.pipe(Schema.between(-most, most))

const Found = Schema.Array(
  Schema.Struct({
    lat: Degrees(90),
    lon: Degrees(180),
    /** How small the thing is that was found; hosts may leave it out. */
    place_rank: Schema.optional(Schema.Number),
  }),
)

const decodeFound = Schema.decodeUnknownOption(Schema.parseJson(Found))

/** A street, by Nominatim's ranks; houses and places are above it, ZIP codes and towns below. */
const STREET_RANK = 26

function placeIn([first]: typeof Found.Type): Located {
  if (first === undefined || (first.place_rank ?? STREET_RANK) < STREET_RANK) return { type: "unknown" }
  return { type: "found", place: { latitude: first.lat, longitude: first.lon } }
}
