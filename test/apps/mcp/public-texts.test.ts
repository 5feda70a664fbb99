/** What anybody may read of the connector. */

import Fastify from "fastify"
import { afterAll, expect, test } from "vitest"
import { CONSENT, TERMS } from "../../../src/areas/courier/terms.ts"
import { DESCRIPTION_TEXT } from "../../../src/apps/mcp/description.ts"
import { publicTextsPlugin } from "../../../src/apps/mcp/public-texts.ts"

const app = Fastify()
await app.register(publicTextsPlugin, { baseUrl: "https://courier.shop.example" })
afterAll(() => app.close())

test("the description is the resource's text", async () => {
  const { body, headers } = await app.inject({ url: "/api/delivery-mcp/description.md" })
  expect([body, headers["content-type"]]).toEqual([DESCRIPTION_TEXT, "text/markdown; charset=utf-8"])
})

test("the terms are those that agents show, and privacy tells how long what is kept", async () => {
  const terms = await app.inject({ url: "/api/delivery-mcp/terms.md" })
  expect([terms.headers["content-type"], terms.body]).toEqual([
    "text/markdown; charset=utf-8",
    expect.stringContaining(`Version ${TERMS.version}.`),
  ])
  expect(terms.body).toContain(TERMS.text)
  expect(terms.body).toContain(CONSENT.text)
  const { body } = await app.inject({ url: "/api/delivery-mcp/privacy.md" })
  const kept = body
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, 3),
    )
  expect(kept.slice(2)).toEqual([
    [
      "names, phone numbers, addresses, notes and e-mail addresses of a delivery",
      "90 days after it has ended, then replaced",
    ],
    ["text messages", "90 days"],
    ["positions of the vehicle", "90 days"],
    ["codes sent by text message", "1 day"],
    ["a STOP", "until START, and without the number: as a keyed digest"],
    ["the number of a linked phone", "while the operator has it enabled, and 90 days after"],
  ])
})

test("the registry's entry names the endpoint, under the reversed name of its host", async () => {
  const entry = (await app.inject({ url: "/api/delivery-mcp/server.json" })).json<{ description: string }>()
  expect(entry).toMatchObject({
    name: "example.shop.courier/courier-connector",
    title: "Courier connector",
    remotes: [{ type: "streamable-http", url: "https://courier.shop.example/api/delivery-mcp/mcp" }],
    icons: [{ src: "https://courier.shop.example/assets/mark.svg" }],
  })
  // The registry's own bound.
  expect(entry.description.length).toBeLessThanOrEqual(100)
})
