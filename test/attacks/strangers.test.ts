/** Strangers: another organization's ids and the other environment's keys get the same answers as unknown ones. */

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startRealService } from "./real-service.ts"
import type { RealService } from "./real-service.ts"

const LIST = "/rs/v1/reservations"
const HOOKS = "/rs/v1/webhooks"

let service: RealService
let stranger = ""
let id = ""
let hook = ""
beforeAll(async () => {
  service = await startRealService({ environment: "sandbox" })
  stranger = await service.makeKey(await service.makeOrganization())
  const headers = await service.call("POST", LIST, { body: service.booking() })
  id = (headers.body["data"] as { reservation: { reservation_id: string } }).reservation.reservation_id
  const body = { url: "https://hooks.partner.example/", subscribed_events: ["reservation.status_changed"] }
  const made = await service.call("POST", HOOKS, { body })
  hook = (made.body["data"] as { webhook: { webhook_id: string } }).webhook.webhook_id
})
afterAll(() => service.close())

const unknown = (known: string): string => known.slice(0, 4) + "0".repeat(known.length - 4)

describe("another organization's ids", () => {
  test.each<[string, (reservation: string, webhook: string) => string, unknown]>([
    ["GET", (one) => `${LIST}/${one}`, undefined],
    ["PATCH", (one) => `${LIST}/${one}`, { arrival_window_end: "2099-01-01T00:00:00Z" }],
    ["DELETE", (one) => `${LIST}/${one}?reason=x`, undefined],
    ["POST", (one) => `${LIST}/${one}/bot`, { status: "ARRIVED" }],
    ["POST", (one) => `${LIST}/${one}/advance`, undefined],
    ["POST", (one) => `${LIST}/${one}/advance`, { reason_code: "bot_no_show" }],
    ["PUT", (_, one) => `${HOOKS}/${one}`, { is_active: false }],
    ["PUT", (_, one) => `${HOOKS}/${one}`, { url: "https://down.partner.example/" }],
  ])("V2: %s %o answers as for an id that was never given", async (method, at, body) => {
    const sent = { key: stranger, ...(body === undefined ? {} : { body }) }
    const foreign = await service.call(method, at(id, hook), sent)
    const never = await service.call(method, at(unknown(id), unknown(hook)), sent)
    const { request_id } = never.body
    expect([foreign.status, { ...foreign.body, request_id }]).toEqual([404, never.body])
    expect(foreign.body["code"]).toBe("NOT_FOUND")
  })

  test("and nothing of it happened", async () => {
    const { body } = await service.call("GET", `${LIST}/${id}`)
    expect(body["data"]).toMatchObject({ reservation: { status: "confirmed", bot: null } })
    const hooks = await service.call("GET", HOOKS)
    expect(hooks.body["data"]).toMatchObject({ webhooks: [{ webhook_id: hook, is_active: true }] })
  })

  test("lists show the caller's own alone", async () => {
    expect((await service.call("GET", LIST, { key: stranger })).body["data"]).toMatchObject({
      reservations: [],
    })
    expect((await service.call("GET", HOOKS, { key: stranger })).body["data"]).toEqual({ webhooks: [] })
    expect((await service.call("GET", "/rs/v1/retailers", { key: stranger })).body["data"]).toEqual({
      sites: [],
    })
    const booked = await service.call("POST", LIST, { key: stranger, body: service.booking() })
    expect([booked.status, booked.body["code"]]).toEqual([422, "ZONE_NOT_FOUND"])
  })
})

describe("keys of the other environment", () => {
  test.each([
    ["GET", LIST],
    ["POST", LIST],
    ["GET", "/rs/v1/retailers"],
    ["POST", HOOKS],
    ["POST", `${LIST}/res_unknown/advance`],
  ])("%s %s is 403 WRONG_ENV_KEY", async (method, path) => {
    const key = await service.makeKey(service.organizationId, "production")
    const { status, body } = await service.call(method, path, { key })
    expect([status, body["code"]]).toEqual([403, "WRONG_ENV_KEY"])
  })
})
