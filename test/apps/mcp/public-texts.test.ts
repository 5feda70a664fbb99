/** What anybody may read of the connector. */

import Fastify from "fastify"
import { afterAll, expect, test } from "vitest"
import { DESCRIPTION_TEXT } from "../../../src/apps/mcp/description.ts"
import { publicTextsPlugin } from "../../../src/apps/mcp/public-texts.ts"

const app = Fastify()
await app.register(publicTextsPlugin, { baseUrl: "https://courier.shop.example" })
afterAll(() => app.close())

test("the description is the resource's text", async () => {
  const { body, headers } = await app.inject({ url: "/api/delivery-mcp/description.md" })
  expect([body, headers["content-type"]]).toEqual([DESCRIPTION_TEXT, "text/markdown; charset=utf-8"])
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
