/** A verifier that is not ours: the `stripe` package takes our events for its own, and none that was touched. */

import { Stripe } from "stripe"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { startRealService } from "./real-service.ts"
import type { RealService } from "./real-service.ts"
import { startReceiver } from "./receiver.ts"
import type { Arrived, Receiver } from "./receiver.ts"
import { eventually } from "../eventually.ts"

const LIST = "/rs/v1/reservations"
const TOLERANCE_SECONDS = 300

const { webhooks } = new Stripe("sk_test_nobody")

let service: RealService
let receiver: Receiver
let secret = ""
/** One delivery of each type, to the byte. */
const byType = new Map<string, Arrived>()

beforeAll(async () => {
  service = await startRealService({ environment: "sandbox", allowsLoopback: true })
  receiver = await startReceiver()
  service.names.set("localhost", { type: "addresses", addresses: ["127.0.0.1"] })
  const body = { url: receiver.url, subscribed_events: EVENT_TYPES }
  const made = await service.call("POST", "/rs/v1/webhooks", { body })
  secret = (made.body["data"] as { webhook: { secret: string } }).webhook.secret
  const booked = await service.call("POST", LIST, { body: service.booking({ end_user_name: "Zoë 😀" }) })
  const { reservation } = booked.body["data"] as { reservation: { reservation_id: string } }
  const path = `${LIST}/${reservation.reservation_id}/advance`
  await service.call("POST", path, {
    body: { reason_code: "stall_blocked", message: "ein Lieferwagen – grün" },
  })
  await service.call("POST", path)
  await service.call("POST", path)
  await eventually(() => {
    for (const one of receiver.arrived) byType.set(String(one.headers["x-service-event-type"]), one)
    if (byType.size < EVENT_TYPES.length) throw new Error("not every type has come yet")
  })
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

interface Delivered {
  readonly bytes: Buffer
  readonly signature: string
  readonly atSeconds: number
}

function delivered(type: string): Delivered {
  const one = byType.get(type)
  const signature = String(one?.headers["x-service-signature"])
  return {
    bytes: one?.bytes ?? Buffer.alloc(0),
    signature,
    atSeconds: Number(/^t=(\d+),/.exec(signature)?.[1]),
  }
}

function verify({ bytes, signature }: Delivered, key: string, receivedAtSeconds: number): unknown {
  const { undefined: none } = {} as { undefined?: undefined }
  return webhooks.constructEvent(bytes, signature, key, TOLERANCE_SECONDS, none, receivedAtSeconds * 1000)
}

describe.each(EVENT_TYPES)("%s", (type) => {
  test("is accepted with our header and secret over the raw bytes", () => {
    const one = delivered(type)
    expect(verify(one, secret, one.atSeconds)).toMatchObject({
      event_type: type,
      data: { reservation: { end_user_name: "Zoë 😀" } },
    })
  })

  test.each([-1, 1])("is refused with a time %i second beyond the tolerance", (side) => {
    const one = delivered(type)
    const late = one.atSeconds + side * (TOLERANCE_SECONDS + 1)
    if (side > 0) expect(() => verify(one, secret, late)).toThrow("outside the tolerance zone")
    else expect(verify(one, secret, one.atSeconds + TOLERANCE_SECONDS)).toBeDefined()
  })

  test("is refused when its time was rewritten", () => {
    const one = delivered(type)
    const signature = one.signature.replace(/^t=\d+/, `t=${one.atSeconds + 1}`)
    expect(() => verify({ ...one, signature }, secret, one.atSeconds)).toThrow("No signatures found")
  })

  test("is refused with one bit changed, anywhere", () => {
    const one = delivered(type)
    for (const at of [0, 20, Math.floor(one.bytes.length / 2), one.bytes.length - 1]) {
      const bytes = Buffer.from(one.bytes)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(() => verify({ ...one, bytes }, secret, one.atSeconds)).toThrow("No signatures found")
    }
  })

  test("is refused with another secret, and without the secret's prefix", () => {
    const one = delivered(type)
    for (const other of [`${secret.slice(0, -1)}x`, secret.replace("whsec_", "")]) {
      expect(() => verify(one, other, one.atSeconds)).toThrow("No signatures found")
    }
  })
})
