/** Courses of sites' days: one at a time, entries read once, a busy day in parts, and what a failing read leaves. */

import { Context, Effect, Exit, Layer, Scope } from "effect"
import { setImmediate } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { afterEach, expect, test } from "vitest"
import { DayCourses, SiteDayRows } from "../../../src/apps/operations/site-day.ts"
import type { DayEntry, DaySite, SiteDay } from "../../../src/apps/operations/site-day.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import {
  SITE_DAY_FRESH_MS,
  SITE_DAY_GROUPS_AT_ONCE,
  SITE_DAY_TEXTS_AT_ONCE,
} from "../../../src/live/configuration/bounds.ts"
import { layerDayCourses } from "../../../src/live/site-days/day-courses.ts"
import { idOf, kindOf } from "../../../src/model/address.ts"
import { Course } from "../../../src/model/replay/course-reader.ts"
import type { SiteDayAnswer } from "../../../src/model/replay/site-day.ts"
import { courseOf } from "../../../src/model/replay/written-course.ts"
import { recordedReplication } from "../../../src/simulation/fleet/world/replication.ts"
import { fleetModel } from "../../simulation/fleet/models.ts"
import { SteppedClock } from "./stepped-clock.ts"

const LUNCH = `
fleet: Lunch
because: Its journals are a day.
clock: 2026-03-02T11:00 UTC
horizon: 1h
seed: 3
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 4, runners: 3, vehicles: 0, stores: [{ as: tacos, cooks: 4 }] }
demand:
  - { product: reservation, site: curb, per_hour: 30, ahead: { uniform: [10m, 40m] } }
`

const { entries } = recordedReplication(fleetModel(LUNCH), { seed: 3, name: "lunch", variant: null }).run
const NOW = Date.parse("2026-03-02T15:00:00Z")

/** The journal of one reservation of the run, earliest first. */
const journals = new Map<string, readonly DayEntry[]>()
for (const { entry } of entries)
  if (kindOf(entry.group) === "reservation") {
    const { group, revision, text } = entry
    journals.set(group, [...(journals.get(group) ?? []), { group, revision, text }])
  }

/** So many reservations, each with the journal of one of the run under an id of its own. */
function copies(count: number): Map<string, readonly DayEntry[]> {
  const known = [...journals]
  const made = new Map<string, readonly DayEntry[]>()
  for (let number = 0; number < count; number += 1) {
    const [address = "", own = []] = known[number % known.length] ?? []
    const id = `res_${String(number).padStart(22, "0")}`
    const group = `reservation/${id}`
    made.set(
      group,
      own.map(({ revision, text }) => ({ group, revision, text: text.replaceAll(idOf(address), id) })),
    )
  }
  return made
}

const siteNamed = (siteId: string): DaySite => ({
  environment: "production",
  siteId,
  name: siteId,
  timeZone: "UTC",
  place: null,
  area: null,
  zoneIds: ["zone"],
  fleetId: null,
  stalls: [],
  stores: [],
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Rows {
  journals: ReadonlyMap<string, readonly DayEntry[]>
  isFailing: boolean
  /** Of each read of entries: how many groups were asked for. */
  readonly reads: number[]
  readonly revisionsRead: number[]
  /** Sites in the order in which their days were read. */
  readonly sites: string[]
}

async function openDesk(journalsOf: ReadonlyMap<string, readonly DayEntry[]>) {
  const clock = new SteppedClock(NOW)
  const seen: Rows = { journals: journalsOf, isFailing: false, reads: [], revisionsRead: [], sites: [] }
  const rows = Layer.succeed(SiteDayRows, {
    groups: ({ site }) =>
      Routine.sync(() => {
        if (seen.isFailing) throw new Error("the database is gone")
        seen.sites.push(site.siteId)
        const groups = [...seen.journals].map(([address, own]) => ({
          address,
          revision: own.at(-1)?.revision ?? 0,
          promisedMs: null,
        }))
        return { groups, isWhole: true }
      }),
    entries: (groups) =>
      Routine.sync(() => {
        seen.reads.push(groups.length)
        const found = groups.flatMap(({ address, after }) =>
          (seen.journals.get(address) ?? []).filter(({ revision }) => revision > after),
        )
        seen.revisionsRead.push(...found.map(({ revision }) => revision))
        return found
      }),
    fixes: () => Routine.succeed([]),
  })
  const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withClock(effect, clock)
  const scope = Effect.runSync(Scope.make())
  const built = await Effect.runPromise(
    onClock(Layer.buildWithScope(layerDayCourses.pipe(Layer.provide(rows)), scope)),
  )
  closing.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { current } = Context.get(built, DayCourses)
  const ask = (siteId = "north"): Promise<SiteDay> => Effect.runPromise(onClock(current(siteNamed(siteId))))
  /** How many turns the event loop had meanwhile. */
  const made = async (is: (day: SiteDay) => boolean, siteId?: string): Promise<number> => {
    for (let turns = 0; turns < 100_000; turns += 1) {
      if (turns % 10 === 0 && is(await ask(siteId))) return turns
      await setImmediate()
    }
    throw new Error("it was never made")
  }
  return { clock, seen, ask, made }
}

const isReady = ({ state }: SiteDay): boolean => state === "ready"

function courseIn(day: SiteDay): Course {
  if (day.state !== "ready") throw new Error(day.state)
  const { course } = (JSON.parse(day.written.text) as SiteDayAnswer).data.today.day ?? {}
  const read = new Course()
  if (course !== undefined) read.append({ ...courseOf(course), untilMs: 0 })
  return read
}

test("a busy day of 1,500 reservations is made in parts, and its answer is bounded", async () => {
  const { ask, made, seen } = await openDesk(copies(1500))
  expect(await ask()).toEqual({ state: "being_made" })
  const turns = await made(isReady)
  const texts = seen.revisionsRead.length
  expect(texts).toBeGreaterThan(15_000)
  // Other work has its turn after so many texts, and between reads.
  expect(turns).toBeGreaterThan(texts / SITE_DAY_TEXTS_AT_ONCE)
  expect(Math.max(...seen.reads)).toBe(SITE_DAY_GROUPS_AT_ONCE)
  const day = await ask()
  expect(courseIn(day).actors.filter(({ kind }) => kind === "order")).toHaveLength(1500)
  const { text } = day.state === "ready" ? day.written : { text: "" }
  expect(gzipSync(text).length).toBeLessThan(500_000)
})

test("an entry is read once: later reads are of groups that have changed, and without any the text stays the same object", async () => {
  const all = copies(40)
  const { ask, made, seen, clock } = await openDesk(all)
  await ask()
  await made(isReady)
  const first = await ask()
  const read = seen.revisionsRead.length
  clock.nowMs += SITE_DAY_FRESH_MS
  const isLater = (day: SiteDay): boolean => day.state === "ready" && day.completeUntilMs >= clock.nowMs
  await made(isLater)
  const same = await ask()
  expect(seen.revisionsRead).toHaveLength(read)
  if (first.state !== "ready" || same.state !== "ready") throw new Error("not ready")
  expect(same.written).toBe(first.written)
  // One more reservation.
  seen.journals = copies(41)
  clock.nowMs += SITE_DAY_FRESH_MS
  await made(isLater)
  const [own = []] = [...copies(41).values()].slice(-1)
  expect(seen.revisionsRead.slice(read)).toEqual(own.map(({ revision }) => revision))
  const other = await ask()
  expect(other.state === "ready" && other.written !== first.written).toBe(true)
})

test("days of several sites are made one after the other, and many requests make one", async () => {
  const { ask, made, seen } = await openDesk(copies(30))
  await Promise.all(["north", "south", "north", "south", "north"].map((siteId) => ask(siteId)))
  await made(isReady, "south")
  expect(seen.sites).toEqual(["north", "south"])
  // Pages of one are not between those of the other.
  expect(seen.reads).toEqual([25, 5, 25, 5])
})

test("a failing read is a state of its own; the next attempt succeeds, and a later failure keeps the day that was made", async () => {
  const { ask, made, seen, clock } = await openDesk(copies(3))
  seen.isFailing = true
  await ask()
  await made(({ state }) => state === "unavailable")
  seen.isFailing = false
  // Not before its time.
  expect(await ask()).toEqual({ state: "unavailable" })
  clock.nowMs += SITE_DAY_FRESH_MS
  await made(isReady)
  const first = await ask()
  seen.isFailing = true
  clock.nowMs += SITE_DAY_FRESH_MS
  await ask()
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  expect(await ask()).toEqual(first)
})
