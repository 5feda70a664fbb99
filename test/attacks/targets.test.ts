/** Targets: nothing that a partner writes makes the service call what is inside. */

import { createServer } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { journal } from "../../src/engine/store/schema.ts"
import { Database } from "../../src/engine/store/database.ts"
import type { Resolution } from "../../src/engine/services/outbound/name-lookup.ts"
import { PUBLIC_ADDRESS, startRealService } from "./real-service.ts"
import type { RealService } from "./real-service.ts"
import { startReceiver } from "./receiver.ts"
import { eventually } from "../eventually.ts"

const HOOKS = "/rs/v1/webhooks"
const LIST = "/rs/v1/reservations"
const EVENTS = ["reservation.status_changed"]

function addresses(...some: string[]): Resolution {
  return { type: "addresses", addresses: some }
}

/** A loopback address beside 127.0.0.1: macOS has no second one of version 4. */
function otherLoopback(): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve("::1"))
    probe.listen(0, "127.0.0.2", () => probe.close(() => resolve("127.0.0.2")))
  })
}

/** The results of this service's deliveries so far, from the journal. */
async function resultsOf(service: RealService): Promise<string> {
  const rows = await service.run(
    Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.select().from(journal))),
  )
  return rows.map(({ text }) => text).join("\n")
}

/** It reaches the world outside only. */
let service: RealService
beforeAll(async () => {
  service = await startRealService()
})
afterAll(() => service.close())

describe("with targets of the world outside only", () => {
  test.each([
    "http://hooks.partner.example/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0X7F.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.1./",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://93.184.215.14/",
    "https://１２７.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://hooks.partner.example@127.0.0.1/",
    "https://127.0.0.1#@hooks.partner.example/",
    "https://user:word@hooks.partner.example/",
    "https:\\\\127.0.0.1\\",
    "HTTPS://127.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_",
    "https://",
  ])("%s is refused as webhook and as open link, without a look-up", async (url) => {
    const before = service.asked.length
    const hook = await service.call("POST", HOOKS, { body: { url, subscribed_events: EVENTS } })
    expect([hook.status, hook.body["code"]]).toEqual([400, "INVALID_WEBHOOK_URL"])
    const booked = await service.call("POST", LIST, { body: service.booking({ open_link_url: url }) })
    expect([booked.status, booked.body["code"]]).toEqual([422, "INVALID_OPEN_LINK"])
    expect(service.asked.slice(before)).toEqual([])
  })

  test.each([
    ["10.0.0.7"],
    ["172.16.0.1"],
    ["192.168.0.1"],
    ["127.0.0.1"],
    ["169.254.169.254"],
    ["100.64.0.1"],
    ["0.0.0.0"],
    ["::1"],
    ["::"],
    ["fe80::1"],
    ["fd00::1"],
    ["::ffff:10.0.0.1"],
    ["64:ff9b::a00:1"],
    ["2002:a00:1::1"],
    [PUBLIC_ADDRESS, "10.0.0.7"],
    [PUBLIC_ADDRESS, "::ffff:127.0.0.1"],
  ])("a name that resolves to %s %s is refused", async (...some) => {
    service.names.set("inside.partner.example", addresses(...some))
    const url = "https://inside.partner.example/"
    const hook = await service.call("POST", HOOKS, { body: { url, subscribed_events: EVENTS } })
    expect([hook.status, hook.body["code"]]).toEqual([400, "INVALID_WEBHOOK_URL"])
    const booked = await service.call("POST", LIST, { body: service.booking({ open_link_url: url }) })
    expect([booked.status, booked.body["code"]]).toEqual([422, "INVALID_OPEN_LINK"])
  })

  test.each([
    ["https://LOCALHOST/", "localhost"],
    ["https://localhost./", "localhost."],
    ["https://ⓛocalhost/", "localhost"],
    ["https://bücher.partner.example/", "xn--bcher-kva.partner.example"],
  ])("%s is looked up as %s, and refused for what that resolves to", async (url, name) => {
    service.names.set(name, addresses("127.0.0.1"))
    const hook = await service.call("POST", HOOKS, { body: { url, subscribed_events: EVENTS } })
    expect([hook.status, service.asked.at(-1)]).toEqual([400, name])
  })
})

describe("at every send", () => {
  let local: RealService
  beforeAll(async () => {
    local = await startRealService({ allowsLoopback: true })
  })
  afterAll(() => local.close())

  /** An endpoint for one test: what it did not take is discarded after it. */
  async function register(of: RealService, url: string): Promise<void> {
    const { status, body } = await of.call("POST", HOOKS, { body: { url, subscribed_events: EVENTS } })
    expect(status).toBe(201)
    const { webhook } = body["data"] as { readonly webhook: { readonly webhook_id: string } }
    onTestFinished(async () => {
      const off = { body: { is_active: false } }
      expect((await of.call("PUT", `${HOOKS}/${webhook.webhook_id}`, off)).status).toBe(200)
    })
  }

  test("a name that was public when it was registered is not called once it leads inside", async () => {
    const inside = await startReceiver()
    onTestFinished(() => inside.close())
    await register(service, `https://flips.partner.example:${inside.port}/`)
    service.names.set("flips.partner.example", addresses("127.0.0.1"))
    expect((await service.call("POST", LIST, { body: service.booking() })).status).toBe(201)
    await eventually(async () => expect(await resultsOf(service)).toContain("blocked_target"))
    expect(inside.arrived).toEqual([])
  })

  test("the connection goes to the address that was checked, whatever the name says a moment later", async () => {
    const address = await otherLoopback()
    const checked = await startReceiver(undefined, address)
    onTestFinished(() => checked.close())
    // The machine's own resolver returns 127.0.0.1, where no process listens on this port.
    local.names.set("localhost", addresses(address))
    await register(local, checked.url)
    const before = local.asked.length
    await local.call("POST", LIST, { body: local.booking() })
    await eventually(() => expect(checked.arrived).toHaveLength(1))
    const names = local.asked.slice(before).filter((name) => name === "localhost")
    expect(names).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])("a redirect %i to inside is not followed", async (status) => {
    const inside = await startReceiver()
    onTestFinished(() => inside.close())
    const redirects = await startReceiver((response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    )
    onTestFinished(() => redirects.close())
    local.names.set("localhost", addresses("127.0.0.1"))
    await register(local, redirects.url)
    await local.call("POST", LIST, { body: local.booking() })
    await eventually(async () => expect(await resultsOf(local)).toContain(`status_${status}`))
    expect([redirects.arrived.length, inside.arrived.length]).toEqual([1, 0] satisfies [number, number])
  })
})
