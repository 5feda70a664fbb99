/**
 * Makes the courses of sites' days, one at a time, and keeps them for a while. A request gets what is there, and one that is missing or
 * old is queued. What a journal showed is kept, so only new entries are read. The work is done in parts: requests go between them.
 */

import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import { Cause, Clock, Data, Effect, Exit, Layer, Queue } from "effect"
import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { dayAnswer } from "../../model/replay/site-day.ts"
import { writtenCourse } from "../../model/replay/written-course.ts"
import { startOfDay } from "../../model/values/local-calendar.ts"
import { HOUR_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { DAY_FIX_EVERY_MS, DayCourses, SiteDayRows } from "../../apps/operations/site-day.ts"
import type { DayGroup, DaySite, DayText, SiteDay } from "../../apps/operations/site-day.ts"
import { GroupFacts } from "../../simulation/fleet/rewind/group-facts.ts"
import { siteCourse } from "../../simulation/fleet/rewind/site-course.ts"
import type { LeftOut, SiteCourse } from "../../simulation/fleet/rewind/site-course.ts"
import { addFix } from "../../simulation/fleet/rewind/vehicle-days.ts"
import type { Fix } from "../../simulation/fleet/rewind/vehicle-days.ts"
import {
  SITE_DAYS_KEPT_MAX,
  SITE_DAY_ENTRIES_OF_VEHICLE_MAX,
  SITE_DAY_FRESH_MS,
  SITE_DAY_GROUPS_AT_ONCE,
  SITE_DAY_GROUPS_MAX,
  SITE_DAY_MS_MAX,
  SITE_DAY_TEXTS_AT_ONCE,
  SITE_DAY_VEHICLES_AT_ONCE,
} from "../configuration/bounds.ts"

class TookTooLong extends Data.TaggedError("TookTooLong") {}

/** What the database showed of one day so far. */
interface Known {
  readonly startMs: EpochMs
  readonly groups: Map<GroupAddress, GroupFacts>
  readonly fixes: Map<string, Fix[]>
}

interface Kept {
  /** As the last request found it. */
  site: DaySite
  known: Known | null
  written: DayText | null
  completeUntilMs: EpochMs
  hasFailed: boolean
  /** From when on a request begins the next attempt. */
  dueMs: EpochMs
  isQueued: boolean
}

type Rows = SiteDayRows["Type"]

export const layerDayCourses: Layer.Layer<DayCourses, never, SiteDayRows> = Layer.scoped(
  DayCourses,
  Effect.gen(function* () {
    const rows = yield* SiteDayRows
    const queue = yield* Queue.unbounded<Kept>()
    const kept = new Map<string, Kept>()
    const working = Effect.flatMap(Queue.take(queue), (one) => attempt(one, rows))
    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(working)))
    return {
      current: (site) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const one = keptOf(kept, site)
          // A clock that was set back is before the last attempt.
          if (!one.isQueued && (nowMs >= one.dueMs || nowMs < one.completeUntilMs)) {
            one.isQueued = true
            yield* Queue.offer(queue, one)
          }
          return shown(one)
        }),
    }
  }),
)

const NOTHING = {
  known: null,
  written: null,
  completeUntilMs: 0,
  hasFailed: false,
  dueMs: 0,
  isQueued: false,
} as const

/** The most recently requested one is the last in the map. */
function keptOf(kept: Map<string, Kept>, site: DaySite): Kept {
  const key = `${site.environment} ${site.siteId}`
  const one = kept.get(key) ?? { site, ...NOTHING }
  one.site = site
  kept.delete(key)
  kept.set(key, one)
  const [oldest] = kept.keys()
  if (kept.size > SITE_DAYS_KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  return one
}

/** After a failure the last course is shown: the header says until when it is complete. */
function shown({ written, completeUntilMs, hasFailed }: Kept): SiteDay {
  if (written !== null) return { state: "ready", written, completeUntilMs }
  return { state: hasFailed ? "unavailable" : "being_made" }
}

const attempt = Effect.fnUntraced(function* (one: Kept, rows: Rows) {
  const exit = yield* Effect.exit(
    made(one, rows).pipe(
      Effect.timeoutFail({ duration: SITE_DAY_MS_MAX, onTimeout: () => new TookTooLong() }),
    ),
  )
  one.hasFailed = Exit.isFailure(exit)
  one.dueMs = (yield* Clock.currentTimeMillis) + SITE_DAY_FRESH_MS
  one.isQueued = false
  if (Exit.isSuccess(exit)) return
  if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
  // What was read may be a part of an entry's group: the next attempt begins anew.
  one.known = null
  yield* Effect.logWarning("the course of a site's day could not be made", exit.cause).pipe(
    Effect.annotateLogs({ site: one.site.siteId }),
  )
})

const made = Effect.fnUntraced(function* (one: Kept, rows: Rows) {
  const { site } = one
  const startMs = startOfDay(yield* Clock.currentTimeMillis, site.timeZone)
  // The longest day has 25 hours, the shortest 23.
  const endMs = startOfDay(startMs + 26 * HOUR_MS, site.timeZone)
  if (one.known?.startMs !== startMs) {
    one.known = { startMs, groups: new Map(), fixes: new Map() }
    one.written = null
  }
  const { known } = one
  const { groups, isWhole } = yield* rows.groups({
    site,
    fromMs: startMs,
    untilMs: endMs,
    limit: SITE_DAY_GROUPS_MAX,
  })
  yield* readEntries(known, groups, rows)
  const untilMs = yield* Clock.currentTimeMillis
  yield* readFixes(known, { groups, untilMs }, rows)
  const found = yield* inParts(
    siteCourse(
      { ...site, startMs, endMs },
      {
        groups: groups.flatMap(({ address }) => known.groups.get(address) ?? []),
        fixes: known.fixes,
        promisedMsById: new Map(
          groups.flatMap(({ address, promisedMs }) =>
            promisedMs === null ? [] : [[idOf(address), promisedMs] as const],
          ),
        ),
      },
      untilMs,
    ),
  )
  keep(one, { ...found, leftOut: [...found.leftOut, ...(isWhole ? [] : [TOO_MANY])] }, untilMs)
})

const TOO_MANY: LeftOut = { what: `orders and vehicles beyond ${SITE_DAY_GROUPS_MAX} of each`, count: 1 }

function keep(one: Kept, { head, chunk, leftOut }: SiteCourse, untilMs: EpochMs): void {
  const course = writtenCourse({ ...chunk, untilMs: 0 })
  const text = JSON.stringify(dayAnswer(one.site.siteId, "ready", { head, course, left_out: leftOut }))
  if (one.written?.text !== text) one.written = { text }
  one.completeUntilMs = untilMs
}

/** New entries of the day's groups, some groups at once. A vehicle is older than the day: its last entries are enough. */
const readEntries = Effect.fnUntraced(function* (known: Known, groups: readonly DayGroup[], rows: Rows) {
  const changed = groups.flatMap(({ address, revision }) => {
    const after = known.groups.get(address)?.revision ?? 0
    if (revision <= after) return []
    const least = kindOf(address) === "vehicle" ? revision - SITE_DAY_ENTRIES_OF_VEHICLE_MAX : 0
    return [{ address, after: Math.max(after, least) }]
  })
  for (let at = 0; at < changed.length; at += SITE_DAY_GROUPS_AT_ONCE) {
    const entries = yield* rows.entries(changed.slice(at, at + SITE_DAY_GROUPS_AT_ONCE))
    for (const [number, { group, revision, text }] of entries.entries()) {
      if (number % SITE_DAY_TEXTS_AT_ONCE === 0) yield* Effect.promise(() => nextTurnOfTheLoop())
      const facts = known.groups.get(group) ?? new GroupFacts(group)
      known.groups.set(group, facts)
      facts.take(text, revision)
    }
  }
})

/** Where vehicles were shortly before the day began, and since. */
const readFixes = Effect.fnUntraced(function* (
  known: Known,
  { groups, untilMs }: { readonly groups: readonly DayGroup[]; readonly untilMs: EpochMs },
  rows: Rows,
) {
  const vehicles = groups.flatMap(({ address }) => {
    if (kindOf(address) !== "vehicle") return []
    const last = known.fixes.get(idOf(address))?.at(-1)?.atMs
    // The span of the last report has no further one.
    const sinceMs =
      last === undefined ? known.startMs - HOUR_MS : last - (last % DAY_FIX_EVERY_MS) + DAY_FIX_EVERY_MS - 1
    return [{ vehicleId: idOf(address), sinceMs }]
  })
  for (let at = 0; at < vehicles.length; at += SITE_DAY_VEHICLES_AT_ONCE) {
    const found = yield* rows.fixes(vehicles.slice(at, at + SITE_DAY_VEHICLES_AT_ONCE), untilMs)
    for (const { vehicleId, ...fix } of found) {
      const own = known.fixes.get(vehicleId) ?? []
      known.fixes.set(vehicleId, own)
      addFix(own, fix)
    }
    yield* Effect.promise(() => nextTurnOfTheLoop())
  }
})

/** Runs a generator to its end; other work of the process has its turn between two steps. */
const inParts = Effect.fnUntraced(function* <A>(steps: Iterator<undefined, A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.promise(() => nextTurnOfTheLoop())
  }
})
