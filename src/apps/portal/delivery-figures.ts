/** Completed deliveries of a site, by the hours, days or weeks of its analytics. */

import type { Partner } from "../../model/caller.ts"
import type { TrendsRequest } from "../../model/requests/analytics.ts"
import { isoMs } from "../../model/values/time.ts"
import { Analytics } from "../../areas/analytics/analytics.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
import type { Completions } from "../../areas/direct-delivery/rows.ts"
import { Routine } from "../../engine/services/routine.ts"

const NONE: Completions = { completed: 0, kept: 0, feeCents: 0 }

/** Of the organization's own deliveries; a site that it only books has none. */
export const deliveryFigures = Routine.fn(function* (caller: Partner, request: TrendsRequest) {
  const { site, span, timeZone, granularity, buckets, cuts } = yield* (yield* Analytics).calendar(
    caller,
    request,
  )
  const { organizationId, environment } = caller
  const { siteId } = site
  const rows = yield* DeliveryRows
  const [before = NONE, ...found] = yield* rows.completions({ siteId, organizationId, environment, cuts })
  return {
    granularity,
    timezone: timeZone,
    start: isoMs(span.startMs),
    end: isoMs(span.endMs),
    ...figuresOf(found.reduce(plus, NONE)),
    before: figuresOf(before),
    points: buckets.map(({ startMs, endMs }, at) => ({
      bucket_start: isoMs(startMs),
      bucket_end: isoMs(endMs),
      ...figuresOf(found[at] ?? NONE),
    })),
  }
})

function plus(one: Completions, other: Completions): Completions {
  return {
    completed: one.completed + other.completed,
    kept: one.kept + other.kept,
    feeCents: one.feeCents + other.feeCents,
  }
}

function figuresOf({ completed, kept, feeCents }: Completions) {
  return { completed, kept, fee_cents: feeCents }
}
