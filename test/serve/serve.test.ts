import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { curbline, curblineWith } from "../cli/command-line.ts"
import { curblineHere, curblineHereWith } from "../cli/same-process.ts"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { examplesOf } from "./examples.ts"
import { freePort } from "../free-port.ts"
import { booking, call, dataFolder, startProcess, startReceiver } from "./service-process.ts"
import type { Access, Receiver, ServiceProcess } from "./service-process.ts"

const EVENTS = ["reservation.status_changed", "reservation.handoff_updated", "reservation.exception"]

describe("curbline serve on the embedded database", () => {
  const data = dataFolder()
  let receiver: Receiver
  let service: ServiceProcess

  beforeAll(async () => {
    receiver = await startReceiver()
    // With Node as users run it.
    service = await startProcess(data, undefined, { node: [] })
  })
  afterAll(() => receiver.close())

  test("the first start says what it makes and for how long, makes demo data, and says what to try next", async () => {
    const { access, said } = service
    // The first line, before anything that takes time.
    expect(service.log()).toMatch(/^making the database in .+, and demo data in it: about 10 s, once\n/)
    expect(said).toContain(`production ${access.production.base_url}`)
    expect(said).toContain(`Start at ${access.sandbox.base_url}/ in a browser`)
    expect(statSync(join(data, "demo.json")).mode & 0o777).toBe(0o600)
    expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600)
    for (const environment of [access.production, access.sandbox]) {
      const { status, body } = await call(environment, "GET", "/rs/v1/retailers")
      expect(status).toBe(200)
      expect(JSON.stringify(body.data)).toContain(environment.retailer_id)
    }
    const health = await fetch(`${access.sandbox.base_url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }])
  })

  test("B6: the demo's sites are ready, and in the sandbox also inactive and unconfigured, as the examples say; its keys may do everything", async () => {
    const { access } = service
    const said = await examplesOf(data)
    const quoted = async (environment: Access, site: string) => {
      const body = {
        external_delivery_id: "order-1",
        customer: { phone: "+15125550100" },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        ready_by: new Date(Date.now() + 600_000).toISOString(),
        order_items: [{ name: "Milk", quantity: 1 }],
      }
      const path = "/dd/v1/deliveries/quote"
      const { status, body: answered } = await call(environment, "POST", path, body, {
        "x-retailer-id": site,
      })
      return `${status} ${answered.code ?? JSON.stringify(answered.data)}`
    }
    const ids = [
      ...(/^Deliveries of the sandbox start at .*$/m.exec(said)?.[0] ?? "").matchAll(/[0-9a-f-]{36}/g),
    ]
    expect(ids.map(([id]) => id)[0]).toBe(access.sandbox.site_id)
    const answers = await Promise.all(ids.map(([id]) => quoted(access.sandbox, id)))
    expect(answers).toEqual([
      expect.stringMatching(/^200 .*"available":true.*"delivery_fee_cents":799/),
      "403 RETAILER_INACTIVE",
      "503 RETAILER_NOT_CONFIGURED",
    ])
    for (const environment of [access.production, access.sandbox]) {
      expect(await quoted(environment, environment.site_id)).toMatch(/^200 .*"available":true/)
      const headers = { "x-retailer-id": environment.site_id }
      for (const path of [
        "/dd/v1/deliveries",
        "/dd/v1/webhooks",
        `/avrh/v1/analytics/metrics?siteId=${environment.site_id}`,
        "/rs/v1/reservations",
        "/rs/v1/webhooks",
      ]) {
        expect([path, (await call(environment, "GET", path, undefined, headers)).status]).toEqual([path, 200])
      }
    }
  })

  test("a key of one environment is turned away by the other", async () => {
    const { production, sandbox } = service.access
    const crossed = await call({ ...sandbox, api_key: production.api_key }, "GET", "/rs/v1/retailers")
    expect([crossed.status, crossed.body.code]).toEqual([403, "WRONG_ENV_KEY"])
  })

  test("a visit walks to its end, and every event reaches the receiver with a signature that fits", async () => {
    const { sandbox } = service.access
    const hook = await call(sandbox, "POST", "/rs/v1/webhooks", {
      url: `${receiver.url}/hook`,
      subscribed_events: EVENTS,
    })
    expect(hook.status).toBe(201)
    const made = await call(sandbox, "POST", "/rs/v1/reservations", booking(sandbox, `${receiver.url}/open`))
    expect(made.status).toBe(201)
    const path = `/rs/v1/reservations/${made.body.data.reservation.reservation_id}`
    const steps: string[] = []
    for (let step = 0; step < 9; step += 1) {
      const advanced = await call(sandbox, "POST", `${path}/advance`)
      expect(advanced.status).toBe(200)
      steps.push(advanced.body.data.step)
    }
    expect(steps.at(-1)).toBe("bot_departed")
    expect((await call(sandbox, "POST", `${path}/advance`)).status).toBe(409)
    expect((await call(sandbox, "GET", path)).body.data.reservation.status).toBe("completed")
    await receiver.count(7)
    expect(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(7)
    for (const { headers, body } of receiver.received) {
      const header = String(headers["x-service-signature"])
      const { secret } = hook.body.data.webhook
      expect(
        verifyWebhook({ header, body, secrets: [secret], nowMs: Date.now(), toleranceMs: 300_000 }),
      ).toBe(true)
    }
  })

  test("a second service on the same folder is refused, and so is an export beside it", async () => {
    expect(curbline("serve", "--data", data)).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^error: process \d+ already serves from /),
    })
    expect(await curblineHere("journal", "export", "--data", data)).toMatchObject({
      status: 2,
      err: expect.stringContaining("holds the database"),
    })
  })

  test("after a power cut everything that was answered is still true, and the keys still work", async () => {
    const { production } = service.access
    const made = await call(
      production,
      "POST",
      "/rs/v1/reservations",
      booking(production, `${receiver.url}/open`),
    )
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await service.kill()
    service = await startProcess(data, [await freePort(), await freePort()])
    const access = { ...production, base_url: service.said.match(/production (\S+)/)?.[1] ?? "" }
    const read = await call(access, "GET", `/rs/v1/reservations/${made.body.data.reservation.reservation_id}`)
    expect(service.log()).not.toContain("making the database")
    expect([read.status, read.body.data.reservation.status]).toEqual([200, "confirmed"])
  })

  test("it stops in order, and its journal replays in the simulator to the same hashes", async () => {
    expect(await service.stop()).toBe(0)
    const record = join(data, "journal.ndjson")
    // The folder is given by the setting, as it may be for the service.
    const settings = { CURBLINE_DATA: data, DATABASE_URL: "" }
    const exported = await curblineHereWith(settings, "journal", "export", "--out", record)
    expect(exported).toMatchObject({
      status: 0,
      err: expect.stringMatching(/^exported \d+ entries, hash [0-9a-f]{64}\n$/),
    })
    const [, entries, hash] = /exported (\d+) entries, hash (\w+)/.exec(exported.err) ?? []
    expect(await curblineHere("replay", record)).toMatchObject({
      status: 0,
      out: `1 run, ${entries} entries: the same to the byte\n${hash}\n`,
    })
    const text = readFileSync(record, "utf8")
    for (const personal of ["Ada Example", "+15125550100", "/open", "whsec_"])
      expect(text).not.toContain(personal)
  })
})

describe("what serve refuses", () => {
  test("a port that is none", () => {
    expect(curbline("serve", "--data", dataFolder(), "--sandbox-port", "x")).toMatchObject({
      status: 2,
      err: expect.stringContaining(
        'CURBLINE_SANDBOX_PORT (--sandbox-port) must be a port number from 1 to 65535; it is "x"',
      ),
    })
  })

  test("an export from a database whose URL is none, in the words of the settings", async () => {
    expect(await curblineHereWith({ DATABASE_URL: "mysql://x" }, "journal", "export")).toEqual({
      status: 2,
      out: "",
      err: expect.stringContaining("DATABASE_URL must be a URL that begins with postgres://") as string,
    })
  })

  test("local targets in production, and an external database without a secret", () => {
    const withEnv = (env: Record<string, string>, ...words: string[]) =>
      curblineWith(env, "serve", "--data", dataFolder(), ...words)
    expect(withEnv({ NODE_ENV: "production" }, "--allow-local-targets")).toMatchObject({
      status: 2,
      err: expect.stringContaining("is refused when NODE_ENV is production"),
    })
    expect(withEnv({ DATABASE_URL: "postgres://127.0.0.1:1/none" })).toMatchObject({
      status: 2,
      err: expect.stringContaining("CURBLINE_SECRET must be set too"),
    })
  })
})
