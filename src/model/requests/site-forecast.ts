/**
 * The forecast of a site, as operations read it: which promises of the next hours will break, and what one more runner would
 * change. One definition gives the types, the names on the wire and the JSON Schema.
 */

import { Schema } from "effect"
import { Instant, loggable } from "../values/schema.ts"
import { DISPATCH_POLICIES } from "../vehicle-pool.ts"
import { HOUR_MS, MINUTE_MS } from "../values/time.ts"

/**
 * `being_made`: there is none yet. `too_little_history`: the site has too few reservations to learn from. `unavailable`: the last
 * attempt failed.
 */
const FORECAST_STATES = ["being_made", "ready", "too_little_history", "unavailable"] as const

/** How far a forecast may look ahead. */
export const FORECAST_AHEAD = ["30m", "1h", "2h", "4h"] as const

export type ForecastAhead = (typeof FORECAST_AHEAD)[number]

export const FORECAST_AHEAD_MS: Readonly<Record<ForecastAhead, number>> = {
  "30m": 30 * MINUTE_MS,
  "1h": HOUR_MS,
  "2h": 2 * HOUR_MS,
  "4h": 4 * HOUR_MS,
}

/** Why a forecast is not available. */
export const FORECAST_FAILURES = ["took_too_long", "failed"] as const

export type ForecastFailure = (typeof FORECAST_FAILURES)[number]

/** How the number of runners on the shift is known. */
export const RUNNERS_FROM = ["phones", "tasks", "history"] as const

export type RunnersFrom = (typeof RUNNERS_FROM)[number]

const NumberOrNull = Schema.NullOr(Schema.Number)
const InstantOrNull = Schema.NullOr(Instant)

const Probability = Schema.Struct({
  value: Schema.Number,
  low: Schema.Number,
  high: Schema.Number,
}).annotations({ description: "From 0 to 1, with its 95 % interval." })

const Counts = Schema.Struct({ all: Schema.Number, late: Schema.Number })

const AtTheDoor = Schema.Struct({
  all: Schema.Number,
  late: Schema.Number.annotations({ description: "Those that come after the quoted time." }),
  late_with_one_more_vehicle: NumberOrNull,
  with_policy: Schema.NullOr(Counts).annotations({
    description: "The same by the asked `dispatch_policy`, on the same chance; null without another policy.",
  }),
  late_from: InstantOrNull.annotations({
    description:
      "Eight of ten late ones are due between `late_from` and `late_until`, which may be after `until`; null: none is late.",
  }),
  late_until: InstantOrNull,
}).pipe(
  Schema.rename({
    late_with_one_more_vehicle: "lateWithOneMoreVehicle",
    with_policy: "withPolicy",
    late_from: "lateFromMs",
    late_until: "lateUntilMs",
  }),
  Schema.annotations({ identifier: "ForecastAtTheDoor" }),
)

const ForecastPromise = Schema.Struct({
  metric: Schema.String,
  bound: Schema.String.annotations({ description: "What the figure must be, such as `< 8m`." }),
  breaks: Probability,
  breaks_with_one_more: Schema.NullOr(Probability).annotations({
    description: "With one more runner from now on; null: the site has no runners.",
  }),
  breaks_with_one_more_vehicle: Schema.NullOr(Probability).annotations({
    description: "With one more vehicle from now on; null: no vehicles are part of the forecast.",
  }),
  at: InstantOrNull.annotations({
    description:
      "When the first wait beyond the bound begins, or when the first order that breaks it was due, in the middle one of the runs in which it breaks.",
  }),
  value: NumberOrNull.annotations({ description: "The middle of the figure; durations in milliseconds." }),
}).pipe(
  Schema.rename({
    breaks_with_one_more: "breaksWithOneMore",
    breaks_with_one_more_vehicle: "breaksWithOneMoreVehicle",
    at: "atMs",
  }),
)

const QuarterHour = Schema.Struct({
  at: Instant,
  wait_ms: NumberOrNull.annotations({ description: "The middle wait; null without a pickup." }),
  wait_p95_ms: NumberOrNull,
  wait_p95_ms_with_one_more: NumberOrNull,
}).pipe(
  Schema.rename({
    at: "atMs",
    wait_ms: "waitMs",
    wait_p95_ms: "waitP95Ms",
    wait_p95_ms_with_one_more: "waitP95MsWithOneMore",
  }),
)

const ForecastFigures = Schema.Struct({
  made_at: Instant.annotations({ description: "The present that it begins with." }),
  until: Instant,
  runs: Schema.Number.annotations({ description: "How often the hours ahead were simulated." }),
  open_reservations: Schema.Number.annotations({
    description: "Reservations under way that it goes on with.",
  }),
  open_deliveries: Schema.Number.annotations({
    description: "Deliveries under way that it goes on with, those of booked errands too.",
  }),
  open_errands: Schema.Number.annotations({ description: "Errands of agents under way, booked or not." }),
  vehicles: Schema.Number.annotations({
    description: "Vehicles of the site's fleet that take part; 0: no deliveries are part of it.",
  }),
  runners: Schema.Number,
  runners_from: Schema.Literal(...RUNNERS_FROM).annotations({
    description:
      "`phones`: paired now. `tasks`: who had a task in the last 12 hours. `history`: who ever had one.",
  }),
  late_after_ms: Schema.Number.annotations({ description: "A pickup that waits longer is late." }),
  pickups: Counts.annotations({ description: "Pickups until then, and those that are late, on average." }),
  pickups_with_one_more: Schema.NullOr(Counts),
  late_from: InstantOrNull.annotations({
    description:
      "Eight of ten late pickups begin to wait between `late_from` and `late_until`, which may be after `until`; null: none is late.",
  }),
  late_until: InstantOrNull,
  deliveries: Schema.NullOr(AtTheDoor).annotations({
    description:
      "Deliveries that reach the customer, on average; null: the site has none, or they are not part of the forecast.",
  }),
  errands: Schema.NullOr(AtTheDoor).annotations({ description: "The same for errands of agents." }),
  promises: Schema.Array(ForecastPromise).annotations({
    description: "Those that break most often come first.",
  }),
  waits: Schema.Array(QuarterHour),
  history_from: Instant.annotations({ description: "The first reservation that it learned from." }),
  history_reservations: Schema.Number,
  history_runs: Schema.Number.annotations({ description: "Deliveries and errands that it learned from." }),
  left_out: Schema.Array(Schema.Struct({ what: Schema.String, count: Schema.Number })).annotations({
    description: "What is under way and not part of it.",
  }),
  not_known: Schema.Array(Schema.String).annotations({
    description: "What the journal of the site could not show.",
  }),
}).pipe(
  Schema.rename({
    made_at: "madeAtMs",
    until: "untilMs",
    open_reservations: "openReservations",
    open_deliveries: "openDeliveries",
    open_errands: "openErrands",
    runners_from: "runnersFrom",
    late_after_ms: "lateAfterMs",
    pickups_with_one_more: "pickupsWithOneMore",
    late_from: "lateFromMs",
    late_until: "lateUntilMs",
    history_from: "historyFromMs",
    history_reservations: "historyReservations",
    history_runs: "historyRuns",
    left_out: "leftOut",
    not_known: "notKnown",
  }),
  Schema.annotations({ identifier: "ForecastFigures" }),
)

export type ForecastFigures = typeof ForecastFigures.Type

const History = Schema.Struct({
  reservations: Schema.Number.annotations({ description: "That ended in the last 28 days." }),
  reservations_wanted: Schema.Number,
  from: InstantOrNull.annotations({ description: "The first of them; null: there is none." }),
  hours_wanted: Schema.Number.annotations({ description: "How long ago the first must be." }),
}).pipe(
  Schema.rename({ reservations_wanted: "reservationsWanted", from: "fromMs", hours_wanted: "hoursWanted" }),
)

export const SiteForecastShown = Schema.Struct({
  site_id: Schema.String,
  ahead: Schema.Literal(...FORECAST_AHEAD),
  state: Schema.Literal(...FORECAST_STATES).annotations({
    description:
      "`being_made`: there is none yet. `too_little_history`: there are too few reservations to learn from. `unavailable`: the last attempt failed.",
  }),
  reason: Schema.NullOr(Schema.Literal(...FORECAST_FAILURES)).annotations({
    description: "Why it is unavailable; otherwise null.",
  }),
  is_being_made: Schema.Boolean.annotations({ description: "True while a newer one is made." }),
  ask_again_at: Instant.annotations({ description: "Before that, the answer does not change." }),
  history: Schema.NullOr(History).annotations({ description: "Null unless there is too little history." }),
  figures: Schema.NullOr(ForecastFigures).annotations({ description: "Null unless it is ready." }),
}).pipe(
  Schema.rename({
    site_id: "siteId",
    is_being_made: "isBeingMade",
    ask_again_at: "askAgainAtMs",
  }),
  Schema.annotations({
    identifier: "SiteForecast",
    description: "Which promises of a site break in the next hours, and what one more runner would change.",
  }),
)

export type SiteForecast = typeof SiteForecastShown.Type

/** The query of the route. */
export const SiteForecastRequest = Schema.Struct({
  ahead: Schema.optionalWith(loggable(Schema.Literal(...FORECAST_AHEAD)), { default: () => "2h" as const }),
  dispatch_policy: Schema.optional(loggable(Schema.Literal(...DISPATCH_POLICIES))),
})
