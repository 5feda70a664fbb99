/**
 * A geocoder with the search API of Nominatim, which can be self-hosted with OpenStreetMap's data, and which providers
 * such as LocationIQ offer with a key. Source: Nominatim manual, Search queries (structured query).
 *
 * A result that is larger than a street is too imprecise for a delivery and counts as not found.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Layer, Option, Schema } from "effect"
import {
  GEOCODER_TIMEOUT_MS,
  GEOCODINGS_MAX,
  ORGANIZATION_GEOCODINGS_MAX,
} from "../../model/values/limits.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { OwnerTurns } from "../../engine/services/owner-turns.ts"
import { besideDatabase } from "../../engine/services/presence.ts"
import type { Address, Located } from "../../engine/services/geocoding/geocoder.ts"
import { asking } from "./api-client.ts"
import type { ApiAnswer } from "./api-client.ts"

export interface NominatimOptions {
  /** Search URL, such as https://nominatim.example.com/search; its own query parameters come first. */
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
      const turns = new OwnerTurns({
        environmentMax: GEOCODINGS_MAX,
        organizationMax: ORGANIZATION_GEOCODINGS_MAX,
      })
      return {
        locate: (address, owner) =>
          // More requests would only queue at a service that is too slow; without room the caller is asked to retry later.
          Effect.map(
            besideDatabase(turns.soon(owner, locate(client, searchUrl(options, address)))),
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

/** Errors must show neither the URL nor the failure's own text: both contain a street and a key. */
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

/** LocationIQ's answer for an unknown address; any other 404 means a wrong path. */
const decodeNothing = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ error: Schema.Literal("Unable to geocode") })),
)

const Degrees = (most: number) => Schema.NumberFromString.pipe(Schema.between(-most, most))

const Found = Schema.Array(
  Schema.Struct({
    lat: Degrees(90),
    lon: Degrees(180),
    /** The size class of the found place; providers may leave it out. */
    place_rank: Schema.optional(Schema.Number),
  }),
)

const decodeFound = Schema.decodeUnknownOption(Schema.parseJson(Found))

/** Nominatim's rank of a street; houses and places have higher ranks, ZIP codes and towns lower ones. */
const STREET_RANK = 26

function placeIn([first]: typeof Found.Type): Located {
  if (first === undefined || (first.place_rank ?? STREET_RANK) < STREET_RANK) return { type: "unknown" }
  return { type: "found", place: { latitude: first.lat, longitude: first.lon } }
}
