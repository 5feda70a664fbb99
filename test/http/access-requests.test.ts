/** Requests for production access, as operations of production see and decide them. */

import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { HOUR_MS } from "../../src/model/values/time.ts"
import type { RequestedSite } from "../../src/model/site.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { PortalRows, ProfileRows } from "../../src/apps/portal/rows.ts"
import type { Account } from "../../src/apps/portal/rows.ts"
import { layerPortalRows } from "../../src/apps/portal/store/portal-sessions.ts"
import { accessReviews } from "../../src/apps/operations/http/reviews.ts"
import { OperatorAccounts } from "../../src/apps/operators/accounts.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { iso, makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const ID = "5b1c2d3e-0000-4000-8000-00000000000a"

/** An organization of the sandbox with a request. */
async function asked(api: Api, sites: readonly RequestedSite[] = []): Promise<string> {
  const organizationId = await api.makeOrganization({ environments: ["sandbox"] })
  const request = {
    requestId: ID,
    organizationId,
    requestedBy: "acc_1",
    requestedAtMs: api.now(),
    dueAtMs: api.now() + 24 * HOUR_MS,
    status: "pending" as const,
    decidedAtMs: null,
    decidedBy: null,
    reason: null,
    sites,
    siteIds: [],
  }
  await api.run(
    Effect.gen(function* () {
      const rows = yield* ProfileRows
      yield* (yield* ActorHost).run({
        name: "a test",
        locks: { key: "tests" },
        body: () => rows.insertRequest(request),
      })
    }).pipe(Effect.provide(ProfileRows.layer.pipe(Layer.provide(layerTables)))),
  )
  return organizationId
}

function environmentsOf(api: Api, organizationId: string): Promise<readonly string[]> {
  return api.run(
    Effect.map(
      Effect.flatMap(Organizations, (organizations) => organizations.list),
      (all) => all.find((one) => one.organizationId === organizationId)?.environments ?? [],
    ),
  )
}

const decision = `/access-requests/${ID}/decision`

test("B5: a request waits with its due time, and approval opens production, once", async () => {
  const api = await makeApi()
  const organizationId = await asked(api)
  const [waiting] = (await api.operate("GET", "/access-requests")).data["access_requests"] as object[]
  const dueAt = iso(api.now() + 24 * HOUR_MS)
  expect(waiting).toMatchObject({ request_id: ID, status: "pending", due_at: dueAt, is_overdue: false })
  await api.advance(25 * HOUR_MS)
  const overdue = await api.operate("GET", "/access-requests")
  expect(overdue.data["access_requests"]).toMatchObject([{ request_id: ID, is_overdue: true }])
  const approved = await api.operate("PUT", decision, { body: { is_approved: true, decided_by: "Grace" } })
  expect(approved).toMatchObject({
    status: 200,
    data: { access_request: { status: "approved", decided_by: "Grace" } },
  })
  expect(await environmentsOf(api, organizationId)).toContain("production")
  expect((await api.operate("GET", "/access-requests")).data["access_requests"]).toEqual([])
  expect((await api.operate("PUT", decision, { body: { is_approved: false } })).code).toBe("INVALID_STATE")
})

test("B5: approval makes the sites that were asked for; operations give them area and price", async () => {
  const api = await makeApi()
  const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
  const wanted = { address, timezone: "America/Chicago", expected_deliveries_per_day: 40 }
  const lost = { ...address, street: "1 Nowhere", zip: "00000" }
  const organizationId = await asked(api, [
    { name: "North", ...wanted },
    { name: "Off the map", ...wanted, address: lost },
    {
      name: "West",
      address: { street: "1600 Broadway", city: "Denver", state: "CO", zip: "80202" },
      expected_deliveries_per_day: 5,
    },
  ])
  const [waiting] = (await api.operate("GET", "/access-requests")).data["access_requests"] as object[]
  expect(waiting).toMatchObject({
    sites: [{ name: "North", ...wanted }, { name: "Off the map" }, { name: "West" }],
  })
  expect((await api.operate("PUT", decision, { body: { is_approved: true } })).status).toBe(200)
  const own = async () =>
    (
      (await api.operate("GET", "/delivery-sites?limit=100")).data["delivery_sites"] as readonly Record<
        string,
        unknown
      >[]
    )
      .filter((site) => site["organization_id"] === organizationId)
      .toSorted((one, other) => (String(one["name"]) < String(other["name"]) ? -1 : 1))
  const [north, off, west] = await own()
  const made = { timezone: "America/Chicago", is_active: true, is_configured: false, area: null }
  expect(north).toMatchObject({ ...made, name: "North", address, latitude: expect.any(Number) as number })
  expect(off).toMatchObject({ ...made, name: "Off the map", address: lost, latitude: null })
  // It named no time zone, so it has that of its address.
  expect(west).toMatchObject({ name: "West", timezone: "America/Denver" })
  const body = { reach_km: 10, delivery_price_cents: 700 }
  const path = `/delivery-sites/${String(north?.["site_id"])}`
  expect((await api.operate("PATCH", path, { body })).data["delivery_site"]).toMatchObject({
    is_configured: true,
    delivery_price_cents: 700,
  })
})

test("B5: a declined request has its reason, and production stays closed", async () => {
  const api = await makeApi()
  const organizationId = await asked(api)
  const declined = await api.operate("PUT", decision, {
    body: { is_approved: false, reason: "No insurance" },
  })
  expect(declined.data["access_request"]).toMatchObject({ status: "declined", reason: "No insurance" })
  expect(await environmentsOf(api, organizationId)).toEqual(["sandbox"])
})

test("B5: a body without an answer, and the sandbox's operations, are refused", async () => {
  const api = await makeApi({ environment: "sandbox" })
  expect((await api.operate("GET", "/access-requests")).code).toBe("PERMISSION_DENIED")
  expect((await api.operate("PUT", decision, { body: { is_approved: true } })).code).toBe("PERMISSION_DENIED")
  expect((await api.operate("PUT", decision, { body: {} })).code).toBe("VALIDATION_ERROR")
})

test("an operator who is a member of the organization may not decide on it; another may", async () => {
  const api = await makeApi()
  const organizationId = await asked(api)
  const member: Account = {
    accountId: "account_1",
    organizationId,
    role: "member",
    email: "ana@operations.example",
    name: "Ana",
    passwordHash: "unused",
    createdAtMs: api.now(),
  }
  const insert = Effect.flatMap(Effect.all([ActorHost, PortalRows]), ([host, rows]) =>
    host.run({ name: "a test", locks: {}, body: () => rows.insertAccount(member) }),
  )
  await api.run(Effect.provide(insert, layerPortalRows))
  const operators = Effect.flatMap(OperatorAccounts, (accounts) =>
    Effect.forEach(["ana@operations.example", "kim@operations.example"], (email) =>
      accounts.make({ email, name: email, role: "manager", siteIds: null }),
    ),
  )
  const [ana, kim] = await api.run(operators)
  const decideAs = (accountId: string | undefined) => {
    const caller = { type: "operator", by: "ops", environment: "production" } as const
    const ask = {
      caller: { ...caller, ...(accountId === undefined ? {} : { accountId }) },
      id: ID,
      parts: { id: ID },
      query: {},
      header: () => undefined,
      body: { bytes: new TextEncoder().encode('{"is_approved":true,"decided_by":"Grace"}'), isJson: true },
    }
    const endpoint = accessReviews.find(({ operationId }) => operationId === "decideAccessRequest")
    if (endpoint === undefined) throw new Error("there is no such endpoint")
    return api.run(Effect.either(endpoint.handle(ask)))
  }
  expect(await decideAs(ana?.operator.accountId)).toMatchObject({
    left: { code: "PERMISSION_DENIED", detail: expect.stringContaining("you are a member") as string },
  })
  expect(await environmentsOf(api, organizationId)).not.toContain("production")
  // The account's name is noted, and not the one in the request.
  expect(await decideAs(kim?.operator.accountId)).toMatchObject({
    right: { data: { access_request: { status: "approved", decided_by: "kim@operations.example" } } },
  })
})

test("the history of decisions, the latest first, with the organization's name", async () => {
  const api = await makeApi()
  const organizationId = await asked(api)
  const decided = "/access-requests?status=decided"
  expect((await api.operate("GET", decided)).data["access_requests"]).toEqual([])
  await api.operate("PUT", decision, {
    body: { is_approved: false, reason: "No insurance", decided_by: "Lee" },
  })
  const [first] = (await api.operate("GET", decided)).data["access_requests"] as Record<string, unknown>[]
  expect(first).toMatchObject({ request_id: ID, organization_id: organizationId, status: "declined" })
  expect(first).toMatchObject({ decided_by: "Lee", reason: "No insurance", decided_at: iso(api.now()) })
  expect(first?.["organization_name"]).toEqual(expect.stringMatching(/./))
  expect((await api.operate("GET", "/access-requests?status=late")).code).toBe("VALIDATION_ERROR")
})

test("a request is read with its seven steps: what is done with what, and what is missing", async () => {
  const api = await makeApi()
  const organizationId = await asked(api)
  await api.makeKey({ organizationId, environment: "sandbox" })
  const read = await api.operate("GET", `/access-requests/${ID}`)
  expect(read.status).toBe(200)
  const request = read.data["access_request"] as Record<string, unknown>
  // The organization has no accounts.
  expect(request).toMatchObject({ request_id: ID, status: "pending", asked_by: null })
  const steps = request["steps"] as Record<string, unknown>[]
  expect(steps.map(({ step, is_done: isDone }) => [step, isDone])).toEqual([
    ["organization_profile", false],
    ["sandbox_key", true],
    ["sandbox_site", false],
    ["sandbox_webhook", false],
    ["sandbox_quote", false],
    ["sandbox_delivery", false],
    ["webhook_acknowledged", false],
  ])
  expect(steps[1]?.["evidence"]).toMatch(/^….{4}: /)
  expect(steps[2]).toMatchObject({ evidence: null, hint: "There is no site in the sandbox." })
  expect((await api.operate("GET", "/access-requests/unknown")).code).toBe("NOT_FOUND")
})
