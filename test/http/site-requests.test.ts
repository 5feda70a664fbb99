/** Requests to change sites, as operations of production see and close them. */

import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { SiteRequestRows } from "../../src/apps/portal/site-requests.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const ID = "5b1c2d3e-0000-4000-8000-00000000000b"

async function asked(api: Api): Promise<void> {
  const request = {
    requestId: ID,
    organizationId: "org_one",
    siteId: "site_1",
    requestedBy: "acc_1",
    text: "Move the stalls.",
    status: "open",
    requestedAtMs: api.now(),
    closedAtMs: null,
    answer: null,
  } as const
  await api.run(
    Effect.gen(function* () {
      const rows = yield* SiteRequestRows
      const host = yield* ActorHost
      yield* host.run({ name: "a test", locks: {}, body: () => rows.insert(request) })
    }).pipe(Effect.provide(SiteRequestRows.layer.pipe(Layer.provide(layerTables)))),
  )
}

test("a request waits until it is closed with an answer, once", async () => {
  const api = await makeApi()
  await asked(api)
  const list = async () => (await api.operate("GET", "/site-requests")).data["site_requests"]
  expect(await list()).toMatchObject([{ request_id: ID, site_id: "site_1", text: "Move the stalls." }])
  const answer = `/site-requests/${ID}/answer`
  const long = await api.operate("PUT", answer, { body: { answer: "x".repeat(2_001) } })
  expect(long).toMatchObject({ status: 400, code: "VALIDATION_ERROR" })
  const closed = await api.operate("PUT", answer, { body: { answer: "Done." } })
  expect(closed.data["site_request"]).toMatchObject({ status: "closed", answer: "Done." })
  expect(await list()).toEqual([])
  expect(await api.operate("PUT", answer)).toMatchObject({ status: 409, code: "INVALID_STATE" })
  const unknown = await api.operate("PUT", "/site-requests/none/answer")
  expect(unknown).toMatchObject({ status: 404, code: "NOT_FOUND" })
})
