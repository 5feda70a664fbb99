/**
 * A geocoder that speaks the search API of Nominatim, which anyone may run over OpenStreetMap's data, and which hosts such as
 * LocationIQ offer under a key. Source: Nominatim manual, Search queries (structured query).
 *
 * What it finds for less than a street is no place to deliver to, and counts as not found.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Layer, Option, Schema } from "effect"
import { GEOCODER_TIMEOUT_MS, GEOCODINGS_MAX } from "../model/limits.ts"
import { Geocoder } from "../services/geocoding/geocoder.ts"
import type { Address, Located } from "../services/geocoding/geocoder.ts"
import { asking } from "./api-client.ts"
import type { ApiAnswer } from "./api-client.ts"

export interface NominatimOptions {
  /** Of the search, such as https://nominatim.example.com/search; what its query says is sent along and goes first. */
  readonly url: string
  /** Sent as the parameter `key`. */
  readonly key: string | null
}

export function layerNominatim(
  options: NominatimOptions,
): Layer.Layer<Geocoder, never, HttpClient.HttpClient> {
  return Layer.effect(
    Geocoder,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const places = yield* Effect.makeSemaphore(GEOCODINGS_MAX)
      return {
        locate: (address) =>
          // More would only queue behind a service that does not keep up; the caller is asked to come again.
          Effect.map(
            places.withPermitsIfAvailable(1)(locate(client, searchUrl(options, address))),
            Option.getOrElse(() => UNAVAILABLE),
          ),
      }
    }),
  )
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

/** Errors must not show the URL or the failure's own text: both hold a street and a key. */
function locate(client: HttpClient.HttpClient, url: string): Effect.Effect<Located> {
  const request = HttpClientRequest.get(url).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.setHeader("User-Agent", "Curbline/1"),
  )
  const read = (answer: ApiAnswer) => Effect.map(answer.text, (text) => locatedIn(answer.status, text))
  return Effect.orElseSucceed(
    asking(client, request, { timeoutMs: GEOCODER_TIMEOUT_MS, read }),
    () => UNAVAILABLE,
  )
}

function locatedIn(status: number, text: string): Located {
  if (status === 404 && Option.isSome(decodeNothing(text))) return { type: "unknown" }
  const found = status === 200 ? Option.getOrNull(decodeFound(text)) : null
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
