/** Roles and sites of operators: every operation has a least role, and what is at other sites does not exist. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OPERATOR_ROLES } from "../../src/model/caller.ts"
import type { OperatorRole } from "../../src/model/caller.ts"
import {
  ACCOUNT_ENDPOINTS,
  ENDPOINTS,
  PRODUCTION_ENDPOINTS,
} from "../../src/apps/operations/http/endpoints.ts"
import { operationsOf } from "../../src/apps/operations/http/allowed-operations.ts"
import { rightOf } from "../../src/apps/operations/permitted.ts"
import { operationsDocument } from "../../src/apps/operations/http/plugin.ts"
import { withoutPeople } from "../../src/apps/operations/http/people.ts"
import { RIGHTS } from "../../src/apps/operations/rights.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { makeApi } from "./api.ts"
import type { Api } from "./api.ts"
import type { Document } from "./document.ts"

const [EAST, WEST] = ["7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21", "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"]

const ALL = [...ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS]

/** Served beside the endpoints: a stream, files, and a long answer with a validator. */
const BESIDE = ["exportCharges", "exportOperatorActions", "followSite", "readSiteDay"]

function tokenOf(api: Api, role: OperatorRole, siteIds: readonly string[] | null = null): Promise<string> {
  const wanted = { environment: "production", label: role, role, siteIds } as const
  return api.run(
    Effect.map(
      Effect.flatMap(OperatorTokens, (tokens) => tokens.make(wanted)),
      ({ value }) => value,
    ),
  )
}

describe("rights of operators", () => {
  test("every operation has a least role and a rule for sites, and no other is listed", () => {
    const served = ALL.map(({ operationId }) => operationId)
    expect(Object.keys(RIGHTS).toSorted()).toEqual([...served, ...BESIDE].toSorted())
  })

  test("an operator may call what role, sites and host allow: pages show no other operation", () => {
    const may = (role: OperatorRole, siteIds: readonly string[] | null = null) =>
      new Set(operationsOf({ type: "operator", by: "ops", environment: "production", role, siteIds }))
    const viewer = may("viewer")
    expect([viewer.has("listStores"), viewer.has("changeSite")]).toEqual([true, false])
    const ofSite = may("manager", [EAST])
    expect([ofSite.has("changeStall"), ofSite.has("listCharges")]).toEqual([true, true])
    expect([ofSite.has("addSite"), ofSite.has("addRetailer"), ofSite.has("listStores")]).toEqual([
      false,
      false,
      false,
    ])
    const everything = ALL.map(({ operationId }) => operationId)
    expect([...may("admin")].toSorted()).toEqual([...everything, ...BESIDE].toSorted())
    const sandbox = operationsOf({ type: "operator", by: "ops", environment: "sandbox" })
    const ofProduction = [...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS].map(({ operationId }) => operationId)
    expect(sandbox.filter((id) => ofProduction.includes(id))).toEqual([])
    expect(sandbox.length).toBe(everything.length + BESIDE.length - ofProduction.length)
  })

  test("each role reads what the role before it reads; changes need a dispatcher at least", () => {
    const methodOf = new Map(ALL.map(({ operationId, method }) => [operationId, method]))
    const changesOfViewers = Object.entries(RIGHTS).filter(
      ([id, { role }]) => role === "viewer" && (methodOf.get(id) ?? "GET") !== "GET",
    )
    expect(changesOfViewers).toEqual([])
    const admin = Object.entries(RIGHTS).filter(([, { role }]) => role === "admin")
    expect(admin.map(([id]) => id)).toEqual(
      expect.arrayContaining([
        "makeOperator",
        "makeOperatorToken",
        "makeApiKey",
        "releaseCalls",
        "listMessages",
      ]),
    )
  })

  test("each role may do what its operations need, and gets PERMISSION_DENIED with the role that is needed otherwise", async () => {
    const api = await makeApi()
    const id = await api.book()
    const asked = async (role: OperatorRole) => {
      const key = await tokenOf(api, role)
      const at = (method: string, path: string, body?: object) =>
        api.call(method, `/internal/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
      return [
        (await at("GET", `/sites/${EAST}/board`)).status,
        (await at("POST", `/reservations/${id}/contact`)).status,
        (await at("PATCH", `/sites/${EAST}`, { name: "East" })).status,
        (await at("GET", "/audit-log")).status,
      ]
    }
    const answers = Object.fromEntries(
      await Promise.all(OPERATOR_ROLES.map(async (role) => [role, await asked(role)] as const)),
    )
    expect(answers).toEqual({
      viewer: [200, 403, 403, 403],
      dispatcher: [200, 200, 403, 403],
      manager: [200, 200, 200, 403],
      admin: [200, 200, 200, 200],
    })
    const key = await tokenOf(api, "viewer")
    const denied = await api.call("POST", `/internal/v1/reservations/${id}/contact`, { key })
    expect(denied).toMatchObject({ status: 403, code: "PERMISSION_DENIED" })
    expect(denied.body["error"]).toContain("your role is viewer; this needs dispatcher")
    const log = await api.operate("GET", "/audit-log?limit=5")
    const actions = log.data["actions"] as readonly { readonly action: string; readonly outcome: string }[]
    expect(actions[0]).toMatchObject({
      actor_type: "token",
      actor: "viewer",
      action: "showContact",
      subject_id: id,
      outcome: "PERMISSION_DENIED",
    })
    expect(actions.some(({ action, outcome }) => action === "changeSite" && outcome === "done")).toBe(true)
  })

  test("an operator of one site finds neither the board, the reservation nor the row of another", async () => {
    const api = await makeApi()
    const id = await api.book({ order_number: "SITE-1" })
    const asked = async (siteId: string) => {
      const key = await tokenOf(api, "manager", [siteId])
      const at = (path: string) => api.call("GET", `/internal/v1${path}`, { key })
      const sites = await at("/sites")
      const found = await at("/search?q=SITE-1")
      return {
        board: (await at(`/sites/${EAST}/board`)).status,
        stream: (
          await api.app.inject({
            url: `/internal/v1/sites/${siteId === EAST ? WEST : EAST}/stream`,
            headers: { authorization: `Bearer ${key}` },
          })
        ).statusCode,
        reservation: (await at(`/reservations/${id}`)).status,
        sites: (sites.data["sites"] as readonly { readonly site_id: string }[]).map((one) => one.site_id),
        found: (found.data["results"] as readonly object[]).length,
        organizations: (await at("/organizations")).status,
      }
    }
    expect(await asked(EAST)).toEqual({
      board: 200,
      stream: 404,
      reservation: 200,
      sites: [EAST],
      found: 1,
      organizations: 403,
    })
    expect(await asked(WEST)).toEqual({
      board: 404,
      stream: 404,
      reservation: 404,
      sites: [WEST],
      found: 0,
      organizations: 403,
    })
  })

  test("an operator of one site sees its stalls and supported retailers, changes them, and finds none of another", async () => {
    const api = await makeApi()
    const key = await tokenOf(api, "manager", [EAST])
    const at = (method: string, path: string, body?: object) =>
      api.call(method, `/internal/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
    const zonesIn = async (path: string, rows: string): Promise<readonly string[]> => {
      const { status, data } = await at("GET", path)
      expect([path, status]).toEqual([path, 200])
      const found = data[rows] as readonly { readonly zone_id: string }[]
      return [...new Set(found.map(({ zone_id: id }) => id))].toSorted()
    }
    expect(await zonesIn("/stalls", "stalls")).toEqual(["zone_alone", "zone_asleep", "zone_curb"])
    expect(await zonesIn("/offers", "offers")).toEqual([
      "zone_alone",
      "zone_asleep",
      "zone_bare",
      "zone_curb",
    ])
    expect(await zonesIn("/stalls?zone_id=zone_ungranted", "stalls")).toEqual([])
    // What follows the first row of a page is of the operator's sites as well.
    const first = await at("GET", "/stalls?limit=1")
    expect((first.data["stalls"] as readonly object[]).length).toBe(1)

    const own = [
      await at("POST", "/stalls", { zone_id: "zone_bare", label: "N1" }),
      await at("PATCH", "/stalls/stall_b", { label: "A9" }),
      await at("POST", "/zones", { site_id: EAST, name: "New" }),
      await at("PATCH", "/zones/zone_bare", { has_runner: false }),
      await at("PUT", "/zones/zone_bare/retailers/retailer_baker"),
      await at("DELETE", "/zones/zone_bare/retailers/retailer_baker"),
    ]
    expect(own.map(({ status }) => status)).toEqual([201, 200, 201, 200, 200, 200])
    const foreign = [
      await at("POST", "/stalls", { zone_id: "zone_ungranted", label: "N1" }),
      await at("PATCH", "/stalls/zone_ungranted_1", { label: "A9" }),
      await at("PATCH", "/stalls/stall_unknown", { label: "A9" }),
      await at("POST", "/zones", { site_id: WEST, name: "New" }),
      await at("PATCH", "/zones/zone_ungranted", { has_runner: false }),
      await at("PUT", "/zones/zone_ungranted/retailers/retailer_baker"),
      await at("DELETE", "/zones/zone_ungranted/retailers/retailer_florist"),
    ]
    expect(foreign.map(({ code }) => code)).toEqual(foreign.map(() => "NOT_FOUND"))
    for (const body of [{ label: "N1" }, { zone_id: 7 }, "text"]) {
      const unnamed = await at("POST", "/stalls", body as object)
      expect(unnamed).toMatchObject({ status: 400, code: "VALIDATION_ERROR" })
      expect(unnamed.body["details"]).toMatchObject([{ field: "zone_id" }])
    }
    expect((await at("POST", "/retailers", { name: "Butcher" })).code).toBe("PERMISSION_DENIED")
    const viewer = await tokenOf(api, "viewer", [EAST])
    const looked = await api.call("GET", "/internal/v1/stalls", { key: viewer })
    const tried = await api.call("PATCH", "/internal/v1/stalls/stall_b", {
      key: viewer,
      body: { label: "A1" },
    })
    expect([looked.status, tried.code]).toEqual([200, "PERMISSION_DENIED"])
  })

  test("viewers read no phone number and no name of a person", async () => {
    const api = await makeApi()
    const id = await api.book({ order_number: "MASK-1" })
    const key = await tokenOf(api, "viewer")
    for (const path of [
      `/reservations/${id}`,
      "/search?q=MASK-1",
      `/sites/${EAST}/board`,
      `/sites/${EAST}/tasks`,
    ]) {
      const { status, body } = await api.call("GET", `/internal/v1${path}`, { key })
      expect([path, status]).toEqual([path, 200])
      expect(JSON.stringify(body), path).not.toMatch(/Ada Example|15125550100|"0100"/)
    }
    const masked = withoutPeople({
      runner_name: "Maya",
      end_user_name: "Ada",
      name: "East",
      contact: { email: "a@b.example", name: "Ada" },
      retailer_support_phone: "+1",
      phone: "+1",
    })
    expect(masked).toEqual({
      runner_name: "•••",
      end_user_name: "•••",
      name: "East",
      contact: { email: "•••", name: "•••" },
      retailer_support_phone: "+1",
      phone: "•••",
    })
  })

  test("no text that may be about a person is in what viewers read, but what the list below explains", () => {
    const names = new Set<string>()
    const collect = (schema: unknown, isMasked: boolean): void => {
      if (typeof schema !== "object" || schema === null) return
      if (Array.isArray(schema)) return schema.forEach((one) => collect(one, isMasked))
      const { properties, $ref, ...rest } = schema as Readonly<Record<string, unknown>>
      if (typeof $ref === "string")
        return collect(document.components.schemas[$ref.split("/").at(-1) ?? ""], isMasked)
      for (const [name, inside] of Object.entries(properties ?? {})) {
        // What the masking leaves of a text in this field.
        const { [name]: left } = withoutPeople({ [name]: "x" })
        if (
          left === "x" &&
          !isMasked &&
          /name|phone|mail|address|street|user|person|contact|_by$|message|note|four/.test(name)
        )
          names.add(name)
        collect(inside, isMasked || left !== "x")
      }
      for (const inside of Object.values(rest)) collect(inside, isMasked)
    }
    const document = JSON.parse(JSON.stringify(operationsDocument(ALL))) as Document
    for (const operations of Object.values(document.paths)) {
      for (const { operationId, responses } of Object.values(operations)) {
        if (rightOf(operationId).role === "viewer") collect(responses["200"]?.content, false)
      }
    }
    const explained = [
      ["of sites, zones, retailers, stores and timers", "address", "name", "street", "support_phone"],
      [
        "of businesses",
        "organization_name",
        "retailer_name",
        "retailer_support_phone",
        "site_name",
        "store_name",
      ],
      ["of colleagues, and what they call out to runners", "called_by", "held_by", "message"],
      ["who of partner, runner and operations, as a word", "canceled_by"],
      [
        "ids, instants, counts and lists",
        "enabled_phones",
        "messages_waiting",
        "phone_at",
        "phone_id",
        "phone_moves",
      ],
      ["an instant, and a list", "ready_by", "runner_phones"],
    ].flatMap(([, ...fields]) => fields)
    expect([...names].toSorted()).toEqual(explained.toSorted())
  })

  test("a token without a role, as older ones are, may do everything", async () => {
    const api = await makeApi()
    const made = await api.operate("POST", "/operator-tokens", { body: { label: "old" } })
    expect(made.data["operator_token"]).toMatchObject({ role: "admin", site_ids: null })
    const key = String(made.data["value"])
    expect((await api.call("GET", "/internal/v1/operator-tokens", { key })).status).toBe(200)
  })
})
