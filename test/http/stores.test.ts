/** The store directory over the operations API's endpoints and a database, as the commands use it. */

import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { askManagement } from "../../src/apps/operations/http/management.ts"
import type { ManagementRequest } from "../../src/apps/operations/http/management.ts"
import { layerCallHoldControl } from "../../src/live/calls/call-hold.ts"
import { layerConnectorManagement } from "../../src/live/services/linking.ts"
import { layerManagement, layerQuietHost } from "../../src/live/services/management.ts"
import type { Environment } from "../../src/model/caller.ts"
import { layerStoreDirectory } from "../../src/areas/courier/store/stored-directory.ts"
import { layerBuiltInGeocoder } from "../../src/engine/services/geocoding/built-in-geocoder.ts"
import { StoreDirectory } from "../../src/areas/courier/directory/store-directory.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

const layers = Layer.mergeAll(
  layerManagement,
  layerCallHoldControl,
  layerConnectorManagement("tests"),
  layerStoreDirectory,
).pipe(Layer.provide(layerQuietHost), Layer.provide(layerBuiltInGeocoder), Layer.provide(layerCopiedPglite))
const runtime = ManagedRuntime.make(layers)

beforeAll(() => runtime.runtime())
afterAll(() => runtime.dispose())

async function ask(request: ManagementRequest, environment: Environment = "production"): Promise<unknown> {
  const asking = askManagement({ type: "operator", by: "ops", environment }, request)
  const answer = Effect.map(asking, ({ data }) => data)
  return runtime.runPromise(
    Effect.catchAll(answer, ({ code, problems }) => Effect.succeed({ code, problems })),
  )
}

const PATH = "/internal/v1/connector/stores"
const HEADER = "store_id,name,street,zip,latitude,longitude,categories,phone,hours,kitchen_starts"
const SOUP =
  "store_soup,Soup Café,1 Main Street,78758,30.4,-97.7,cafe,+15125550111,Daily 07:00-22:00,on_check_in"
const BREAD =
  "store_bread,Bread,2 Main Street,78758,30.41,-97.7,bakery,+15125550112,Daily 06:00-12:00,scheduled"

function importing(...lines: readonly string[]): Promise<unknown> {
  const csv = [HEADER, ...lines].join("\n")
  return ask({ method: "POST", path: `${PATH}/import`, body: { csv } })
}

const found = (name: string) =>
  runtime.runPromise(
    Effect.flatMap(StoreDirectory, (directory) =>
      directory.find({
        name,
        address: { street: "1 Main Street", zip: "78758" },
        place: { latitude: 30.4, longitude: -97.7 },
      }),
    ),
  )

test("an import adds, changes and leaves; the same file again changes nothing", async () => {
  expect(await importing(SOUP, BREAD)).toEqual({ import: { added: 2, changed: 0, unchanged: 0 } })
  expect(await importing(SOUP, BREAD)).toEqual({ import: { added: 0, changed: 0, unchanged: 2 } })
  expect(await importing(SOUP.replace("cafe,", "cafe bakery,"))).toEqual({
    import: { added: 0, changed: 1, unchanged: 0 },
  })
  expect(await ask({ method: "GET", path: PATH })).toMatchObject({
    stores: [{ store_id: "store_bread" }, { store_id: "store_soup", categories: "cafe bakery" }],
  })
})

test("a store that was imported is found by those who check, until it is removed", async () => {
  expect(await found("SOUP CAFE")).toMatchObject({ type: "found", store: { storeId: "store_soup" } })
  expect(await ask({ method: "GET", path: `${PATH}/store_soup` })).toMatchObject({
    store: { name: "Soup Café", hours: "Mon-Sun 07:00-22:00", lead_minutes: "20", stall_hint: "" },
  })
  expect(await ask({ method: "DELETE", path: `${PATH}/store_soup` })).toMatchObject({
    store: { store_id: "store_soup" },
  })
  expect(await found("Soup Café")).toMatchObject({ type: "unknown" })
  for (const method of ["GET", "DELETE"] as const) {
    expect(await ask({ method, path: `${PATH}/store_soup` })).toMatchObject({ code: "NOT_FOUND" })
  }
})

test("a check says what an import would do, by columns, and writes nothing", async () => {
  const check = (...lines: readonly string[]): Promise<unknown> =>
    ask({ method: "POST", path: `${PATH}/check`, body: { csv: [HEADER, ...lines].join("\n") } })
  const before = await ask({ method: "GET", path: PATH })
  const tea = SOUP.replace("store_soup", "store_tea")
  expect(await check(tea, BREAD.replace("06:00", "07:00"))).toEqual({
    check: {
      added: 1,
      changed: 1,
      unchanged: 0,
      changes: [
        { store_id: "store_tea", name: "Soup Café", change: "added", columns: [] },
        {
          store_id: "store_bread",
          name: "Bread",
          change: "changed",
          columns: [{ column: "hours", from: "Mon-Sun 06:00-12:00", to: "Mon-Sun 07:00-12:00" }],
        },
      ],
    },
  })
  expect(await check(BREAD)).toEqual({ check: { added: 0, changed: 0, unchanged: 1, changes: [] } })
  expect(await check(SOUP, BREAD.replace("78758", "7875"))).toMatchObject({
    code: "VALIDATION_ERROR",
    problems: [{ field: "line 3, zip" }],
  })
  expect(await ask({ method: "GET", path: PATH })).toEqual(before)
})

test("where one line is wrong nothing is written", async () => {
  expect(await importing(SOUP, BREAD.replace("78758", "7875"))).toEqual({
    code: "VALIDATION_ERROR",
    problems: [{ field: "line 3, zip", message: "must be a ZIP code of five digits" }],
  })
  expect(await ask({ method: "GET", path: PATH })).toMatchObject({ stores: [{ store_id: "store_bread" }] })
})

test("the sandbox host has no stores", async () => {
  expect(await ask({ method: "GET", path: PATH }, "sandbox")).toMatchObject({ code: "NOT_FOUND" })
})
