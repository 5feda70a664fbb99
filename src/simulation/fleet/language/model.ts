/** The fleet model as a file describes it: sites with their people and things, demand, policies, and promises. */

import {
  BREAKS_MAX,
  CHANGES_MAX,
  COOKS_MAX,
  FLEET_DEMANDS_MAX,
  FLEET_HORIZON_MS_MAX,
  FLEET_REPLICATIONS_MAX,
  FLEET_SITES_MAX,
  FLEET_STALLS_MAX,
  FLEET_STORES_MAX,
  FLEET_VEHICLES_MAX,
  OUTS_MAX,
  POPULATION_MAX,
  PRIORITY_MAX,
  RUNNERS_MAX,
  SEED_MAX,
  SHIFTS_MAX,
  SITE_LATITUDE_MAX,
  SWEEP_VALUES_MAX,
} from "../../../model/values/limits.ts"
import { DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { hoursIn } from "../../../areas/courier/directory/opening-hours.ts"
import { STORE_CATEGORIES } from "../../../areas/courier/directory/served-stores.ts"
import type { OpeningHours } from "../../../areas/courier/directory/store-directory.ts"
import type { LocalStart } from "../../scenario/language/language.ts"
import { BOT, RUNNER, VEHICLE, constant, hourlyConstant } from "./actors.ts"
import { ONE, countsShape } from "./batch.ts"
import { changeShape } from "./changes.ts"
import { countNamed, namesLike } from "./counts.ts"
import type { CountName } from "./counts.ts"
import { PRODUCTS, orByColumn } from "./demand-parts.ts"
import { outShape } from "./out.ts"
import { RESOURCES } from "./metrics.ts"
import { SWEPT_PARTS, isValuePath } from "./paths/value-paths.ts"
import type { ValuePath } from "./paths/value-paths.ts"
import type { RosterName } from "./roster.ts"
import { promises, stopRules } from "./promises.ts"
import { costs, find, sensitivity } from "./questions.ts"
import { DISPATCH, FAULTS, POLICY } from "./rules.ts"
import type { Find } from "./questions.ts"
import {
  DURATION_PATTERN,
  asWritten,
  duration,
  eachNamed,
  either,
  listOf,
  mapped,
  number,
  oneOf,
  optional,
  record,
  required,
  saying,
  share,
  text,
  whole,
  yesOrNo,
} from "../../scenario/language/shapes.ts"
import type { Key, Read, Shape, Values } from "../../scenario/language/shapes.ts"
import { found } from "../../scenario/language/keys.ts"
import { clockTime, endTime } from "./clock-times.ts"
import { SHIFT_TIMES, staffing } from "./shifts.ts"
import { hourly, spread } from "./spread.ts"
import { TIME_KINDS } from "./time-parts.ts"
import type { OrderLog } from "./order-log.ts"
import { replayTable } from "./replay-table.ts"
import { doorsShape } from "./doors.ts"
import type { Doors } from "./doors.ts"
import { travelShape } from "./travel.ts"
import { WEEKDAYS } from "./weekday.ts"
import type { Travel } from "../travel/routing.ts"

/** `[latitude, longitude]`. */
const position = saying(
  mapped(
    listOf("degrees [latitude, longitude]", number("degrees", { min: -180, max: 180 }), { min: 2, max: 2 }),
    ([latitude = 0, longitude = 0], refuse) =>
      Math.abs(latitude) <= SITE_LATITUDE_MAX
        ? { latitude, longitude }
        : refuse(`the latitude is beyond ${SITE_LATITUDE_MAX} degrees`),
  ),
  {
    prefixItems: [
      { type: "number", minimum: -SITE_LATITUDE_MAX, maximum: SITE_LATITUDE_MAX },
      { type: "number", minimum: -180, maximum: 180 },
    ],
  },
)

const vehicleCount = whole("a count of vehicles", { min: 0, max: FLEET_VEHICLES_MAX })
const stallCount = whole("a count of stalls", { min: 0, max: FLEET_STALLS_MAX })
const runnerCount = whole("a count of runners", { min: 0, max: RUNNERS_MAX })
const cookCount = whole("a count of cooks", { min: 1, max: COOKS_MAX })

/** Opening hours of a store: `Mon-Fri 07:00-22:00; Sat 08:00-02:00`. */
const hours = mapped(text, (written, refuse): readonly OpeningHours[] | undefined => {
  const read = hoursIn(written)
  return typeof read === "string" ? refuse(`hours ${read}`) : read
})

const EVERY_DAY: readonly OpeningHours[] = Array.from({ length: 7 }, (_, weekday) => ({
  weekday,
  opensAtMinute: 0,
  closesAtMinute: DAY_MS / MINUTE_MS,
}))

/** A store's listing on a map; only couriers' agents read it. */
const LISTING = {
  at: optional("where couriers' vehicles collect; the site's place unless said", position, null),
  hours: optional("opening hours on its listing; always open unless said", hours, EVERY_DAY),
  category: optional("what its listing files it under", oneOf(STORE_CATEGORIES), "restaurant"),
  lead_time: optional("from a courier order until it can be collected", duration(), 20 * MINUTE_MS),
}

const writtenStore = record("keys of a store", {
  as: required("its name", text),
  preparation: optional("how long an order takes a cook", hourly(spread), hourlyConstant(0)),
  cooks: optional(
    "orders that are made at once, a count or shifts; unlimited by default",
    staffing("cooks", cookCount),
    null,
  ),
  starts_before: optional("how long before an order is due a cook may begin", duration(), 15 * MINUTE_MS),
  ...LISTING,
})

const store = mapped(writtenStore, ({ cooks, ...others }) => ({
  ...others,
  cooks: cooks?.total ?? null,
  cookShifts: cooks?.shifts ?? [],
}))

const pause = record("keys of a break", {
  from: required("the first runner goes at this time of day", clockTime),
  to: required("the last runner is back at this time of day; 24:00 is midnight", endTime),
  lasts: required("how long each runner is away", duration()),
})

const shift = record("keys of a shift", {
  count: required("how many runners", runnerCount),
  ...SHIFT_TIMES,
  breaks: optional(
    "breaks, which the runners of the shift take one after another",
    listOf("breaks", pause, { min: 1, max: BREAKS_MAX }),
    [],
  ),
})

/** `runners: 4` means four all day long. */
const allDay = mapped(runnerCount, (count) => [{ count, from: 0, to: DAY_MS, breaks: [] }])
const shifts = either(allDay, listOf("shifts", shift, { max: SHIFTS_MAX }), "list")

const writtenSite = record("keys of a site", {
  as: required("its name", text),
  at: required("where it is: [latitude, longitude]", position),
  reach_km: optional(
    "its service area, a square that reaches this far",
    number("kilometres", { min: 0.1, max: 50 }),
    3,
  ),
  area: optional(
    "its service area as a polygon, instead of reach_km",
    listOf("positions", position, { min: 3, max: 200 }),
    null,
  ),
  stalls: optional(
    "stalls at the curb, for bots and vehicles; without any, vehicles find room",
    stallCount,
    0,
  ),
  stores: optional("stores with kitchens", listOf("stores", store, { min: 1, max: FLEET_STORES_MAX }), [
    {
      as: "store",
      preparation: hourlyConstant(0),
      cooks: null,
      cookShifts: [],
      starts_before: 15 * MINUTE_MS,
      at: null,
      hours: EVERY_DAY,
      category: "restaurant",
      lead_time: 20 * MINUTE_MS,
    },
  ]),
  runners: optional("runners: a count, or shifts", shifts, []),
  vehicles: optional(
    "synthetic vehicles that deliver from here: a count, or shifts",
    staffing("vehicles", vehicleCount),
    { total: 0, shifts: [] },
  ),
})

const site = mapped(writtenSite, ({ vehicles, ...others }) => ({
  ...others,
  vehicles: vehicles.total,
  vehicleShifts: vehicles.shifts,
}))

const WAYS_TO_COME = {
  per_hour: optional(
    "orders an hour, a Poisson process; with batch, how often some come",
    hourly(number("a number of orders an hour", { min: 0, max: 100_000 })),
    null,
  ),
  every: optional("the time between two orders, as a renewal process", spread, null),
  population: optional(
    "so many customers, of whom each orders again a time after the last order ended",
    record("keys of population", {
      size: required("how many customers", whole("a count of customers", { min: 1, max: POPULATION_MAX })),
      thinks: required("from the end of an order, or the start of the run, to the next order", spread),
    }),
    null,
  ),
  replay: optional(
    "a CSV of instants, one a line, beside the model, without an offset local times; or a table of orders",
    either(text, replayTable(position)),
    null,
  ),
}

const arrivals = {
  ...WAYS_TO_COME,
  pace: optional(
    "how many times as fast `every`, `population` and `replay` come",
    number("a factor", { min: 0.01, max: 100 }),
    1,
  ),
}

/** The behavior of the agents of a courier demand. */
const ERRAND = {
  reserves_after: optional("from the quote to the reserve", spread, constant(20 * SECOND_MS)),
  pays_after: optional(
    "from the reserve to the fee, and between two cards",
    spread,
    constant(20 * SECOND_MS),
  ),
  confirms_after: optional(
    "from the paid fee until the store's order is placed and reported",
    spread,
    constant(2 * MINUTE_MS),
  ),
  gives_up: optional("agents that reserve and never come back", share, 0),
  declined_cards: optional("fees that the processor declines", share, 0),
  second_cards: optional("of those, users who pay with another card, which is good", share, 0.5),
  uncaptured: optional("fees that are granted and then not paid out", share, 0),
  restricted: optional("carts with an item that may not be carried", share, 0),
  nobody_home: optional("orders that no one accepts at the door; operations mark them as failed", share, 0),
}

const demandKeys = record("keys of a demand", {
  as: optional("its name, by which promises and tables call it", text, null),
  product: required("what is requested", orByColumn(oneOf(PRODUCTS))),
  site: required("of which site", orByColumn(text)),
  store: optional("of which store of it; the first unless said", text, null),
  ...arrivals,
  batch: optional("how many orders come at once; one unless said", countsShape, ONE),
  items: optional(
    "how many items an order has, for vehicle.batching.capacity; one unless said",
    countsShape,
    ONE,
  ),
  on: optional(
    "orders come only on these weekdays; every day unless said",
    listOf("weekdays", oneOf(WEEKDAYS), { min: 1, max: WEEKDAYS.length }),
    null,
  ),
  ahead: optional("a reservation is made this long before its window", spread, constant(30 * MINUTE_MS)),
  width: optional("width of a reservation's window", duration(), 30 * MINUTE_MS),
  ready_in: optional(
    "how long after the request a delivery is requested for; for a courier order, when the store says that it is ready",
    spread,
    constant(20 * MINUTE_MS),
  ),
  priority: optional(
    "of the reservations that wait for a runner, those with the higher number go first",
    whole("a priority", { min: 0, max: PRIORITY_MAX }),
    0,
  ),
  cancel: optional("orders that their customer cancels", share, 0),
  cancel_after: optional("how long after the request", spread, constant(5 * MINUTE_MS)),
  by: optional(
    "agents of courier orders who do what each answer says, and poll; unless said, each call is made once, at its time",
    oneOf(["agents"]),
    null,
  ),
  errand: optional("how agents of courier orders behave", record("keys of errand", ERRAND), null),
})

/**
 * A demand has one arrival process, and only courier demand has errands. `read.ts` reports violations with their place.
 */
const demand = saying(demandKeys, {
  oneOf: Object.keys(WAYS_TO_COME).map((way) => ({ required: [way] })),
  if: { not: { required: ["product"], properties: { product: { enum: ["reservation", "delivery"] } } } },
  else: { properties: { by: false, errand: false } },
})

/** With or without what is out. */
const OUT_CASES = ["none", "all"] as const

/** The settings that a sweep may set, and their values. */
const SWEPT = {
  vehicles: vehicleCount,
  runners: runnerCount,
  stalls: stallCount,
  cooks: cookCount,
  demand: number("a factor for every demand", { min: 0.01, max: 1_000 }),
  staging_lead: duration(),
  send_ahead: duration(),
  dispatch: oneOf(DISPATCH),
  vehicle_dispatch: oneOf(DISPATCH_POLICIES),
  out: oneOf(OUT_CASES),
}

/** A setting by its name; a count may be that of one site, and any other value has a path. A search sets rosters too. */
export type Swept = CountName | RosterName | ValuePath | keyof typeof SWEPT

const sweptValues = (shape: Shape<unknown>): Shape<readonly (number | string)[]> =>
  listOf("values", asWritten(shape), { min: 1, max: SWEEP_VALUES_MAX })

/** The value at a path: the model with it is checked for each of its values. */
const valueAtPath: Shape<number | string> = {
  words: "a number, a duration, a share or a word",
  schema: { type: ["number", "string", "boolean"] },
  read: (value, report) => {
    if (value.type === "scalar") return typeof value.value === "number" ? value.value : value.text
    report(value.span, `${found(value)} where one value should be`, { expected: valueAtPath.words })
    return undefined
  },
}
const pathValues = listOf("values", valueAtPath, { min: 1, max: SWEEP_VALUES_MAX })

const sweep = eachNamed(
  "settings",
  Object.fromEntries(
    Object.entries<Shape<unknown>>(SWEPT).map(([name, shape]) => [name, sweptValues(shape)]),
  ),
  {
    shapeOf: (name) => {
      const count = countNamed(name)
      if (count !== null) return sweptValues(SWEPT[count.resource])
      return isValuePath(name) ? pathValues : undefined
    },
    meantBy: (name) => [
      ...namesLike(name, { at: RESOURCES, of: [] }),
      ...(name.includes(".") ? SWEPT_PARTS.map((part) => name.replace(/^[^.]*/, part)) : []),
    ],
    schemas: {
      ...Object.fromEntries(
        RESOURCES.map((resource) => [
          `^${resource} at \\S`,
          { ...sweptValues(SWEPT[resource]).schema, description: "the count at one site" },
        ]),
      ),
      [`^(${SWEPT_PARTS.join("|")})\\.\\S`]: {
        ...pathValues.schema,
        description: "any value of the model by its path, such as sites.north.stores.tacos.preparation.mean",
      },
    },
  },
)

/** The whole file. Durations are read as milliseconds. */
export const fleetShape = record("keys of a fleet model", {
  fleet: required("the title", text),
  because: required("the question that it answers, in a sentence", text),
  clock: required(
    "local time of the start and its time zone",
    saying(text, {
      pattern: String.raw`^\s*\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?\s+[A-Za-z_]+(/[A-Za-z0-9_+-]+)*\s*$`,
    }),
  ),
  horizon: required(
    "how long orders come",
    saying(
      mapped(duration(), (ms, refuse) =>
        ms > 0 && ms <= FLEET_HORIZON_MS_MAX
          ? ms
          : refuse("too short or too long", "more than 0s, and at most 31d"),
      ),
      { pattern: `^(?=.*[1-9])${DURATION_PATTERN}$` },
    ),
  ),
  warm_up: optional("the beginning that figures leave out", duration(), 0),
  seed: optional("seed of the first replication", whole("a seed", { min: 0, max: SEED_MAX }), 1),
  replications: optional(
    "how many, each with its own seed",
    whole("a count", { min: 1, max: FLEET_REPLICATIONS_MAX }),
    10,
  ),
  sites: required("the sites", listOf("sites", site, { min: 1, max: FLEET_SITES_MAX })),
  runner: optional("how runners work", record("keys of runner", RUNNER), null),
  vehicle: optional("how vehicles work", record("keys of vehicle", VEHICLE), null),
  bot: optional("how partners' bots behave", record("keys of bot", BOT), null),
  travel: optional(
    "how vehicles travel: straight with vehicle.speed_kmh and detour, by a matrix of times, or along streets",
    travelShape(position),
    "straight" as const,
  ),
  doors: optional("where customers live; else anywhere in the service area", doorsShape, null),
  demand: required(
    "which orders are requested",
    listOf("demands", demand, { min: 1, max: FLEET_DEMANDS_MAX }),
  ),
  policy: optional("rules that may be tuned", record("keys of policy", POLICY), null),
  faults: optional("what goes wrong", record("keys of faults", FAULTS), null),
  changes: optional(
    "what holds from an instant of the run on",
    listOf("changes", changeShape, { min: 1, max: CHANGES_MAX }),
    [],
  ),
  out: optional(
    "what is out for a time, at times of day or by chance",
    listOf("entries", outShape(position), { min: 1, max: OUTS_MAX }),
    [],
  ),
  webhooks: optional("whether a partner receives every webhook", yesOrNo, false),
  sweep: optional(
    "values to compare, each combination a case",
    sweep,
    new Map<string, readonly (number | string)[]>(),
  ),
  until: optional("replications go on until these intervals are so narrow", stopRules, []),
  promises: optional("what must hold", promises, []),
  find: optional(
    "what keeps the promises: the least count, the most demand, or the cheapest roster",
    find,
    null,
  ),
  streets: optional("a file of streets beside the model, for the map of the report", text, null),
  costs: optional("prices, for the figures of costs", costs, null),
  worst: optional(
    "which day, weekday or hour is the worst, as the first sentence of the answer",
    oneOf(TIME_KINDS),
    null,
  ),
  sensitivity: optional(
    "changes one input at a time by this share, to see which moves the promised figures most",
    sensitivity,
    null,
  ),
})

export type WrittenFleet = Read<typeof fleetShape>

export type FleetSite = WrittenFleet["sites"][number]
export type FleetStore = FleetSite["stores"][number]
export type FleetDemand = WrittenFleet["demand"][number]
export type FleetErrand = Values<typeof ERRAND>
/** A valid model: every name in it is known, and absent keys have their defaults. */
export interface FleetModel extends Omit<
  WrittenFleet,
  "bot" | "clock" | "doors" | "faults" | "find" | "policy" | "runner" | "travel" | "vehicle"
> {
  readonly file: string
  readonly clock: LocalStart
  readonly runner: Values<typeof RUNNER>
  readonly vehicle: Values<typeof VEHICLE>
  readonly bot: Values<typeof BOT>
  readonly policy: Values<typeof POLICY>
  readonly faults: Values<typeof FAULTS>
  readonly find: Find | null
  readonly travel: Travel
  readonly doors: Doors
  /** Instants of replayed demand, milliseconds from the start, by the demand's index. */
  readonly replayed: ReadonlyMap<number, readonly number[]>
  /** Orders of replayed tables, in the order of their demands. */
  readonly logs: readonly OrderLog[]
  /** The text that the model was read from, to check that two models are equal. */
  readonly text: string
}

function usualOf<K extends { readonly [name: string]: Key<unknown> }>(keys: K): Values<K> {
  return Object.fromEntries(Object.entries(keys).map(([name, { usual }]) => [name, usual])) as Values<K>
}

export const USUAL = {
  runner: usualOf(RUNNER),
  vehicle: usualOf(VEHICLE),
  bot: usualOf(BOT),
  policy: usualOf(POLICY),
  faults: usualOf(FAULTS),
  errand: usualOf(ERRAND),
}

/** Parts that a model may leave out, whole. */
export function wholeParts({ runner, vehicle, bot, policy, faults }: WrittenFleet) {
  return {
    runner: runner ?? USUAL.runner,
    vehicle: vehicle ?? USUAL.vehicle,
    bot: bot ?? USUAL.bot,
    policy: policy ?? USUAL.policy,
    faults: faults ?? USUAL.faults,
  }
}
