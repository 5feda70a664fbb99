/** The geocoder over HTTP against a stand-in on the loopback, with answers of Nominatim and LocationIQ. */

import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber, Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { layerApiClient } from "../../../src/live/gateways/api-client.ts"
import { layerNominatim } from "../../../src/live/gateways/nominatim.ts"
import { Geocoder } from "../../../src/engine/services/geocoding/geocoder.ts"
import type { Located } from "../../../src/engine/services/geocoding/geocoder.ts"

const ADDRESS = { street: "1100 Congress Ave", city: "Austin", state: "TX", zip: "78701" }
const OWNER = { environment: "production", organizationId: "org_1" } as const
const CAPITOL = { lat: "30.2746652", lon: "-97.7403505", place_rank: 30, display_name: "Texas State Capitol" }

/** An address to which no answer comes. */
const SILENT = { ...ADDRESS, street: "1 Silent Street" }

let server: Server
const asked: URL[] = []
const answer = { status: 200, body: "[]" }

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://stand-in")
    asked.push(url)
    if (url.searchParams.get("street") === SILENT.street) return
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
  const asking = Effect.flatMap(Geocoder, (geocoder) => geocoder.locate(ADDRESS, OWNER))
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

test("one organization has ten look-ups at once, a further one waits, and its slow ones delay no other", async () => {
  Object.assign(answer, { status: 200, body: JSON.stringify([CAPITOL]) })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`
  const before = asked.length
  const types = Effect.gen(function* () {
    const { locate: found } = yield* Geocoder
    const silent = yield* Effect.fork(
      Effect.forEach(Array.from({ length: 10 }), () => found(SILENT, OWNER), { concurrency: "unbounded" }),
    )
    yield* Effect.promise(async () => {
      await expect.poll(() => asked.length).toBe(before + 10)
    })
    const waiting = yield* Effect.fork(found(ADDRESS, OWNER))
    const another = yield* found(ADDRESS, { ...OWNER, organizationId: "org_2" })
    const inSandbox = yield* found(ADDRESS, { ...OWNER, environment: "sandbox" })
    expect(asked.length).toBe(before + 12)
    yield* Fiber.interrupt(silent)
    const own = yield* Fiber.join(waiting)
    return [another, inSandbox, own].map(({ type }) => type)
  })
  const geocoder = Layer.provide(layerNominatim({ url, key: null }), layerApiClient)
  expect(await Effect.runPromise(Effect.provide(types, geocoder))).toEqual(["found", "found", "found"])
})

test("a service that is not there", async () => {
  const asking = Effect.flatMap(Geocoder, (geocoder) => geocoder.locate(ADDRESS, OWNER))
  const there = { url: "http://127.0.0.1:1/search", key: null }
  const nowhere = Layer.provide(layerNominatim(there), layerApiClient)
  expect(await Effect.runPromise(Effect.provide(asking, nowhere))).toEqual({ type: "unavailable" })
})
