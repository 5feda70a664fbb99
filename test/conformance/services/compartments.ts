/** The compartment at a customer's door: who opens it, with which call, and what follows when it does not open. Rows CO7 to CO12. */

import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Compartments } from "../../../src/areas/compartments/compartments.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { FleetSettings } from "../../../src/areas/dispatch/fleet-settings.ts"
import type { Opening, TrackingAnswer } from "../../../src/areas/tracking/tracking.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { WAY, drive, ready, tokenOf, tracking, vehicles } from "../courier-agent.ts"
import { COURIER } from "../courier-world.ts"
import { FLEET, SITE, north } from "../delivery-world.ts"
import { codeOf, operations, partner, refusalOf } from "../harness.ts"
import type { EndpointAnswer, MakeServicesHarness, ServicesHarness } from "../harness.ts"

const compartments = Effect.serviceFunctions(Compartments)
const deliveries = Effect.serviceFunctions(DirectDelivery)
const fleets = Effect.serviceFunctions(FleetSettings)

const DOOR = "https://fleet.example/open"
const ID = "order-1"
const FAILS: EndpointAnswer = { type: "status", status: 500, afterMs: 100 }
const OPENS: EndpointAnswer = { type: "status", status: 204, afterMs: 100 }

interface AtDoor {
  readonly h: ServicesHarness
  readonly token: string
  readonly secret: string
}

/** A delivery whose vehicle comes to the customer, of a fleet that can be asked to open. */
async function booked(make: MakeServicesHarness): Promise<AtDoor> {
  const h = make()
  const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production", label: "CB-07" } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic: false, isOnline: true }))
  const { openSecret } = await h.run(fleets.change(operations, FLEET, { open_url: DOOR }))
  const request = {
    external_delivery_id: ID,
    customer: { phone: "+15125559876" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await h.run(deliveries.quote(partner, SITE, request))
  const { delivery } = await h.run(deliveries.create(partner, SITE, { external_delivery_id: ID }))
  return { h, token: tokenOf(delivery.tracking_url ?? undefined), secret: openSecret ?? "" }
}

async function report(h: ServicesHarness, metres: number, load?: "loaded" | "unloaded"): Promise<void> {
  const fix = { ...north(metres), recorded_at: h.now(), ...(load === undefined ? {} : { load }) }
  await h.run(vehicles.report(operations, "veh_1", [fix]))
  await h.advance(SECOND_MS)
}

async function atDoor(make: MakeServicesHarness) {
  const found = await booked(make)
  await report(found.h, 5, "loaded")
  await report(found.h, 1_995)
  return found
}

const open = ({ token }: Pick<AtDoor, "token">, digits: string) => tracking.open("production", token, digits)

async function openingOf({ h, token }: Pick<AtDoor, "h" | "token">): Promise<Opening | null> {
  const answer: TrackingAnswer = await h.run(tracking.view("production", token))
  if (answer.type !== "found") throw new Error(answer.type)
  return answer.opening
}

const stateOf = async (found: Pick<AtDoor, "h" | "token">): Promise<string | undefined> =>
  (await openingOf(found))?.compartment?.state

/** By which operations know the delivery. */
function idOf({ token }: Pick<AtDoor, "token">): string {
  return token.split(".")[0] ?? ""
}

export function compartmentTests(make: MakeServicesHarness): void {
  describe("a compartment at a customer's door", () => {
    test("CO7 one signed call opens it: the attempt, the delivery and its vehicle, and nothing about a person", async () => {
      const found = await atDoor(make)
      const { h, secret } = found
      h.script(DOOR, [FAILS, OPENS])
      const atMs = h.now()
      await h.run(open(found, "9876"))
      expect(await stateOf(found)).toBe("opening")
      await h.advance(MINUTE_MS)
      expect(await stateOf(found)).toBe("opened")
      const requests = h.received(DOOR)
      expect(requests).toHaveLength(2)
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
      const body = JSON.parse(requests[0]?.body ?? "{}") as Readonly<Record<string, string>>
      expect(body).toEqual({
        attempt_id: requests[0]?.headers["X-Service-Attempt-Id"],
        delivery_id: idOf(found),
        vehicle_id: "veh_1",
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      })
      expect(Date.parse(String(body["occurred_at"]))).toBe(atMs)
      for (const { headers, body: sent, atMs: sentMs } of requests) {
        const seconds = Math.floor(sentMs / 1000)
        const signature = createHmac("sha256", secret).update(`${seconds}.${sent}`).digest("hex")
        expect(headers["X-Service-Signature"]).toBe(`t=${seconds},v1=${signature}`)
      }
    })

    test("CO8 before the door, after the end and by a wrong link nothing is asked", async () => {
      const found = await booked(make)
      const { h, token } = found
      expect(await codeOf(h, open(found, "9876"))).toBe("INVALID_STATE")
      await report(h, 5, "loaded")
      await report(h, 1_995)
      expect(await h.run(tracking.open("sandbox", token, "9876"))).toBe(false)
      expect(await h.run(tracking.open("production", `${token}x`, "9876"))).toBe(false)
      await report(h, 1_998, "unloaded")
      expect(await codeOf(h, open(found, "9876"))).toBe("INVALID_STATE")
      expect(await openingOf(found)).toBeNull()
      expect(h.received(DOOR)).toEqual([])
    })

    test("CO9 the fifth wrong try locks it, until operations open it", async () => {
      const found = await atDoor(make)
      const { h } = found
      for (const digits of ["0000", "", "98765", "５"])
        expect(await codeOf(h, open(found, digits))).toBe("WRONG_DIGITS")
      expect((await openingOf(found))?.compartment).toEqual({ state: "closed", wrongTries: 4, triesLeft: 1 })
      for (const digits of ["5125", "9876"])
        expect(await codeOf(h, open(found, digits))).toBe("COMPARTMENT_LOCKED")
      expect((await openingOf(found))?.compartment).toEqual({ state: "locked", wrongTries: 5, triesLeft: 0 })
      const sandbox = { ...operations, environment: "sandbox" } as const
      expect(await codeOf(h, compartments.grant(sandbox, idOf(found)))).toBe("DELIVERY_NOT_FOUND")
      expect(await h.run(compartments.grant(operations, idOf(found)))).toMatchObject({ state: "opening" })
      await h.advance(SECOND_MS)
      expect(await stateOf(found)).toBe("opened")
    })

    test("CO10 a fleet that never opens is asked three times; then operations try again, under a new attempt id", async () => {
      const found = await atDoor(make)
      const { h } = found
      h.script(DOOR, [FAILS, FAILS, FAILS, OPENS])
      await h.run(open(found, "9876"))
      await h.advance(MINUTE_MS)
      expect(await stateOf(found)).toBe("failed")
      expect(await codeOf(h, open(found, "9876"))).toBe("INVALID_STATE")
      await h.run(compartments.grant(operations, idOf(found)))
      await h.advance(SECOND_MS)
      expect(await stateOf(found)).toBe("opened")
      const ids = h.received(DOOR).map(({ headers }) => headers["X-Service-Attempt-Id"])
      expect([ids.length, new Set(ids.slice(0, 3)).size, new Set(ids).size]).toEqual([4, 1, 2])
    })

    test("CO10 a vehicle that leaves between two attempts is not asked again", async () => {
      const found = await atDoor(make)
      const { h } = found
      h.script(DOOR, [FAILS])
      await h.run(open(found, "9876"))
      await h.advance(SECOND_MS)
      await report(h, 1_998, "unloaded")
      await h.advance(MINUTE_MS)
      expect(h.received(DOOR)).toHaveLength(1)
    })

    test("CO11 a fleet without a URL has its instruction alone; a URL of the inside is refused and never called", async () => {
      const found = await atDoor(make)
      const { h } = found
      await h.run(fleets.change(operations, FLEET, { open_url: null, instruction: "Turn the yellow knob." }))
      expect(await openingOf(found)).toEqual({ instruction: "Turn the yellow knob.", compartment: null })
      expect((await refusalOf(h, open(found, "9876"))).detail).toContain("cannot be asked")
      const refused = await refusalOf(
        h,
        fleets.change(operations, FLEET, { open_url: "http://fleet.example/" }),
      )
      expect([refused.code, refused.problems?.[0]?.field]).toEqual(["VALIDATION_ERROR", "open_url"])
      await h.run(fleets.change(operations, FLEET, { open_url: DOOR }))
      h.breakHost("fleet.example", "private")
      await h.run(open(found, "9876"))
      await h.advance(MINUTE_MS)
      expect([await stateOf(found), h.received(DOOR)]).toEqual(["failed", []])
    })

    test("CO11 the secret is shown once and kept over changes; a fleet is its vehicles, in one environment", async () => {
      const { h, secret } = await booked(make)
      const shown = await h.run(fleets.show(operations, FLEET))
      expect(shown).toEqual({
        fleetId: FLEET,
        openUrl: DOOR,
        openSecret: `…${secret.slice(-4)}`,
        instruction: null,
        updatedAtMs: h.now(),
      })
      const moved = await h.run(fleets.change(operations, FLEET, { open_url: `${DOOR}/2` }))
      expect(moved.openSecret).toBe(shown.openSecret)
      const { openSecret } = await h.run(fleets.rotate(operations, FLEET))
      expect(openSecret).toMatch(/^whsec_[0-9a-f]{48}$/)
      expect(openSecret).not.toBe(secret)
      for (const [caller, id] of [
        [operations, "fleet_nowhere"],
        [{ ...operations, environment: "sandbox" }, FLEET],
      ] as const)
        expect(await codeOf(h, fleets.show(caller, id))).toBe("NOT_FOUND")
    })

    test("CO12 an errand's compartment opens after the digits of the linked number, and the page has the errand's street", async () => {
      const { h, agent } = await ready(make)
      await h.run(fleets.change(operations, COURIER.fleetId, { open_url: DOOR }))
      const id = await agent.booked()
      for (const [metres, load] of WAY.slice(0, -1)) await drive(h, metres, load)
      const token = tokenOf((await agent.status(id)).tracking_url)
      const view = await h.run(tracking.view("production", token))
      expect(view).toMatchObject({ state: "arrived_at_customer", street: "1 Sample St", city: "Austin" })
      expect(await codeOf(h, open({ token }, "9999"))).toBe("WRONG_DIGITS")
      await h.run(open({ token }, "0100"))
      await h.advance(SECOND_MS)
      expect(await stateOf({ h, token })).toBe("opened")
      const [, unloaded] = WAY.slice(-2)
      await drive(h, unloaded?.[0] ?? 0, unloaded?.[1])
      expect(await h.run(tracking.view("production", token))).toMatchObject({
        state: "completed",
        receipt: {
          from: ["11410 Century Oaks Terrace", "Austin, TX 78758"],
          to: ["1 Sample St", "Austin, TX 78758"],
        },
      })
    })
  })
}
