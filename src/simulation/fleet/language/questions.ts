/** What a model asks beyond its promises: what keeps them at the least cost, the most demand, prices, and which input matters most. */

import { COOKS_MAX, FLEET_STALLS_MAX, FLEET_VEHICLES_MAX, RUNNERS_MAX } from "../../../model/values/limits.ts"
import {
  either,
  listOf,
  mapped,
  number,
  oneOf,
  optional,
  record,
  saying,
  share,
  text,
} from "../../scenario/language/shapes.ts"
import type { Shape, Values } from "../../scenario/language/shapes.ts"
import { found } from "../../scenario/language/keys.ts"
import { adviceFor } from "../../scenario/language/problems.ts"
import { COUNT_AT_SITE, EACH_SITE, countName, countNamed } from "./counts.ts"
import type { CountName } from "./counts.ts"
import { figureNamed } from "./metrics.ts"
import { ROSTER_SHIFTS } from "./roster.ts"
import type { RosterShifts } from "./roster.ts"
import type { Resource } from "./metrics.ts"

/** The counts that a search may lower, and the most that a model takes of each. */
export const KNOB_MAX = {
  runners: RUNNERS_MAX,
  stalls: FLEET_STALLS_MAX,
  cooks: COOKS_MAX,
  vehicles: FLEET_VEHICLES_MAX,
} as const satisfies { readonly [resource in Resource]: number }

const KNOBS = ["runners", "stalls", "cooks", "vehicles"] as const

/** `runners`, `runners at north`, `runners at each site`. */
const knob: Shape<CountName> = {
  words: `one of ${KNOBS.join(", ")}, each also at a site: runners at north, or runners at ${EACH_SITE}`,
  schema: { anyOf: [{ enum: [...KNOBS] }, { type: "string", pattern: COUNT_AT_SITE }] },
  read: (value, report) => {
    const written = value.type === "scalar" ? value.text : ""
    const count = countNamed(written)
    if (count !== null) return countName(count.resource, count.site)
    const { base, part } = figureNamed(written)
    const advice = adviceFor(base, KNOBS)
    const { suggestion } = advice
    const meant = suggestion === undefined || part === null ? suggestion : `${suggestion} at ${part.name}`
    if (value.type !== "scalar") report(value.span, `${found(value)} where a count should be`, advice)
    else
      report(value.span, `unknown count ${JSON.stringify(written)}`, {
        ...advice,
        ...(meant === undefined ? {} : { suggestion: meant }),
        ...(/^(cooks|kitchen) of /.test(written)
          ? { help: "cooks at SITE is the count of each of its kitchens" }
          : {}),
      })
    return undefined
  },
}

/** One count, or two that are lowered together. */
const knobs = either(
  mapped(knob, (one): readonly CountName[] => [one]),
  listOf("counts", knob, { min: 1, max: 2 }),
  "list",
)

const KEYS_OF_FIND = {
  least: optional(
    "the count to keep low, or two of them: at every site at once, at one (runners at north), or at each site by itself (runners at each site)",
    knobs,
    null,
  ),
  most: optional("how many times the demand the model can take", oneOf(["demand"]), null),
  roster: optional(
    "the cheapest shifts of runners, vehicles, or the cooks of each kitchen, at the only site or at one (runners at north)",
    knob,
    null,
  ),
  shifts: optional(
    "the shifts that a roster is made of",
    record("keys of the shifts of a roster", ROSTER_SHIFTS),
    null,
  ),
  that_keeps: optional(
    "the promised figures that must hold; unless said, all promises that the search can change",
    listOf("promised figures", text, { min: 1, max: 50 }),
    null,
  ),
  at_most: optional(
    "the search gives up above this count, or above so many times the demand",
    number("a count or a factor", { min: 0.01, max: FLEET_VEHICLES_MAX }),
    null,
  ),
}

/** A search looks for one of these. */
export const SEARCHED = ["least", "most", "roster"] as const

export const find = saying(record("keys of find", KEYS_OF_FIND), {
  oneOf: SEARCHED.map((one) => ({ required: [one] })),
  dependentRequired: { shifts: ["roster"], roster: ["shifts"] },
})

const price = number("a price", { min: 0, max: 1_000_000 })

/** Prices of a model; a price of 0 leaves its part out. */
const KEYS_OF_COSTS = {
  currency: optional("what the prices are in, such as USD", text, ""),
  runner_hour: optional("a runner's hour on duty", price, 0),
  cook_hour: optional("a cook's hour", price, 0),
  vehicle_hour: optional("a vehicle's hour", price, 0),
  stall_hour: optional("a stall's hour", price, 0),
  late_order: optional("an order that is late", price, 0),
  waiting_minute: optional("a minute that an order waits", price, 0),
  lost_order: optional("an order that is declined, canceled or fails", price, 0),
}

export const costs = record("prices", KEYS_OF_COSTS)

export type Costs = Values<typeof KEYS_OF_COSTS>

/** By how much each input is changed, up and down. */
export const sensitivity = saying(
  mapped(share, (by, refuse) =>
    by > 0 && by < 1 ? by : refuse("inputs must change, and stay above 0", "more than 0%, less than 100%"),
  ),
  {
    anyOf: [
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: "string", pattern: String.raw`^\s*(?=\S*[1-9])\d{1,2}(\.\d+)?%\s*$` },
    ],
  },
)

/** What `find` asks, and where the file asks it. */
export type Find = FindLeast | FindMost | FindRoster

interface Finding {
  /** Promised figures. */
  readonly keeps: readonly string[]
  /** `lunch-rush.yaml:34:3`. */
  readonly place: string
}

export interface FindLeast extends Finding {
  readonly is: "least"
  readonly least: readonly CountName[]
  /** Each site is searched by itself. */
  readonly isEachSite: boolean
  readonly atMost: number | null
}

/** The largest factor of every demand with which the promises hold. */
export interface FindMost extends Finding {
  readonly is: "most"
  readonly atMost: number | null
}

/** The cheapest shifts of a site's runners, vehicles or cooks. */
export interface FindRoster extends Finding {
  readonly is: "roster"
  readonly count: CountName
  readonly shifts: RosterShifts
}
