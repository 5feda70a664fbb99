/** Analytics: how long and when vehicles stand at a site. Source: direct delivery contract, analytics. */

import type { ImportSessionsRequest, MetricsRequest, TrendsRequest } from "../../model/requests/analytics.ts"
import type { Caller, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { FieldProblem } from "../../model/values/errors.ts"
import { IMPORTED_SESSION_MS_MAX } from "../../model/values/limits.ts"
import { bucketsOf } from "../../model/values/local-calendar.ts"
import type { Granularity } from "../../model/values/local-calendar.ts"
import { isTimeZone } from "../../model/values/time-zone.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { metricsOf, occupancyOf } from "./figures.ts"
import { SessionRows } from "./rows.ts"
import type { PastSession } from "./rows.ts"
import { MeasuredSites } from "./sites.ts"
import type { MeasuredSite } from "./sites.ts"
import { granularityOf, spanOf } from "./spans.ts"
import type { Span } from "./spans.ts"
import { NOTHING } from "./tally.ts"

/** A whole hour, day or week of the site's calendar. Only its part inside the span and before now is counted. */
export type TrendPoint = {
  readonly bucket_start: string
  readonly bucket_end: string
  readonly occupancy_percentage: number
  readonly session_count: number
}

export type Trends = {
  readonly granularity: Granularity
  readonly timezone: string
  readonly start: string
  readonly end: string
  readonly points: readonly TrendPoint[]
}

/** How many sessions an import added, and how many existed already. */
export type Imported = { readonly imported: number; readonly known: number }

/** The figures of the equally long span just before. */
export interface Before {
  readonly visits: number
  readonly occupancy_percentage: number
  readonly total_seconds: number
}

export class Analytics extends service<Analytics>()("Analytics", () => ({
  metrics,
  compared,
  calendar,
  trends,
  importSessions,
})) {}

const metrics = (caller: Caller, request: MetricsRequest) =>
  Routine.map(compared(caller, request), (found) => found.metrics)

/** The figures of a span and those before, of which a change says only the percentage. */
const compared = Routine.fn(function* (caller: Caller, request: MetricsRequest) {
  const { site, span, nowMs } = yield* measured(caller, request)
  const endMs = Math.min(span.endMs, nowMs)
  const elapsedMs = Math.max(0, endMs - span.startMs)
  const cuts = [span.startMs - elapsedMs, span.startMs, endMs]
  const [before = NOTHING, now = NOTHING] = yield* tallied({ caller, site, cuts, nowMs })
  const capacity = { stalls: site.activeStalls, elapsedMs }
  const figures = metricsOf(before, NOTHING, capacity)
  return {
    metrics: metricsOf(now, before, capacity),
    before: {
      visits: figures.autolane_sessions.total,
      occupancy_percentage: figures.average_occupancy.percentage,
      total_seconds: figures.average_dwell_time.total_seconds,
    } satisfies Before,
  }
})

/** The hours, days or weeks of a span until now. Its first cut is earlier by as much time as has passed of the span. */
const calendar = Routine.fn(function* (caller: Caller, request: TrendsRequest) {
  const { site, span, timeZone, granularity, nowMs } = yield* measured(caller, request)
  const endMs = Math.max(span.startMs, Math.min(span.endMs, nowMs))
  const buckets = bucketsOf(granularity, { timeZone, fromMs: span.startMs, toMs: endMs })
  const starts = [span.startMs, ...buckets.slice(1).map(({ startMs }) => startMs)]
  const cuts = [2 * span.startMs - endMs, ...starts, endMs]
  return { site, span, timeZone, granularity, buckets, cuts, nowMs }
})

const trends = Routine.fn(function* (caller: Caller, request: TrendsRequest) {
  const { site, span, timeZone, granularity, buckets, cuts, nowMs } = yield* calendar(caller, request)
  const endMs = Math.min(span.endMs, nowMs)
  const tallies = yield* tallied({ caller, site, cuts: cuts.slice(1), nowMs })
  const points = buckets.map((bucket, at): TrendPoint => {
    const elapsedMs = Math.min(bucket.endMs, endMs) - Math.max(bucket.startMs, span.startMs)
    const tally = tallies[at] ?? NOTHING
    return {
      bucket_start: isoMs(bucket.startMs),
      bucket_end: isoMs(bucket.endMs),
      occupancy_percentage: occupancyOf(tally, { stalls: site.activeStalls, elapsedMs }),
      session_count: tally.began,
    }
  })
  return {
    granularity,
    timezone: timeZone,
    start: isoMs(span.startMs),
    end: isoMs(span.endMs),
    points,
  } satisfies Trends
})

/** Reads the site and the requested span. Problems of the request are reported before an unknown site. */
const measured = Routine.fn(function* (caller: Caller, request: TrendsRequest) {
  yield* requirePermission(caller, "analytics:read")
  const nowMs = yield* Routine.nowMs
  const { environment } = caller
  const sites = yield* MeasuredSites
  const organizationId = caller.type === "partner" ? caller.organizationId : null
  const site = yield* sites.site({ environment, organizationId }, request.siteId)
  const timeZone = zoneOf(site)
  const span = yield* checked(spanOf(request, { timeZone, nowMs }))
  const granularity = yield* checked(granularityOf(request.granularity, span, timeZone))
  if (site === null) return yield* new Refused({ code: "SITE_NOT_FOUND" })
  return { site, span, timeZone, granularity, nowMs }
})

/** UTC for a site without a time zone, or with an unknown one. */
function zoneOf(site: MeasuredSite | null): string {
  const named = site?.timezone ?? null
  return named !== null && isTimeZone(named) ? named : "UTC"
}

function checked<A extends string | Span>(found: A | FieldProblem): Routine<A, Refused> {
  return typeof found === "object" && "field" in found
    ? Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [found] }))
    : Routine.succeed(found)
}

interface Asked {
  readonly caller: Caller
  readonly site: MeasuredSite
  readonly cuts: readonly EpochMs[]
  readonly nowMs: EpochMs
}

/** Empty when no time has passed yet. */
const tallied = Routine.fn(function* ({ caller, site, cuts, nowMs }: Asked) {
  const first = cuts[0] ?? 0
  const last = cuts.at(-1) ?? first
  if (last <= first) return []
  const rows = yield* SessionRows
  return yield* rows.tally({ environment: caller.environment, siteId: site.siteId, cuts, nowMs })
})

/** Only for operations. Imports everything or nothing; sessions are identified by site and external id. */
const importSessions = Routine.fn(function* (caller: Operator, request: ImportSessionsRequest) {
  if (caller.by !== "ops") {
    return yield* new Refused({ code: "PERMISSION_DENIED", detail: "needs operations" })
  }
  const host = yield* ActorHost
  const sites = yield* MeasuredSites
  const rows = yield* SessionRows
  const nowMs = yield* Routine.nowMs
  const { environment } = caller
  const { site_id: siteId, sessions } = request
  const site = yield* sites.site({ environment, organizationId: null }, siteId)
  if (site === null) return yield* new Refused({ code: "SITE_NOT_FOUND" })
  const problems = problemsOf(sessions, { stallIds: yield* sites.stallIds(environment, siteId), nowMs })
  if (problems.length > 0) return yield* new Refused({ code: "VALIDATION_ERROR", problems })
  const added = sessions.map(({ external_id, stall_id, starts_at, ends_at }): PastSession => ({
    sessionId: `import/${siteId}/${external_id}`,
    environment,
    siteId,
    stallId: stall_id,
    startsAtMs: starts_at,
    endsAtMs: ends_at,
    source: "import",
  }))
  const imported = yield* host.run({ name: "import stays", locks: {}, body: () => rows.add(added) })
  return { imported, known: sessions.length - imported } satisfies Imported
})

type Sent = ImportSessionsRequest["sessions"]

function problemsOf(
  sessions: Sent,
  { stallIds, nowMs }: { readonly stallIds: ReadonlySet<string>; readonly nowMs: EpochMs },
): readonly FieldProblem[] {
  const seen = new Set<string>()
  return sessions.flatMap(({ external_id, stall_id, starts_at, ends_at }, at) => {
    const isTwice = seen.has(external_id)
    seen.add(external_id)
    const broken: readonly (readonly [boolean, string, string])[] = [
      [isTwice, "external_id", "must not be sent twice"],
      [!stallIds.has(stall_id), "stall_id", "must be a stall of the site"],
      [ends_at < starts_at, "ends_at", "must not be before starts_at"],
      [ends_at > nowMs, "ends_at", "must not be in the future"],
      [ends_at - starts_at > IMPORTED_SESSION_MS_MAX, "ends_at", "must be at most 31 days after starts_at"],
    ]
    return broken
      .filter(([isBroken]) => isBroken)
      .map(([, field, message]) => ({ field: `sessions.${at}.${field}`, message }))
  })
}
