/** A developer who moves the sandbox's clock: real processes, real receivers, crashes and two nodes, on both databases. */

import { createServer } from "node:http"
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { freePort } from "../free-port.ts"
import { dataFolder, dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { databasesOf } from "./served.ts"
import type { Json } from "./served.ts"

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const SECRET = "a secret of the journeys, of 32 characters or more"

interface Hook {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMs: number
}

/** A receiver whose answers the test decides. */
class Receiver {
  readonly hooks: Hook[] = []
  /** How many of the next requests fail. */
  failing = 0
  /** True: requests get no answer. */
  isHolding = false
  readonly #held: ServerResponse[] = []
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      this.hooks.push({ headers: request.headers, body, atMs: Date.now() })
      if (this.isHolding) return void this.#held.push(response)
      response.statusCode = this.failing > 0 ? 503 : 200
      this.failing = Math.max(0, this.failing - 1)
      response.end()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  release(): void {
    this.isHolding = false
    for (const response of this.#held.splice(0)) response.end()
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}

interface Answered {
  readonly status: number
  readonly code: string | undefined
  readonly data: Json
}

describe.each(databasesOf("the embedded database"))("a developer's clock, on %s", (kind) => {
  const receiver = new Receiver()
  const data = dataFolderOn(kind)
  let postgres: PostgresDatabase | null = null
  let ports: readonly [number, number] = [0, 0]
  let service: ServiceProcess
  let access: Access
  let webhookSecret = ""

  const env = (): NodeJS.ProcessEnv =>
    postgres === null
      ? { DATABASE_URL: "", CURBLINE_SECRET: "" }
      : { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }
  const start = async (): Promise<void> => {
    service = await startProcess(data, ports, { words: ["--demo"], env: env() })
    access = service.access.sandbox
  }

  beforeAll(async () => {
    await receiver.open()
    if (kind === "PostgreSQL") postgres = await startPostgres()
    ports = [await freePort(), await freePort()]
    await start()
  })
  afterAll(async () => {
    receiver.release()
    const status = await service.stop()
    await postgres?.stop()
    await receiver.close()
    if (status !== 0) throw new Error(`the service ended with ${String(status)}: ${service.log()}`)
  })

  const ask = async (
    method: string,
    path: string,
    body?: object,
    more: { readonly host?: string; readonly key?: string } = {},
  ): Promise<Answered> => {
    const response = await fetch(`${more.host ?? service.urls.sandbox}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${more.key ?? access.api_key}`,
        "x-retailer-id": access.site_id,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Json
    return { status: response.status, code: answer.code, data: answer.data }
  }
  const clock = async (): Promise<Json> => (await ask("GET", "/sandbox/v1/clock")).data.clock
  const nowMs = async (): Promise<number> => Date.parse((await clock()).now)
  const at = (ms: number): string => new Date(ms).toISOString()
  const moved = async (body: object): Promise<Json> => {
    const begun = await ask("POST", "/sandbox/v1/clock/advance", body)
    expect([200, 202]).toContain(begun.status)
    return ended(begun.data.move.id)
  }
  const moveOf = async (id: string): Promise<Json> =>
    (await ask("GET", `/sandbox/v1/clock/moves/${id}`)).data.move
  const ended = async (id: string): Promise<Json> => {
    await expect.poll(async () => (await moveOf(id)).status).not.toBe("running")
    return moveOf(id)
  }
  const book = async (orderNumber: string, aheadMs: number): Promise<string> => {
    const fromMs = (await nowMs()) + aheadMs
    const booked = await ask("POST", "/rs/v1/reservations", {
      zone_id: access.zone_id,
      retailer_id: access.retailer_id,
      order_number: orderNumber,
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      open_link_url: receiver.url,
      arrival_window_start: at(fromMs),
      arrival_window_end: at(fromMs + 30 * MINUTE_MS),
    })
    expect([booked.status, booked.code]).toEqual([201, undefined])
    return booked.data.reservation.reservation_id
  }
  const statusOf = async (id: string): Promise<string> =>
    (await ask("GET", `/rs/v1/reservations/${id}`)).data.reservation.status
  const events = (): readonly Json[] => receiver.hooks.map(({ body }) => JSON.parse(body))

  test("eight attempts of a webhook take hours of the clock and no waiting", async () => {
    const made = await ask("POST", "/rs/v1/webhooks", {
      url: receiver.url,
      subscribed_events: ["reservation.status_changed"],
    })
    webhookSecret = made.data.webhook.secret
    receiver.failing = 7
    const id = await book("1001", 5 * HOUR_MS)
    const move = await moved({ by: "PT4H" })
    expect(move).toMatchObject({ status: "finished", after: { mode: "ahead" } })
    expect(Date.parse(move.after.now) - Date.parse(move.before.now)).toBe(4 * HOUR_MS)
    const sent = receiver.hooks.filter(({ body }) => body.includes(id))
    expect(sent).toHaveLength(8)
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    // Signatures have the true time; the event has the organization's.
    for (const { headers, body, atMs } of sent) {
      const header = String(headers["x-service-signature"])
      expect(
        verifyWebhook({ header, body, secrets: [webhookSecret], nowMs: atMs, toleranceMs: 60_000 }),
      ).toBe(true)
    }
    const results = move.happened.items.filter((one: Json) => one.event.startsWith("call."))
    expect(results.at(-1)).toMatchObject({ event: "call.succeeded", outcome: "delivered" })
  })

  test("a no-show: window and grace pass, and the event has the organization's instant", async () => {
    const before = await nowMs()
    const id = await book("1002", 20 * MINUTE_MS)
    const move = await moved({ by: "PT2H" })
    expect(await statusOf(id)).toBe("canceled")
    const end = move.happened.items.find((one: Json) => one.group === `reservation/${id}`)
    expect(end).toMatchObject({ cause: "timer", outcome: "canceled" })
    const told = events().filter(({ data: { reservation } }) => reservation.reservation_id === id)
    expect(told.map(({ data: { reservation } }) => reservation.status)).toEqual(["confirmed", "canceled"])
    expect(Date.parse(told[1].occurred_at)).toBe(Date.parse(end.at))
    expect(Date.parse(end.at)).toBeGreaterThan(before + 50 * MINUTE_MS)
  })

  test("a quote expires, and a delivery is walked under the moved clock", async () => {
    const quote = async (id: string): Promise<Answered> =>
      ask("POST", "/dd/v1/deliveries/quote", {
        external_delivery_id: id,
        customer: { phone: "+15125550100", first_name: "Bob", last_name: "Example" },
        delivery_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: { latitude: 30.402, longitude: -97.722 },
        ready_by: at((await nowMs()) + 10 * MINUTE_MS),
        order_items: [{ name: "Milk", quantity: 1 }],
      })
    const quoted = await quote("late")
    expect([quoted.status, quoted.data.available]).toEqual([200, true])
    await moved({ by: "P1D" })
    const late = await ask("POST", "/dd/v1/deliveries", { external_delivery_id: "late" })
    expect([late.status, late.code]).toEqual([410, "QUOTE_EXPIRED"])
    await quote("in-time")
    const created = await ask("POST", "/dd/v1/deliveries", { external_delivery_id: "in-time" })
    expect(created.status).toBe(201)
    let status = created.data.status
    for (let steps = 0; status !== "COMPLETED" && steps < 12; steps += 1) {
      const walked = await ask("POST", "/dd/v1/deliveries/in-time/advance")
      expect([walked.status, walked.code]).toEqual([200, undefined])
      status = walked.data.status
      await moved({ by: "PT2M" })
    }
    expect(status).toBe("COMPLETED")
  })

  test("the process is killed in the middle of a move: the clock stands where it was, and the move goes on", async () => {
    const id = await book("1003", 20 * MINUTE_MS)
    // The first announcement is delivered before the clock moves.
    await expect
      .poll(() => events().filter((one) => one.data.reservation.reservation_id === id).length)
      .toBe(1)
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/clock/advance", { by: "P3D" })
    expect([begun.status, begun.data.move.status]).toEqual([202, "running"])
    const { id: moveId, target, reached } = begun.data.move
    expect(await statusOf(id)).toBe("canceled")
    await service.kill()
    receiver.release()
    await start()
    const move = await ended(moveId)
    expect(move).toMatchObject({ status: "finished", target, after: { mode: "ahead" } })
    expect(Date.parse(move.after.now)).toBe(Date.parse(target))
    const results = move.happened.items.filter((one: Json) => one.event === "call.succeeded")
    // The lost call was made again, at the instant at which it was lost.
    expect(results.map((one: Json) => one.at)).toContain(reached)
    expect(await statusOf(id)).toBe("canceled")
  })

  // The embedded database has one process.
  test.each(kind === "PostgreSQL" ? ["the other sees it at once"] : [])(
    "one of two nodes moves the clock: %s",
    async () => {
      const other = await startProcess(dataFolder(), [await freePort(), await freePort()], { env: env() })
      try {
        const host = other.urls.sandbox
        const there = async (): Promise<Json> =>
          (await ask("GET", "/sandbox/v1/clock", undefined, { host })).data.clock
        const id = await book("1004", 20 * MINUTE_MS)
        await expect
          .poll(() => events().filter((one) => one.data.reservation.reservation_id === id).length)
          .toBe(1)
        receiver.isHolding = true
        const begun = await ask("POST", "/sandbox/v1/clock/advance", { by: "PT5H" })
        expect(begun.status).toBe(202)
        expect(await there()).toMatchObject({ now: begun.data.move.reached, move_id: begun.data.move.id })
        const refused = await ask("POST", "/sandbox/v1/clock/freeze", undefined, { host })
        expect([refused.status, refused.code]).toEqual([409, "CLOCK_IS_MOVING"])
        const seen = await ask("GET", `/rs/v1/reservations/${id}`, undefined, { host })
        expect(seen.data.reservation.status).toBe("canceled")
        receiver.release()
        const move = await ended(begun.data.move.id)
        expect(move.status).toBe("finished")
        const frozen = (await ask("POST", "/sandbox/v1/clock/freeze")).data.clock
        expect((await there()).now).toBe(frozen.now)
        const booked = await ask(
          "POST",
          "/rs/v1/reservations",
          {
            zone_id: access.zone_id,
            retailer_id: access.retailer_id,
            order_number: "1005",
            end_user_name: "Ada Example",
            end_user_phone: "+15125550100",
            open_link_url: receiver.url,
            arrival_window_start: at(Date.parse(frozen.now) + 20 * MINUTE_MS),
            arrival_window_end: at(Date.parse(frozen.now) + 50 * MINUTE_MS),
          },
          { host },
        )
        expect(booked.data.reservation.created_at).toBe(frozen.now)
        expect((await ask("POST", "/sandbox/v1/clock/resume", undefined, { host })).data.clock.mode).toBe(
          "ahead",
        )
      } finally {
        expect(await other.stop()).toBe(0)
      }
    },
  )

  test("production has real time and no clock, and the journal replays to the same hashes", async () => {
    const { production } = service.urls
    const { status } = await ask("GET", "/sandbox/v1/clock", undefined, { host: production })
    expect(status).toBe(404)
    const record = join(dataFolder(), "record.ndjson")
    if (postgres === null) await service.stop()
    const exported = await curblineHereWith(env(), "journal", "export", "--out", record, "--data", data)
    expect(exported.status).toBe(0)
    const [hash] = /[0-9a-f]{64}/.exec(exported.err) ?? []
    const replayed = await curblineHereWith({}, "replay", record)
    expect(replayed.status).toBe(0)
    expect(`${replayed.out}${replayed.err}`).toContain(hash)
    if (postgres === null) await start()
  })
})
