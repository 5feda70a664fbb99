/** Days of a site for pictures: a busy one from the journals of a simulated run, an empty one, and one that cannot be read. */

import type { Page } from "playwright-core"
import { kindOf } from "../../src/model/address.ts"
import { DAY_COMPLETE_UNTIL, dayAnswer } from "../../src/model/replay/site-day.ts"
import { writtenCourse } from "../../src/model/replay/written-course.ts"
import { startOfDay } from "../../src/model/values/local-calendar.ts"
import { DAY_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { GroupFacts } from "../../src/simulation/fleet/rewind/group-facts.ts"
import { siteCourse } from "../../src/simulation/fleet/rewind/site-course.ts"
import type { Fix } from "../../src/simulation/fleet/rewind/vehicle-days.ts"
import { recordedReplication } from "../../src/simulation/fleet/world/replication.ts"
import { fleetModel } from "../simulation/fleet/models.ts"

const ZONE = "America/Chicago"
/** The present of the made-up days. */
export const NOW = Date.parse("2026-03-02T12:35:00-06:00")

const LUNCH = `
fleet: Lunch
because: A site at lunch.
clock: 2026-03-02T11:00 ${ZONE}
horizon: 2h
seed: 5
sites:
  - as: curb
    at: [30.4, -97.7]
    reach_km: 2
    stalls: 6
    runners: 3
    vehicles: 6
    stores: [{ as: tacos, cooks: 4 }, { as: noodles, cooks: 4 }]
bot: { punctuality: { normal: { mean: 0s, sd: 4m } }, no_show: 10% }
demand:
  - { product: reservation, site: curb, store: tacos, per_hour: 30, ahead: { uniform: [10m, 40m] } }
  - { product: delivery, site: curb, store: noodles, per_hour: 12 }
  - { product: courier, site: curb, store: noodles, per_hour: 6 }
`

/** Between the store and a door, once a minute, while a vehicle has a run. */
function fixesOf({ facts }: GroupFacts, number: number): readonly Fix[] {
  const fixes: Fix[] = []
  for (const [at, { atMs, condition }] of facts.entries()) {
    const endMs = Math.min(NOW, facts[at + 1]?.atMs ?? atMs)
    const isOut = condition.is === "vehicle" && condition.state.endsWith("leaving")
    for (let ms = atMs; ms < endMs; ms += MINUTE_MS) {
      const share = isOut ? (ms - atMs) / (endMs - atMs) : 0
      fixes.push({
        atMs: ms,
        latitude: 30.4 + share * 0.012 * Math.cos(number),
        longitude: -97.7 + share * 0.012 * Math.sin(number),
      })
    }
  }
  return fixes
}

/** The text of an answer of the service. */
export function dayText(what: "empty" | "full"): string {
  const groups = new Map<string, GroupFacts>()
  const { entries } = recordedReplication(fleetModel(LUNCH), { seed: 5, name: "lunch", variant: null }).run
  for (const { entry, instantMs } of what === "empty" ? [] : entries) {
    if (instantMs > NOW || !["delivery", "reservation", "vehicle"].includes(kindOf(entry.group))) continue
    const facts = groups.get(entry.group) ?? new GroupFacts(entry.group)
    groups.set(entry.group, facts)
    facts.take(entry.text, entry.revision)
  }
  const all = [...groups.values()]
  const [stalls, stores] = [new Set<string>(), new Set<string>()]
  for (const { facts } of all)
    for (const { condition } of facts)
      if (condition.is === "visit") {
        stalls.add(condition.stallId)
        stores.add(condition.retailerId)
      }
  const startMs = startOfDay(NOW, ZONE)
  const steps = siteCourse(
    {
      name: "North curb",
      timeZone: ZONE,
      startMs,
      endMs: startMs + DAY_MS,
      place: { latitude: 30.4, longitude: -97.7 },
      area: [
        [
          [-97.716, 30.386],
          [-97.684, 30.386],
          [-97.684, 30.414],
          [-97.716, 30.414],
          [-97.716, 30.386],
        ],
      ],
      stalls: [...stalls].toSorted().map((stallId, at) => ({ stallId, label: `N${at + 1}` })),
      stores: [...stores].map((retailerId) => ({ retailerId, name: "Tacos" })),
    },
    {
      groups: all.toSorted((one, other) => (kindOf(one.address) < kindOf(other.address) ? -1 : 1)),
      fixes: new Map(
        all
          .filter(({ address }) => kindOf(address) === "vehicle")
          .map((group, number) => [group.address.replace("vehicle/", ""), fixesOf(group, number)]),
      ),
      promisedMsById: new Map(),
    },
    NOW,
  )
  for (;;) {
    const step = steps.next()
    if (step.done !== true) continue
    const { head, chunk, leftOut } = step.value
    const course = writtenCourse({ ...chunk, untilMs: 0 })
    return JSON.stringify(dayAnswer("site", "ready", { head, course, left_out: leftOut }))
  }
}

/** From now on the service's answers of today are these; the page reads by itself. */
export async function sayDay(page: Page, body: string | null): Promise<void> {
  await page.unroute("**/today")
  await page.route("**/today", (route) =>
    body === null
      ? route.fulfill({
          status: 503,
          json: {
            success: false,
            error: "the database does not answer",
            code: "UNAVAILABLE",
            request_id: "req_1",
          },
        })
      : route.fulfill({
          body,
          contentType: "application/json",
          headers: { [DAY_COMPLETE_UNTIL]: new Date(NOW).toISOString(), ETag: `"${body.length}"` },
        }),
  )
}
