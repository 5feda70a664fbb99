/** A developer who moves the sandbox's clock: real processes, real receivers, crashes and two nodes, on both databases. */

import { afterAll, beforeAll, expect, test } from "vitest"
import { verifyWebhook } from "../../src/areas/webhooks/signature.ts"
import { freePort } from "../free-port.ts"
import { dataFolder, startProcess } from "../serve/service-process.ts"
import { Receiver, developerOf, expectReplayed } from "./sandbox-developer.ts"
import type { Said } from "./sandbox-developer.ts"
import { databasesOf, onDatabases } from "./served.ts"
import type { Json } from "./served.ts"

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const databases = databasesOf("the embedded database")

onDatabases("a developer's clock", { databases, words: ["--demo"] }, (served) => {
  const receiver = new Receiver()
  const ask = developerOf(served)
  const access = () => served.process().access.sandbox
  let webhookSecret = ""

  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

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
      zone_id: access().zone_id,
      retailer_id: access().retailer_id,
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
    const told = receiver.events.filter(({ data: { reservation } }) => reservation.reservation_id === id)
    expect(told.map(({ data: { reservation } }) => reservation.status)).toEqual(["confirmed", "canceled"])
    expect(Date.parse(told[1].occurred_at)).toBe(Date.parse(end.at))
    expect(Date.parse(end.at)).toBeGreaterThan(before + 50 * MINUTE_MS)
  })

  test("a quote expires, and a delivery is walked under the moved clock", async () => {
    const quote = async (id: string): Promise<Said> =>
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
      .poll(() => receiver.events.filter((one) => one.data.reservation.reservation_id === id).length)
      .toBe(1)
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/clock/advance", { by: "P3D" })
    expect([begun.status, begun.data.move.status]).toEqual([202, "running"])
    const { id: moveId, target, reached } = begun.data.move
    expect(await statusOf(id)).toBe("canceled")
    await served.process().kill()
    receiver.release()
    await served.start()
    const move = await ended(moveId)
    expect(move).toMatchObject({ status: "finished", target, after: { mode: "ahead" } })
    expect(Date.parse(move.after.now)).toBe(Date.parse(target))
    const results = move.happened.items.filter((one: Json) => one.event === "call.succeeded")
    // The lost call was made again, at the instant at which it was lost.
    expect(results.map((one: Json) => one.at)).toContain(reached)
    expect(await statusOf(id)).toBe("canceled")
  })

  // The embedded database has one process.
  test.each(served.database === "PostgreSQL" ? ["the other sees it at once"] : [])(
    "one of two nodes moves the clock: %s",
    async () => {
      const other = await startProcess(dataFolder(), [await freePort(), await freePort()], {
        env: served.env(),
      })
      try {
        const host = other.urls.sandbox
        const there = async (): Promise<Json> =>
          (await ask("GET", "/sandbox/v1/clock", undefined, host)).data.clock
        const id = await book("1004", 20 * MINUTE_MS)
        await expect
          .poll(() => receiver.events.filter((one) => one.data.reservation.reservation_id === id).length)
          .toBe(1)
        receiver.isHolding = true
        const begun = await ask("POST", "/sandbox/v1/clock/advance", { by: "PT5H" })
        expect(begun.status).toBe(202)
        expect(await there()).toMatchObject({ now: begun.data.move.reached, move_id: begun.data.move.id })
        const refused = await ask("POST", "/sandbox/v1/clock/freeze", undefined, host)
        expect([refused.status, refused.code]).toEqual([409, "CLOCK_IS_MOVING"])
        const seen = await ask("GET", `/rs/v1/reservations/${id}`, undefined, host)
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
            zone_id: access().zone_id,
            retailer_id: access().retailer_id,
            order_number: "1005",
            end_user_name: "Ada Example",
            end_user_phone: "+15125550100",
            open_link_url: receiver.url,
            arrival_window_start: at(Date.parse(frozen.now) + 20 * MINUTE_MS),
            arrival_window_end: at(Date.parse(frozen.now) + 50 * MINUTE_MS),
          },
          host,
        )
        expect(booked.data.reservation.created_at).toBe(frozen.now)
        expect((await ask("POST", "/sandbox/v1/clock/resume", undefined, host)).data.clock.mode).toBe("ahead")
      } finally {
        expect(await other.stop()).toBe(0)
      }
    },
  )

  test("production has real time and no clock, and the journal replays to the same hashes", async () => {
    const { production } = served.process().urls
    const { status } = await ask("GET", "/sandbox/v1/clock", undefined, production)
    expect(status).toBe(404)
    await expectReplayed(served)
  })
})
