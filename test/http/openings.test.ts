/** Open links, clocks and photos behind visits that are made through HTTP: the choices O and L, and S where it opens. */

import { createHmac } from "node:crypto"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import { app, bringTo, openLinkSecrets, runner, told, toldInShort } from "../conformance/harness.ts"
import type { EndpointAnswer } from "../conformance/harness.ts"
import { HOOK, OPEN_LINK, contentOf, makeApi, reservationOf } from "./api.ts"
import type { Api, ApiOptions } from "./api.ts"

const LIST = "/rs/v1/reservations"
const FAILS: EndpointAnswer = { type: "status", status: 500, afterMs: 100 }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The part of the document that describes the open link. */
interface Document {
  readonly paths: {
    readonly [LIST]: {
      readonly post: {
        readonly callbacks: {
          readonly open_link_url: { readonly "{$request.body#/open_link_url}": { readonly post: Callback } }
        }
      }
    }
  }
}

interface Callback {
  readonly description: string
  readonly parameters: readonly { readonly name: string }[]
  readonly requestBody: {
    readonly content: {
      readonly "application/json": {
        readonly schema: object
        readonly examples: { readonly openLink: { readonly value: unknown } }
      }
    }
  }
}

interface Visit extends Api {
  readonly path: string
  readonly id: string
  readonly report: (status: string, more?: object) => Promise<void>
  readonly seen: () => Promise<string>
  readonly bodies: () => readonly string[]
}

async function visit(options: ApiOptions = {}): Promise<Visit> {
  const api = await makeApi(options)
  await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
  const id = await api.book()
  const path = `${LIST}/${id}`
  return {
    ...api,
    id,
    path,
    report: async (status, more) => {
      const { code } = await api.call("POST", `${path}/bot`, { body: { status, ...more } })
      expect(code).toBeNull()
    },
    seen: async () => {
      const { status, handoff } = reservationOf((await api.call("GET", path)).data)
      return `${status} ${handoff?.status}`
    },
    bodies: () => api.service.received(OPEN_LINK).map(({ body }) => body),
  }
}

describe("the open link", () => {
  test("O1 and O2: a POST that says what to open for which order, and names its attempt", async () => {
    const api = await visit()
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF", { label: "Blue 7" })
    await api.advance(SECOND_MS)
    const [request] = api.service.received(OPEN_LINK)
    const body = JSON.parse(request?.body ?? "{}") as Record<string, unknown>
    expect(body).toEqual({
      attempt_id: expect.stringMatching(UUID) as string,
      reservation_id: api.id,
      order_number: "A-1001",
      zone_id: "zone_curb",
      stall_id: "stall_a",
      stall_label: "A1",
      bot_label: "Blue 7",
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/) as string,
    })
    expect(request?.headers).toEqual({
      "Content-Type": "application/json",
      "User-Agent": expect.stringMatching(/^\S+$/) as string,
      "X-Service-Attempt-Id": body["attempt_id"],
    })
  })

  test("O1 to O4: the document describes this call, its attempts and its headers", async () => {
    const api = await visit()
    await api.run(openLinkSecrets.rotate({ organizationId: api.organizationId, environment: "production" }))
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    await api.advance(SECOND_MS)
    const [request] = api.service.received(OPEN_LINK)
    const document = (await api.app.inject({ url: "/openapi/rs.json" })).json<Document>()
    const called = document.paths[LIST].post.callbacks.open_link_url["{$request.body#/open_link_url}"].post
    const { schema, examples } = called.requestBody.content["application/json"]
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true, uuid: true } })
    const holds = ajv.compile({ ...schema, additionalProperties: false })
    expect(holds(JSON.parse(request?.body ?? "")), JSON.stringify(holds.errors)).toBe(true)
    expect(holds(examples.openLink.value), JSON.stringify(holds.errors)).toBe(true)
    const sent = new Set(Object.keys(request?.headers ?? {}))
    sent.delete("Content-Type")
    expect(new Set(called.parameters.map(({ name }) => name))).toEqual(sent)
    for (const words of [
      "within 5 seconds",
      "up to 3 attempts, 5 and 15 seconds after a failure",
      "access_failed",
    ])
      expect(called.description).toContain(words)
  })

  test("O3: signed with the organization's open-link secret if it has one; the secret is in no row", async () => {
    const api = await visit()
    const scope = { organizationId: api.organizationId, environment: "production" } as const
    const { secret } = await api.run(openLinkSecrets.rotate(scope))
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    await api.advance(SECOND_MS)
    const [request] = api.service.received(OPEN_LINK)
    const seconds = Math.floor((request?.atMs ?? 0) / 1000)
    const signature = createHmac("sha256", secret).update(`${seconds}.${request?.body}`).digest("hex")
    expect(request?.headers["X-Service-Signature"]).toBe(`t=${seconds},v1=${signature}`)
    expect(await contentOf(api)).not.toContain(secret)
    expect(await contentOf(api)).not.toContain(secret.slice("whsec_".length))
  })

  test("O4 and O5 (limit): three attempts of the same bytes, 5 and 15 seconds apart, then access_failed", async () => {
    const api = await visit()
    api.service.script(OPEN_LINK, [FAILS])
    await bringTo(api.service, api.id, "AT_UNIT")
    const before = (await toldInShort(api.service)).length
    await api.report("READY_FOR_HANDOFF")
    await api.advance(5 * MINUTE_MS)
    const times = api.service.received(OPEN_LINK).map(({ atMs }) => atMs)
    expect(times.map((atMs) => atMs - (times[0] ?? 0))).toEqual([0, 5_100, 20_200])
    expect(new Set(api.bodies()).size).toBe(1)
    expect((await toldInShort(api.service)).slice(before)).toEqual(["exception access_failed"])
    expect(await api.seen()).toBe("confirmed HANDOFF_READY")
  })

  test("O4 (limit): an answer after 5 seconds is a failed attempt", async () => {
    const api = await visit()
    api.service.script(OPEN_LINK, [
      { type: "status", status: 200, afterMs: 5_001 },
      { type: "status", status: 200, afterMs: 4_999 },
    ])
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    await api.advance(MINUTE_MS)
    expect(api.bodies()).toHaveLength(2)
  })

  test("O5: after success it is not called again; after failure the runner's new try is a new attempt", async () => {
    const api = await visit()
    api.service.script(OPEN_LINK, [FAILS, FAILS, FAILS, { type: "status", status: 200, afterMs: 10 }])
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    await api.advance(MINUTE_MS)
    await api.run(runner.retryOpenLink(app, api.id))
    await api.advance(MINUTE_MS)
    const ids = api.bodies().map((body) => (JSON.parse(body) as { attempt_id: string }).attempt_id)
    expect([ids.length, new Set(ids).size]).toEqual([4, 2])
    await api.report("READY_FOR_HANDOFF")
    await api.advance(MINUTE_MS)
    expect(api.bodies()).toHaveLength(4)
  })

  test("O6: a cancel drops the remaining attempts", async () => {
    const api = await visit()
    api.service.script(OPEN_LINK, [FAILS])
    await bringTo(api.service, api.id, "AT_UNIT")
    await api.report("READY_FOR_HANDOFF")
    await api.advance(SECOND_MS)
    await api.call("DELETE", api.path)
    await api.advance(5 * MINUTE_MS)
    expect(api.bodies()).toHaveLength(1)
  })
})

describe("the sandbox walk", () => {
  test("S1: nine steps, each by its name, then 409 INVALID_STATE", async () => {
    const api = await visit({ environment: "sandbox" })
    const steps: unknown[] = []
    for (let count = 0; count < 9; count += 1) {
      steps.push((await api.call("POST", `${api.path}/advance`)).data["step"])
    }
    expect(steps).toEqual([
      "runner_assigned",
      "runner_at_store",
      "order_in_hand",
      "bot_arrived",
      "runner_at_bot",
      "bot_ready",
      "runner_loaded",
      "bot_secured",
      "bot_departed",
    ])
    const tenth = await api.call("POST", `${api.path}/advance`)
    expect([tenth.status, tenth.code]).toEqual([409, "INVALID_STATE"])
  })

  test("S3: the bot's ready step makes the handoff ready and opens nothing", async () => {
    const api = await visit({ environment: "sandbox" })
    for (let count = 0; count < 6; count += 1) await api.call("POST", `${api.path}/advance`)
    await api.advance(MINUTE_MS)
    expect([await api.seen(), api.bodies()]).toEqual(["arrived HANDOFF_READY", []])
  })

  test("S6: the caller's own READY_FOR_HANDOFF beside the runner calls the open link", async () => {
    const api = await visit({ environment: "sandbox" })
    for (let count = 0; count < 5; count += 1) await api.call("POST", `${api.path}/advance`)
    await api.report("READY_FOR_HANDOFF")
    await api.advance(SECOND_MS)
    expect([await api.seen(), api.bodies().length]).toEqual(["arrived HANDOFF_READY", 1])
  })

  test("S6: a step that finds the bot ready already calls nothing", async () => {
    const api = await visit({ environment: "sandbox" })
    await api.report("READY_FOR_HANDOFF")
    for (let count = 0; count < 4; count += 1) await api.call("POST", `${api.path}/advance`)
    await api.advance(MINUTE_MS)
    expect([await api.seen(), api.bodies()]).toEqual(["confirmed HANDOFF_READY", []])
  })
})

describe("clocks", () => {
  test("L1 (limit): an unloaded reservation is canceled by the system exactly 15 minutes after its window", async () => {
    const api = await visit()
    await api.advance(75 * MINUTE_MS - 1)
    expect(await api.seen()).toBe("confirmed QUEUED")
    await api.advance(1)
    expect(reservationOf((await api.call("GET", api.path)).data)).toMatchObject({
      status: "canceled",
      canceled_by: "system",
      cancel_reason: "window_expired",
    })
  })

  test.each(["confirmed", "arrived"])(
    "L2: a loaded %s reservation whose bot is silent completes then",
    async (status) => {
      const api = await visit()
      if (status === "arrived") await api.report("ARRIVED")
      await bringTo(api.service, api.id, "AT_UNIT")
      await api.report("READY_FOR_HANDOFF")
      await api.run(runner.load(app, api.id, null))
      expect(await api.seen()).toBe(`${status} LOADED`)
      await api.advance(75 * MINUTE_MS)
      expect(reservationOf((await api.call("GET", api.path)).data)).toMatchObject({
        status: "completed",
        canceled_by: null,
      })
    },
  )

  test("L3: the window's end fails a task at the store, and leaves one on its way", async () => {
    const api = await visit()
    const other = await api.book()
    await bringTo(api.service, api.id, "AT_STORE")
    await bringTo(api.service, other, "ASSIGNED")
    await api.advance(60 * MINUTE_MS)
    expect(await api.seen()).toBe("confirmed FAILED")
    const { data } = await api.call("GET", `${LIST}/${other}`)
    expect(reservationOf(data).handoff?.status).toBe("ASSIGNED")
    const events = (await told(api.service)).filter(
      ({ event_type }) => event_type === "reservation.exception",
    )
    expect(events.map(({ data: one }) => one["reason_code"])).toEqual(["order_not_ready_fail"])
  })

  test("L4 (limit): a bot that lets the runner wait 10 minutes is a no-show, once", async () => {
    const api = await visit()
    await bringTo(api.service, api.id, "AT_UNIT")
    const noShows = async (): Promise<number> =>
      (await toldInShort(api.service)).filter((one) => one === "exception bot_no_show").length
    await api.advance(10 * MINUTE_MS - SECOND_MS)
    expect(await noShows()).toBe(0)
    await api.advance(SECOND_MS)
    expect(await noShows()).toBe(1)
    await api.advance(20 * MINUTE_MS)
    expect([await noShows(), await api.seen()]).toEqual([1, "confirmed AT_UNIT"])
  })

  test("L1 and L4: grace and wait are each environment's own policy", async () => {
    const reservation = { ...DEFAULT_POLICY.reservation, windowGraceMs: MINUTE_MS }
    const api = await visit({ policy: { ...DEFAULT_POLICY, reservation } })
    await api.advance(61 * MINUTE_MS)
    expect(await api.seen()).toBe("canceled CANCELED")
  })
})

describe("photos", () => {
  test("L6: a photo is served as private, of a known type, and is not sniffed", async () => {
    const api = await visit({ environment: "sandbox" })
    for (let count = 0; count < 7; count += 1) await api.call("POST", `${api.path}/advance`)
    const link = reservationOf((await api.call("GET", api.path)).data).handoff?.load_photo_url ?? ""
    const { pathname, search } = new URL(link)
    const { status, headers } = await api.call("GET", `${pathname}${search}`, { key: null })
    expect([status, headers["cache-control"], headers["x-content-type-options"]]).toEqual([
      200,
      "private",
      "nosniff",
    ])
    expect(headers["content-type"]).toMatch(/^image\/(jpeg|png)$/)
  })
})
