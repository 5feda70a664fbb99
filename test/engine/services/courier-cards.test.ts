/** What a card in a chat shows beside the envelope: whose it is, what it has at each stage, and how large it gets. */

import { beforeEach, describe, expect, test } from "vitest"
import { thinned } from "../../../src/areas/tracking/card.ts"
import { CARD_TRAIL_PLACES_MAX, LOADING_MS } from "../../../src/model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { TRACKING_STEPS } from "../../../src/model/requests/courier-card.ts"
import { USER, WAY, drive, ready, tokenOf, tracking } from "../../conformance/courier-agent.ts"
import type { Agent } from "../../conformance/courier-agent.ts"
import { memoryHarness } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

let h: MemoryHarness
let agent: Agent

beforeEach(async () => {
  ;({ h, agent } = await ready(memoryHarness))
})

const card = (id: string, userId = USER) => h.run(tracking.card(userId, id))

/** The steps that are reached. */
const reached = async (id: string): Promise<readonly string[]> =>
  ((await card(id))?.steps ?? []).filter(({ atMs }) => atMs !== null).map(({ step }) => step)

describe("the data of a card", () => {
  test("of a quote is how long the way to the door takes after the pickup, and the clock", async () => {
    const data = await card(await agent.quoted())
    expect(data).toMatchObject({
      environment: "production",
      timeZone: "America/Chicago",
      nowMs: h.now(),
      arrival: null,
      map: null,
      endedAtMs: null,
    })
    expect(data?.doorAfterMs).toBeGreaterThan(LOADING_MS)
    expect((data?.doorAfterMs ?? 0) % MINUTE_MS).toBe(0)
    expect(data?.steps.map(({ step }) => step)).toEqual(TRACKING_STEPS)
  })

  test("under way is what the tracking page shows, up to the end and a day after it", async () => {
    const id = await agent.booked()
    expect(await reached(id)).toEqual(["booked"])
    const token = tokenOf((await agent.status(id)).tracking_url)
    for (const [metres, load] of WAY.slice(0, 7)) await drive(h, metres, load)
    const [data, view] = [await card(id), await h.run(tracking.view("production", token))]
    expect(data?.map?.vehicle).not.toBeNull()
    expect(view).toMatchObject({
      steps: data?.steps,
      arrival: data?.arrival,
      change: data?.change,
      map: data?.map,
      vehicle: data?.vehicle,
    })
    for (const [metres, load] of WAY.slice(7)) await drive(h, metres, load)
    const ended = await card(id)
    expect(await reached(id)).toEqual(TRACKING_STEPS)
    expect(ended).toMatchObject({ arrival: null, map: null, vehicle: null })
    await h.advance(24 * HOUR_MS)
    expect(await card(id)).toBeNull()
  })

  test("is the user's own alone, and has nothing of a person", async () => {
    const id = await agent.booked()
    for (const [metres, load] of WAY.slice(0, 7)) await drive(h, metres, load)
    expect(await card(id, "usr_two")).toBeNull()
    expect(await card(`dlv_${"z".repeat(22)}`)).toBeNull()
    for (const personal of ["Ada", "Example", "Sample St", "+1512"])
      expect(JSON.stringify(await card(id))).not.toContain(personal)
  })
})

describe("the trail of a card", () => {
  const trail = (length: number) =>
    Array.from({ length }, (_, at) => ({ latitude: 30 + at / 1000, longitude: -97 }))

  test("is whole up to its limit", () => {
    expect(thinned(trail(CARD_TRAIL_PLACES_MAX))).toEqual(trail(CARD_TRAIL_PLACES_MAX))
    expect(thinned([])).toEqual([])
  })

  test("is thinned above it, with its beginning and the newest place, in order", () => {
    const long = trail(600)
    const thin = thinned(long)
    expect(thin).toHaveLength(CARD_TRAIL_PLACES_MAX)
    expect([thin[0], thin.at(-1)]).toEqual([long[0], long.at(-1)])
    expect(thin).toEqual(thin.toSorted((one, other) => one.latitude - other.latitude))
    expect(new Set(thin).size).toBe(CARD_TRAIL_PLACES_MAX)
  })
})
