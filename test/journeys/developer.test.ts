/**
 * A developer without a public URL: the commands `listen`, `trigger` and `logs` against real processes on both databases. The receiver is
 * down for a while, and the service is started again in between.
 */

import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingHttpHeaders, Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { verifyWebhook } from "../../src/client/index.ts"
import { LOCAL_OPEN_LINK } from "../../src/live/demo/demo.ts"
import { HOUR_MS, MINUTE_MS, isoMs } from "../../src/model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { folder, running } from "../cli/command-line.ts"
import type { Ended, Running } from "../cli/command-line.ts"
import { agentWithKey, startCodingAgent } from "../cli/mcp-client.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { freePort } from "../free-port.ts"
import { dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { databasesOf } from "./served.ts"
import type { Json } from "./served.ts"

const SECRET = "a secret of the journeys, of 32 characters or more"
const SIGNING_SECRET = `whsec_${"c3".repeat(24)}`

interface Hook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A developer's program. Closed, it takes no connection; opened again, it has its old port. */
class Receiver {
  readonly hooks: Hook[] = []
  /** Where it sends the next request instead of taking it. */
  redirect: string | null = null
  #server: Server | null = null
  #port = 0

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { headers, url = "" } = request
        this.hooks.push({ path: url, headers, body: Buffer.concat(chunks).toString("utf8") })
        response.writeHead(
          this.redirect === null ? 200 : 302,
          this.redirect === null ? {} : { location: this.redirect },
        )
        this.redirect = null
        response.end()
      })
    })
    server.listen(this.#port, "127.0.0.1")
    await once(server, "listening")
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  get url(): string {
    return `http://localhost:${this.#port}/hooks`
  }

  async close(): Promise<void> {
    const server = this.#server
    if (server === null) return
    this.#server = null
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
}

const WAIT = { interval: 100 }

describe.each(databasesOf("PostgreSQL"))("a developer's commands, on %s", (kind) => {
  const receiver = new Receiver()
  const data = dataFolderOn(kind)
  let postgres: PostgresDatabase | null = null
  let ports: readonly [number, number] = [0, 0]
  let service: ServiceProcess
  let access: Access
  let listening: Running
  let following: Running
  let began = ""
  const triggered: string[] = []

  const start = async (): Promise<void> => {
    const env =
      postgres === null
        ? { DATABASE_URL: "", CURBLINE_SECRET: "" }
        : { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }
    service = await startProcess(data, ports, { words: ["--demo"], env })
    access = service.access.sandbox
  }
  const own = (): NodeJS.ProcessEnv => ({
    CURBLINE_API_KEY: access.api_key,
    CURBLINE_URL: service.urls.sandbox,
    CURBLINE_SITE_ID: access.site_id,
    CURBLINE_LISTEN_SECRET: SIGNING_SECRET,
  })
  const curbline = (words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    curblineHereWith({ ...own(), ...env }, ...words)
  const trigger = async (...words: readonly string[]): Promise<string> => {
    const { status, out, err } = await curbline(["trigger", ...words])
    expect([status, status === 0 ? "" : err]).toEqual([0, ""])
    triggered.push(out.trim())
    return out.trim()
  }
  const listed = async (): Promise<Json> => {
    const url = `${service.urls.sandbox}/sandbox/v1/events?limit=100&cursor=${began}`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${access.api_key}` } })
    return ((await answer.json()) as Json).data
  }
  /** Waits until the receiver has the last event that the sandbox lists. */
  const caughtUp = async (): Promise<void> => {
    const isThere = async (): Promise<boolean> => {
      const { events } = await listed()
      return receiver.hooks.at(-1)?.body === events.at(-1)?.body
    }
    await expect.poll(isThere, WAIT).toBe(true)
  }

  beforeAll(async () => {
    await receiver.open()
    if (kind === "PostgreSQL") postgres = await startPostgres()
    ports = [await freePort(), await freePort()]
    await start()
    const newest = await fetch(`${service.urls.sandbox}/sandbox/v1/events?start=newest`, {
      headers: { authorization: `Bearer ${access.api_key}` },
    })
    began = String(((await newest.json()) as Json).data.next_cursor)
    following = running(["logs", "--follow"], undefined, own())
    listening = running(["listen", "--forward-to", receiver.url], undefined, own())
    await listening.says("forwarding events of")
  })
  afterAll(async () => {
    const status = await service.stop()
    await postgres?.stop()
    await receiver.close()
    if (status !== 0) throw new Error(`the service ended with ${String(status)}: ${service.log()}`)
  })

  test("triggers every event of both APIs, and her program verifies each", async () => {
    for (const name of [...EVENT_TYPES, ...PICKUP_EVENT_TYPES]) await trigger(name)
    await trigger("reservation.exception", "--reason", "bot_no_show")
    await caughtUp()
    const kinds = new Set<string>()
    for (const { path, headers, body } of receiver.hooks) {
      expect(path).toBe("/hooks")
      const isDelivery = headers["x-service-event"] !== undefined
      const request = { body, headers, secret: SIGNING_SECRET }
      const verdict = isDelivery
        ? await verifyWebhook({ ...request, api: "direct_delivery" })
        : await verifyWebhook({ ...request, api: "reservations" })
      expect(verdict.isValid).toBe(true)
      kinds.add(String(headers["x-service-event"] ?? headers["x-service-event-type"]))
    }
    expect([...kinds].toSorted()).toEqual([...EVENT_TYPES, ...PICKUP_EVENT_TYPES].toSorted())
    expect(receiver.hooks.map(({ body }) => body).join()).toContain('"reason_code":"bot_no_show"')
  })

  test("triggers more deliveries than the site has vehicles: her own earlier ones make room", async () => {
    const ids = new Set<string>()
    for (let order = 0; order < 3; order += 1) ids.add(await trigger("pickup_status.changed"))
    expect(ids.size).toBe(3)
  })

  test("her program is down for a while: the event waits for it", async () => {
    await caughtUp()
    await receiver.close()
    const id = await trigger("reservation.status_changed")
    await listening.says(`${id} waits for it`)
    await receiver.open()
    await caughtUp()
    expect(receiver.hooks.at(-1)?.headers["x-service-event-id"]).toBe(id)
  })

  test("the service is started again: nothing is lost and nothing comes twice", async () => {
    expect(await service.stop()).toBe(0)
    await listening.says("trying again")
    await start()
    await listening.says("answers again")
    await trigger("reservation.handoff_updated")
    await caughtUp()
    const { events } = await listed()
    expect(receiver.hooks.map(({ body }) => body)).toEqual(events.map(({ body }: Json) => body))
  })

  test("a redirect of her program is not followed", async () => {
    const count = receiver.hooks.length
    receiver.redirect = "/elsewhere"
    await trigger("reservation.status_changed")
    await caughtUp()
    expect(receiver.hooks.slice(count).map(({ path }) => path)).toEqual(["/hooks"])
  })

  test("mistakes get one line that says what to do, and status 1", async () => {
    const key = await curbline(["listen", "--forward-to", receiver.url], { CURBLINE_API_KEY: "ck_sbx_wrong" })
    expect([key.status, key.err]).toEqual([1, `error: ${service.urls.sandbox} does not know this key\n`])
    const host = await curbline(["listen", "--forward-to", receiver.url, "--url", service.urls.production])
    expect(host.status).toBe(1)
    expect(host.err).toContain(`error: ${service.urls.production} is no sandbox host`)
    const production = await curbline(["trigger", "reservation.exception"], {
      CURBLINE_API_KEY: service.access.production.api_key,
    })
    expect([production.status, production.err]).toEqual([
      2,
      "error: this is a key of production; the sandbox takes keys that begin with ck_sbx_\n",
    ])
    const away = await curbline(["logs", "--url", `http://127.0.0.1:${await freePort()}`])
    expect(away.status).toBe(1)
    expect(away.err).toMatch(/^error: http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/)
    const far = await curbline(["trigger", "pickup_status.changed", "--to", "10,10"])
    expect([far.status, far.err]).toEqual([1, expect.stringContaining("OUT_OF_SERVICE_AREA; name a place")])
  })

  test("a key without the permission is refused by its name, and one that reads nothing too", async () => {
    const keyOf = async (permissions: string): Promise<string> => {
      const answer = await fetch(`${service.urls.sandbox}/internal/v1/organizations`, {
        headers: { authorization: `Bearer ${access.operator_token}` },
      })
      const [{ organization_id }] = ((await answer.json()) as Json).data.organizations
      const made = await fetch(
        `${service.urls.sandbox}/internal/v1/organizations/${organization_id}/api-keys`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${access.operator_token}`, "content-type": "application/json" },
          body: JSON.stringify({ permissions: [permissions] }),
        },
      )
      expect(made.status).toBe(201)
      return String(((await made.json()) as Json).data.value)
    }
    const none = await keyOf("reservations:read")
    for (const [words, permission] of [
      [["listen", "--forward-to", receiver.url], "events:read"],
      [["trigger", "reservation.exception"], "events:read"],
      [["logs"], "requests:read"],
    ] as const) {
      const refused = await curbline(words, { CURBLINE_API_KEY: none })
      expect([refused.status, refused.err]).toEqual([1, expect.stringContaining(permission)])
    }
    const blind = await curbline(["listen", "--forward-to", receiver.url], {
      CURBLINE_API_KEY: await keyOf("events:read"),
    })
    expect([blind.status, blind.err]).toEqual([
      1,
      expect.stringContaining("deliveries:read or reservations:read"),
    ])
  })

  test("a coding agent tests her integration: it books, lets the bot stay away, and reads each webhook as it was sent", async () => {
    const env = { CURBLINE_API_KEY: access.api_key, CURBLINE_URL: service.urls.sandbox }
    const agent = await startCodingAgent({ words: [folder(), "--allow-writes"], env })
    const read = async (name: string, args = {}): Promise<Json> => JSON.parse(await agent.call(name, args))
    const [{ zones }] = (await read("list_places")).sites
    const fromMs = Date.parse((await read("read_clock")).clock.now) + 2 * HOUR_MS
    const { reservation } = await read("create_reservation", {
      zone_id: zones[0].zone_id,
      retailer_id: zones[0].retailers[0].retailer_id,
      order_number: "A-7",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      arrival_window_start: isoMs(fromMs),
      arrival_window_end: isoMs(fromMs + 30 * MINUTE_MS),
      open_link_url: LOCAL_OPEN_LINK,
    })
    const id = String(reservation.reservation_id)
    expect((await read("advance", { id })).step).toBeTypeOf("string")
    await read("advance", { id, reason_code: "bot_no_show" })
    await caughtUp()
    const { events } = await read("search_events", { cursor: began, subject_id: id })
    expect(events.map(({ body }: Json) => body)).toEqual(
      receiver.hooks.map(({ body }) => body).filter((body) => body.includes(id)),
    )
    expect(events.at(-1).body).toContain('"reason_code":"bot_no_show"')
    expect((await read("move_clock", { by: "PT4H" })).move.status).toMatch(/running|finished/)
    await expect
      .poll(async () => (await read("read_reservation", { id })).reservation.status, WAIT)
      .toBe("canceled")
    const { scenarios } = await read("list_failures")
    const { name } = scenarios.find((one: Json) => one.applies_to === "reservation")
    expect((await read("fail", { scenario: name })).run.scenario).toBe(name)
    expect(await agent.call("advance", { id })).toMatch(/^FAILED: INVALID_STATE: /)
    expect(await agent.call("read_reservation", { id: "res_none" })).toMatch(/^FAILED: /)
    await agent.client.close()
  })

  test("without the program on her computer it does the same over HTTP, and reads why the visit failed", async () => {
    const url = `${service.urls.sandbox}/sandbox/v1/mcp?writes=reservations:write,sandbox:manage`
    for (const mode of ["legacy", { pin: "2026-07-28" }] as const) {
      const agent = await agentWithKey(url, access.api_key, mode)
      const read = async (name: string, args = {}): Promise<Json> => JSON.parse(await agent.call(name, args))
      const { scenarios } = await read("list_failures")
      const { name } = scenarios.find((one: Json) => one.applies_to === "reservation")
      expect((await read("fail", { scenario: name })).run.scenario).toBe(name)
      await agent.client.close()
    }
    const agent = await agentWithKey(url, access.api_key)
    const read = async (name: string, args = {}): Promise<Json> => JSON.parse(await agent.call(name, args))
    const [{ zones }] = (await read("list_places")).sites
    const fromMs = Date.parse((await read("read_clock")).clock.now) + 2 * HOUR_MS
    const { reservation } = await read("create_reservation", {
      zone_id: zones[0].zone_id,
      retailer_id: zones[0].retailers[0].retailer_id,
      order_number: "A-8",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      arrival_window_start: isoMs(fromMs),
      arrival_window_end: isoMs(fromMs + 30 * MINUTE_MS),
      open_link_url: LOCAL_OPEN_LINK,
    })
    const id = String(reservation.reservation_id)
    await read("advance", { id, reason_code: "bot_no_show" })
    expect(await agent.call("explain_group", { id })).toContain(
      " → Confirmed; published reservation.status_changed",
    )
    expect((await agent.call("why", { id })).split("\n").at(-1)).toContain("published reservation.exception")
    await caughtUp()
    const { events } = await read("search_events", { cursor: began, subject_id: id })
    expect(events.map(({ body }: Json) => body)).toEqual(
      receiver.hooks.map(({ body }) => body).filter((body) => body.includes(id)),
    )
    await agent.client.close()
  })

  test("the lines of both commands name each event and each call", async () => {
    listening.signal("SIGINT")
    const listen = await listening.ended
    expect(listen.status).toBe(130)
    expect(listen.out).toContain(`signing secret: ${SIGNING_SECRET}\n`)
    for (const id of triggered)
      expect(listen.out).toMatch(new RegExp(`^[\\w.]+ ${id} (?:200|302 .*) \\d+ ms$`, "m"))
    expect(listen.out).toContain(" 302 (redirect, not followed) ")
    // A refusal of another kind than those of the commands: it is written within a second.
    await fetch(`${service.urls.sandbox}/rs/v1/reservations/res_none`, {
      headers: { authorization: `Bearer ${access.api_key}` },
    })
    await expect
      .poll(async () => (await curbline(["logs", "--status", "4xx"])).out, WAIT)
      .toContain("res_none 404")
    const refused = await curbline(["logs", "--status", "4xx", "--limit", "50", "--json"])
    const calls = refused.out
      .trim()
      .split("\n")
      .map((line): Json => JSON.parse(line))
    expect(calls.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    expect(refused.status).toBe(0)
    await following.says("answers again")
    following.signal("SIGINT")
    const followed = await following.ended
    expect(followed.status).toBe(130)
    expect(followed.out).toMatch(/ POST \/rs\/v1\/reservations 201 - \d+ ms …\w{4} [\w-]+$/m)
    expect(followed.out).not.toContain("/sandbox/v1/events")
  })
})
