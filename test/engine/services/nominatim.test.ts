/** The geocoder over HTTP against a stand-in on the loopback, with answers of Nominatim and LocationIQ. */

import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { layerApiClient } from "../../../src/live/gateways/api-client.ts"
import { layerNominatim } from "../../../src/live/gateways/nominatim.ts"
import { Geocoder } from "../../../src/engine/services/geocoding/geocoder.ts"
import type { Located } from "../../../src/engine/services/geocoding/geocoder.ts"

const ADDRESS = { street: "1100 Congress Ave", city: "Austin", state: "TX", zip: "78701" }
const CAPITOL = { lat: "30.2746652", lon: "-97.7403505", place_rank: 30, display_name: "Texas State Capitol" }

let server: Server
const asked: URL[] = []
const answer = { status: 200, body: "[]" }

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "", "http://stand-in"))
    response.writeHead(answer.status, { "content-type": "application/json", location: "http://127.0.0.1:1/" })
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function locate(path = "/search", key: string | null = null): Promise<Located> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const asking = Effect.flatMap(Geocoder, (geocoder) => geocoder.locate(ADDRESS))
  return Effect.runPromise(
    Effect.provide(asking, Layer.provide(layerNominatim({ url, key }), layerApiClient)),
  )
}

test("asks for one address by its parts, and takes the place that is found", async () => {
  Object.assign(answer, { status: 200, body: JSON.stringify([CAPITOL]) })
  const place = { latitude: 30.2746652, longitude: -97.7403505 }
  expect(await locate()).toEqual({ type: "found", place })
  expect(asked.at(-1)?.pathname).toBe("/search")
  expect(Object.fromEntries(asked.at(-1)?.searchParams ?? [])).toEqual({
    street: "1100 Congress Ave",
    city: "Austin",
    state: "TX",
    postalcode: "78701",
    countrycodes: "us",
    format: "jsonv2",
    limit: "1",
  })
})

test("a key goes along, and what the configured URL says goes first", async () => {
  await locate("/v1/search?countrycodes=us,ca&normalizeaddress=1", "pk.1")
  const sent = asked.at(-1)?.searchParams
  expect([sent?.get("key"), sent?.get("countrycodes"), sent?.get("normalizeaddress")]).toEqual([
    "pk.1",
    "us,ca",
    "1",
  ])
})

test.each<[string, number, string, Located["type"]]>([
  ["nothing found", 200, "[]", "unknown"],
  ["a town, where a street was asked for", 200, JSON.stringify([{ ...CAPITOL, place_rank: 16 }]), "unknown"],
  ["a host that leaves ranks out", 200, JSON.stringify([{ lat: "30.1", lon: "-97.1" }]), "found"],
  ["a host's own way to say nothing was found", 404, '{"error":"Unable to geocode"}', "unknown"],
  ["a wrong path", 404, "<h1>Not found</h1>", "unavailable"],
  ["a wrong key", 401, '{"error":"Invalid key"}', "unavailable"],
  ["too many requests", 429, "{}", "unavailable"],
  ["a fault", 500, "[]", "unavailable"],
  ["a redirect, which is not followed", 302, "", "unavailable"],
  ["something else than JSON", 200, "<html>", "unavailable"],
  ["a place off the map", 200, JSON.stringify([{ lat: "91", lon: "0" }]), "unavailable"],
  ["more than is read", 200, `[${" ".repeat(70_000)}]`, "unavailable"],
])("%s", async (_, status, body, type) => {
  Object.assign(answer, { status, body })
  expect((await locate()).type).toBe(type)
})

test("a service that is not there", async () => {
  const asking = Effect.flatMap(Geocoder, (geocoder) => geocoder.locate(ADDRESS))
  const there = { url: "http://127.0.0.1:1/search", key: null }
  const nowhere = Layer.provide(layerNominatim(there), layerApiClient)
  expect(await Effect.runPromise(Effect.provide(asking, nowhere))).toEqual({ type: "unavailable" })
})
