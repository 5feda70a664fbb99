/** The `webhooks` of the documents, held against what endpoints receive. */

import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import {
  PICKUP_WEBHOOK_BACKOFF_MS,
  PICKUP_WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
} from "../../src/model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import type { Received } from "../conformance/harness.ts"
import { HOOK, makeApi } from "./api.ts"
import type { Api } from "./api.ts"
import { created, openShop } from "./shop.ts"

interface Header {
  readonly name: string
  readonly in: string
  readonly required: boolean
}

interface Webhook {
  readonly post: { readonly parameters: readonly Header[]; readonly description: string }
}

type Webhooks = Readonly<Record<string, Webhook>>

async function documentAt(api: Api, url: string) {
  return (await api.app.inject({ url })).json<{ readonly webhooks: Webhooks }>()
}

/** Every object of the document takes only the properties that it names. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== "object" || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]))
  return copy["properties"] === undefined ? copy : { ...copy, additionalProperties: false }
}

/** Body and headers of everything that arrived, by the entry of its event. Gives the names of the events. */
function holdAll(
  document: { readonly webhooks: Webhooks },
  received: readonly Received[],
  typeHeader: string,
) {
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true, uuid: true } })
  ajv.addSchema(closed(document) as object, "document")
  const names = received.map(({ headers, body }) => {
    const name = headers[typeHeader] ?? ""
    const at = `document#/webhooks/${name}/post`
    const { parameters } = document.webhooks[name]?.post ?? { parameters: [] }
    const holdsBody = ajv.compile({ $ref: `${at}/requestBody/content/application~1json/schema` })
    expect(holdsBody(JSON.parse(body)), `${name}: ${JSON.stringify(holdsBody.errors)} in ${body}`).toBe(true)
    const { "Content-Type": type, ...others } = headers
    expect(type).toBe("application/json")
    expect(Object.keys(others).toSorted()).toEqual(parameters.map((header) => header.name).toSorted())
    parameters.forEach((header, index) => {
      const holds = ajv.compile({ $ref: `${at}/parameters/${index}/schema` })
      expect(holds(headers[header.name]), `${name}: ${header.name}: ${headers[header.name]}`).toBe(true)
      expect([header.in, header.required]).toEqual(["header", true])
    })
    return name
  })
  return new Set(names)
}

describe("webhooks of rs.json", () => {
  test("describe every event that an endpoint receives, with its headers and its body", async () => {
    const api = await makeApi({ environment: "sandbox" })
    await api.call("POST", "/rs/v1/webhooks", { body: { url: HOOK, subscribed_events: EVENT_TYPES } })
    const path = `/rs/v1/reservations/${await api.book()}/advance`
    await api.call("POST", path, { body: {} })
    await api.call("POST", path, { body: { reason_code: "stall_blocked", message: "A van." } })
    let status = 200
    while (status === 200) ({ status } = await api.call("POST", path, { body: {} }))
    await api.advance(MINUTE_MS)
    const document = await documentAt(api, "/openapi/rs.json")
    const names = holdAll(document, api.service.received(HOOK), "X-Service-Event-Type")
    expect([...names].toSorted()).toEqual(EVENT_TYPES.toSorted())
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES)
  })

  test("name the attempts, their times, the time limit and what is signed", async () => {
    const document = await documentAt(await makeApi(), "/openapi/rs.json")
    expect(WEBHOOK_BACKOFF_MS).toHaveLength(WEBHOOK_ATTEMPTS_MAX - 1)
    for (const { post } of Object.values(document.webhooks)) {
      for (const said of [
        "up to 8 attempts",
        "2 minutes, 4 minutes, 8 minutes, 16 minutes, 32 minutes, 60 minutes and 60 minutes",
        "within 10 seconds",
        "`<t>.<body>`",
        "byte for byte the same",
      ])
        expect(post.description).toContain(said)
    }
  })
})

describe("webhooks of dd.json", () => {
  test("describe every event that an endpoint receives, the test included", async () => {
    const shop = await openShop("sandbox")
    const { api } = shop
    const made = await api.call("POST", "/dd/v1/webhooks", {
      body: { url: HOOK, events: PICKUP_EVENT_TYPES },
    })
    await api.call("POST", `/dd/v1/webhooks/${String(made.data["webhook_id"])}/test`)
    await created(shop)
    let status = 200
    while (status === 200) {
      ;({ status } = await shop.call("POST", "/dd/v1/deliveries/order-1/advance"))
      await api.advance(SECOND_MS)
    }
    const document = await documentAt(api, "/openapi/dd.json")
    const names = holdAll(document, api.service.received(HOOK), "X-Service-Event")
    expect([...names].toSorted()).toEqual([...PICKUP_EVENT_TYPES, "webhook.test"].toSorted())
    expect(Object.keys(document.webhooks).toSorted()).toEqual([...names].toSorted())
  })

  test("name the attempts, their times, the time limit and what is signed", async () => {
    const document = await documentAt((await openShop()).api, "/openapi/dd.json")
    expect(PICKUP_WEBHOOK_BACKOFF_MS).toHaveLength(PICKUP_WEBHOOK_ATTEMPTS_MAX - 1)
    for (const { post } of Object.values(document.webhooks)) {
      for (const said of [
        "up to 5 attempts",
        "30 seconds, 60 seconds, 2 minutes and 4 minutes",
        "within 10 seconds",
        "over the raw body",
        "After 50 failed attempts in a row",
        "byte for byte the same",
      ])
        expect(post.description).toContain(said)
    }
  })
})
