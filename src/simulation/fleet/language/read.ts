/**
 * Reads a fleet model: first its text, then the references between its parts. Problems are reported in the same form as
 * those of scenarios.
 */

import { mapFault } from "#streets"
import { SWEEP_CASES_MAX, WINDOW_WIDTH_MS_MAX, WINDOW_WIDTH_MS_MIN } from "../../../model/values/limits.ts"
import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, SECOND_MS } from "../../../model/values/time.ts"
import type { LocalStart, Place } from "../../scenario/language/language.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { adviceFor, inFileOrder } from "../../scenario/language/problems.ts"
import type { Advice, Problem, Report } from "../../scenario/language/problems.ts"
import { readClock, startOf } from "../../scenario/language/clock.ts"
import { parseSource, reporter } from "../../scenario/language/source.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { USUAL, fleetShape, wholeParts } from "./model.ts"
import type { FleetModel, FleetSite, WrittenFleet } from "./model.ts"
import { cutNormals, cutNormalText } from "./cut-normals.ts"
import { checkChanges } from "./checks/check-changes.ts"
import { checkDays } from "./checks/check-days.ts"
import { checkFoundCounts, checkSweptCounts, isEachSite, keptFigures } from "./checks/check-counts.ts"
import { checkOut } from "./checks/check-out.ts"
import { checkQuestions } from "./checks/check-questions.ts"
import { checkSearch, searchedWord } from "./checks/check-search.ts"
import { checkSweptPaths } from "./checks/check-swept-paths.ts"
import { largeBatch, leastBatch, meanBatch } from "./batch.ts"
import { countNamed } from "./counts.ts"
import { movingNames } from "./parts.ts"
import type { Beside } from "./beside.ts"
import { spanAt, partAt } from "./written-part.ts"
import type { Find } from "./questions.ts"
import type { Shift } from "./shifts.ts"
import { meanMsOf, timeOfDayText } from "./spread.ts"
import { serviceBox } from "./site-area.ts"
import { readReplays } from "./replayed.ts"
import { withDemandParts } from "./demand-parts.ts"
import { readLogs } from "./read-logs.ts"
import type { LogReader } from "./read-logs.ts"
import type { OrderLog } from "./order-log.ts"
import { readDoors } from "./doors.ts"
import type { Doors } from "./doors.ts"
import { readTravel, travelNotes } from "./travel.ts"
import type { Travel } from "../travel/routing.ts"
import { WEEKDAYS, weekdayAt } from "./weekday.ts"
import type { Weekday } from "./weekday.ts"

export interface FleetReading {
  /** Null when there is a problem. */
  readonly model: FleetModel | null
  /** In file order. */
  readonly problems: readonly Problem[]
  /** What a right model may not mean as it says. */
  readonly advice: readonly FleetAdvice[]
}

export interface FleetAdvice {
  readonly place: Place
  readonly message: string
}

/** A model's text, and a function that reads a file beside it. */
export interface FleetSource {
  readonly file: string
  readonly text: string
  readonly beside: Beside
  /** Reads tables of orders; without it a model that names one has a mistake. */
  readonly logs?: LogReader
}

const MODEL = { noun: "fleet model", keys: "fleet, because, clock, horizon, sites, demand" }

export function readFleet(source: FleetSource): FleetReading {
  const problems: Problem[] = []
  const report = reporter(problems)
  const parsed = parseSource(source, report, MODEL)
  const root = parsed === null ? null : withDemandParts(parsed)
  const written = root === null ? undefined : fleetShape.read(root, report)
  const clock = root === null ? null : readClock(partAt(root, ["clock"]), report)
  const replayed = new Map<number, readonly number[]>()
  let [travel, doors]: [Travel | null, Doors | null] = [null, null]
  let logs: readonly OrderLog[] = []
  if (root !== null && written !== undefined) {
    travel = readTravel(written.travel, { root, report, beside: source.beside, sites: written.sites })
    checkParts(written, { root, report, clock, travel })
    checkSweep(written, root, report)
    checkQuestions(written, root, report)
    checkSearch(written, root, report)
    checkFoundCounts(written, root, report)
    checkSweptCounts(written, root, report)
    checkStreets(written, { root, report, source })
    doors = readDoors(written.doors, { root, report, beside: source.beside, sites: written.sites })
    if (written.warm_up >= written.horizon) {
      report(spanAt(root, ["warm_up"]), "nothing is left to measure", {
        expected: `less than the horizon of ${showDuration(written.horizon)}`,
      })
    }
    if (clock !== null) {
      checkDays(written, { root, report, clock })
      readReplays(written, { root, report, clock, beside: source.beside, replayed })
      logs = readLogs(written, { root, report, clock, read: source.logs, beside: source.beside })
    }
    if (problems.length === 0)
      checkSweptPaths(written, { root, report, check: (...of) => checkVariant({ clock, travel }, ...of) })
  }
  if (
    root === null ||
    written === undefined ||
    clock === null ||
    travel === null ||
    doors === null ||
    problems.length > 0
  ) {
    return { model: null, problems: inFileOrder(problems), advice: [] }
  }
  const { file, text } = source
  const find = findOf(written, root, file)
  const model = {
    ...written,
    ...wholeParts(written),
    travel,
    doors,
    find,
    file,
    text,
    replayed,
    logs,
    clock: startOf(clock),
  }
  return { model, problems: [], advice: adviceOn(model, root) }
}

interface PartsChecking {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart | null
  /** Null when it cannot be read: its streets are not checked then. */
  readonly travel: Travel | null
}

/** Checks parts that need no other files beside the model. */
function checkParts(written: WrittenFleet, { root, report, clock, travel }: PartsChecking): void {
  checkSites(written, root, report)
  checkDemand(written, root, report)
  checkBatching(written, root, report)
  if (clock === null) return
  checkTimes(written, { root, report, clock })
  checkChanges(written, { root, report, clock })
  checkOut(written, { root, report, clock, travel })
}

/** Checks the model with other values at paths. Its streets are the same. */
function checkVariant(
  { clock, travel }: Pick<PartsChecking, "clock" | "travel">,
  root: WrittenMap,
  report: Report,
): void {
  const written = fleetShape.read(root, report)
  if (written === undefined) return
  checkParts(written, { root, report, clock, travel })
  if (typeof written.travel === "object" && written.travel.matrix !== null)
    readTravel(written.travel, { root, report, beside: () => null, sites: written.sites })
}

/** What the reader of a right model should know: means that are not as written, rows and lines that are left out, names that may move. */
function adviceOn(model: FleetModel, root: WrittenMap): readonly FleetAdvice[] {
  return [
    ...cutNormals(model).map((one) => ({
      place: spanAt(root, one.path).place,
      message: cutNormalText(one),
    })),
    ...largeOrders(model, root),
    ...travelNotes(model.travel).map((message) => ({
      place: spanAt(root, ["travel", "streets"]).place,
      message,
    })),
    ...model.logs.flatMap((log) => {
      const { place } = spanAt(root, ["demand", log.demand, "replay"])
      return log.notes.map((message) => ({ place, message }))
    }),
    ...(["promises", "until"] as const).flatMap((key) =>
      movingNames(
        model,
        model[key].map(({ metric }) => metric),
      ).map(({ figure, message }) => ({ place: spanAt(root, [key, figure]).place, message })),
    ),
  ]
}

/** Items of which some orders have more than a vehicle takes. */
function largeOrders({ demand, vehicle }: FleetModel, root: WrittenMap): readonly FleetAdvice[] {
  const capacity = vehicle.batching?.capacity ?? null
  if (capacity === null) return []
  return demand.flatMap(({ items }, at) => {
    if (largeBatch(items) <= capacity) return []
    const message = `some orders have more items than the capacity of ${capacity}: each of them is alone on its trip`
    return [{ place: spanAt(root, ["demand", at, "items"]).place, message }]
  })
}

function findOf(written: WrittenFleet, root: WrittenMap, file: string): Find | null {
  const { find } = written
  if (find === null) return null
  const { least, most, roster, shifts, at_most: atMost } = find
  const { line, column } = spanAt(root, ["find", searchedWord(find)]).place
  const finding = { keeps: keptFigures(written), place: `${file}:${line}:${column}` }
  if (most !== null) return { is: "most", atMost, ...finding }
  if (least !== null) {
    const isEach = least.some((name) => isEachSite(countNamed(name), written))
    return { is: "least", least, isEachSite: isEach, atMost, ...finding }
  }
  return roster === null || shifts === null ? null : { is: "roster", count: roster, shifts, ...finding }
}

function checkSites({ sites }: WrittenFleet, root: WrittenMap, report: Report): void {
  for (const [at, site] of sites.entries()) {
    if (sites.findIndex((one) => one.as === site.as) !== at) {
      report(spanAt(root, ["sites", at, "as"]), `two sites are called ${JSON.stringify(site.as)}`)
    }
    for (const [number, store] of site.stores.entries()) {
      if (site.stores.findIndex((one) => one.as === store.as) !== number) {
        report(
          spanAt(root, ["sites", at, "stores", number, "as"]),
          `two stores are called ${JSON.stringify(store.as)}`,
        )
      }
    }
    for (const { path, shift } of shiftsOf(site, at)) {
      if (shift.from >= shift.to) {
        report(spanAt(root, path), "the shift ends before it begins", {
          help: "write a shift over midnight as two: the first to 24:00, the second from 00:00",
        })
      }
    }
    for (const [number, shift] of site.runners.entries()) {
      checkBreaks(shift, (part, message, help) =>
        report(spanAt(root, ["sites", at, "runners", number, "breaks", part]), message, { help }),
      )
    }
  }
}

/** Shifts of runners, vehicles and cooks, with their places in the text. */
function shiftsOf(
  { runners, stores, vehicleShifts }: FleetSite,
  at: number,
): readonly { readonly path: readonly (number | string)[]; readonly shift: Shift }[] {
  const placed = (shifts: readonly Shift[], path: readonly (number | string)[]) =>
    shifts.map((shift, number) => ({ path: ["sites", at, ...path, number], shift }))
  return [
    ...placed(runners, ["runners"]),
    ...placed(vehicleShifts, ["vehicles"]),
    ...stores.flatMap(({ cookShifts }, number) => placed(cookShifts, ["stores", number, "cooks"])),
  ]
}

function checkBreaks(
  { from, to, breaks }: FleetSite["runners"][number],
  tell: (part: number, message: string, help: string) => void,
): void {
  for (const [part, one] of breaks.entries()) {
    const between = `${showDuration(one.lasts)} between ${timeOfDayText(one.from)} and ${timeOfDayText(one.to)}`
    if (one.from + one.lasts > one.to)
      tell(part, "the break is longer than the time for it", `it lasts ${between}`)
    else if (one.from < from || one.to > to)
      tell(
        part,
        "the break is outside of its shift",
        `the shift is from ${timeOfDayText(from)} to ${timeOfDayText(to)}`,
      )
    else if (breaks.some((other, at) => at < part && one.from < other.to && other.from < one.to))
      tell(part, "two breaks of a shift overlap", "each runner of a shift takes every break of it")
  }
}

/** Shifts that no one works during the run, and rates that bring no order. */
function checkTimes(
  { sites, demand, horizon }: WrittenFleet,
  { root, report, clock }: { readonly root: WrittenMap; readonly report: Report; readonly clock: LocalStart },
): void {
  const wall = wallClockAt(new SiteClock(clock).startMs, clock.timeZone)
  const begins = wall - midnightOf(wall)
  const ends = begins + horizon
  /** True when some time of day from `from` until `to` is in the run, on its first day or the next one. */
  const isInRun = (from: number, to: number): boolean =>
    horizon >= DAY_MS || [0, DAY_MS].some((day) => from + day < ends && to + day > begins)
  for (const [at, site] of sites.entries()) {
    for (const {
      path,
      shift: { from, to },
    } of shiftsOf(site, at)) {
      if (from < to && !isInRun(from, to)) {
        report(spanAt(root, path), "the shift is outside of the run", {
          help: `orders come for ${showDuration(horizon)} from ${clock.local}`,
        })
      }
    }
  }
  const weekdays = weekdaysOf(wall, horizon)
  // Some of the demands may be of other days: a fitted week keeps them all in a run of one day.
  const isNoDay = demand.every(({ on }) => on !== null && !on.some((day) => weekdays.has(day)))
  for (const [at, { per_hour: perHour }] of demand.entries()) {
    if (isNoDay) {
      report(spanAt(root, ["demand", at, "on"]), "none of these weekdays is in the run", {
        help: `orders come for ${showDuration(horizon)} from ${clock.local}, a ${[...weekdays][0]}`,
      })
    }
    if (perHour === null) continue
    const isSome = perHour.steps.some(({ fromMsOfDay, value }, step) => {
      const next = perHour.steps[step + 1]?.fromMsOfDay ?? DAY_MS
      // The last step goes on past midnight.
      const first = perHour.steps[0]?.fromMsOfDay ?? 0
      const isLast = step === perHour.steps.length - 1
      return value > 0 && (isInRun(fromMsOfDay, next) || (isLast && isInRun(0, first)))
    })
    if (!isSome) report(spanAt(root, ["demand", at, "per_hour"]), "no order comes during the run")
  }
}

/** The weekdays of a run that begins at this local time, in their order. */
function weekdaysOf(wall: WallClockMs, horizonMs: number): ReadonlySet<Weekday> {
  const days = new Set<Weekday>()
  for (let at = wall; at < wall + horizonMs; at = midnightOf(at) + DAY_MS) {
    days.add(WEEKDAYS[weekdayAt(at)] as Weekday)
    if (days.size === WEEKDAYS.length) break
  }
  return days
}

function checkDemand({ demand, sites }: WrittenFleet, root: WrittenMap, report: Report): void {
  for (const [at, one] of demand.entries()) {
    const tell = (key: string, message: string, advice = {}): void =>
      report(spanAt(root, ["demand", at, key]), message, advice)
    checkErrands({ demand, at, tell })
    if (one.as !== null && demand.findIndex(({ as }) => as === one.as) !== at) {
      tell("as", `two demands are called ${JSON.stringify(one.as)}`)
    }
    const site = sites.find(({ as }) => as === one.site)
    if (site === undefined) {
      const names = sites.map(({ as }) => as)
      tell("site", `there is no site ${JSON.stringify(one.site)}`, adviceFor(one.site, names))
      continue
    }
    const stores = site.stores.map(({ as }) => as)
    if (one.store !== null && !stores.includes(one.store)) {
      tell("store", `the site has no store ${JSON.stringify(one.store)}`, adviceFor(one.store, stores))
    }
    if ([one.per_hour, one.every, one.population, one.replay].filter((way) => way !== null).length !== 1) {
      tell("", "orders come in exactly one way", { expected: "one of per_hour, every, population, replay" })
    }
    if (one.population !== null && meanMsOf(one.population.thinks) / one.pace < SECOND_MS)
      tell("population", "customers order without a pause", {
        expected: "thinks: a second or more on average",
      })
    if (one.population !== null && meanBatch(one.batch) > 1)
      tell("batch", "each customer orders one thing at a time", { help: "leave batch out" })
    if (one.every !== null && meanMsOf(one.every) / one.pace < SECOND_MS) {
      tell("every", "orders come without a pause", { expected: "a second or more between two on average" })
    }
    if (meanBatch(one.batch) > 1 && typeof one.replay === "object" && one.replay !== null)
      tell("batch", "each row of the table is an order", {
        help: "leave batch out; scale makes more of them",
      })
    if (one.product === "reservation" && (site.stalls === 0 || site.runners.length === 0)) {
      tell("site", "reservations need stalls and runners at their site", { help: "give the site both" })
    }
    if (one.product !== "reservation" && site.vehicles === 0) {
      const what = one.product === "delivery" ? "deliveries" : "courier orders"
      tell("site", `${what} need vehicles at their site`, { help: "write vehicles: 10 there" })
    }
    if (one.product !== "reservation" && one.priority > 0) {
      tell("priority", "only reservations wait for runners", { help: "remove the priority" })
    }
    if (one.width < WINDOW_WIDTH_MS_MIN || one.width > WINDOW_WIDTH_MS_MAX) {
      const [least, most] = [showDuration(WINDOW_WIDTH_MS_MIN), showDuration(WINDOW_WIDTH_MS_MAX)]
      tell("width", "a window of this width is refused", { expected: `${least} to ${most}` })
    }
  }
}

/** The connector has one fleet, so the courier demand of a model must have one too. */
function checkErrands({
  demand,
  at,
  tell,
}: {
  readonly demand: WrittenFleet["demand"]
  readonly at: number
  readonly tell: (key: string, message: string, advice?: Advice) => void
}): void {
  const one = demand[at]
  if (one === undefined) return
  if (one.product !== "courier") {
    if (one.by !== null) {
      tell("by", `a ${one.product} has no agents`, { help: "write product: courier, or leave it out" })
    }
    if (one.errand !== null) {
      tell("errand", `a ${one.product} has no errand`, { help: "write product: courier, or leave it out" })
    }
    return
  }
  const first = demand.find(({ product }) => product === "courier")
  if (first !== undefined && first.site !== one.site) {
    tell("site", "courier orders of another site", {
      expected: first.site,
      help: "one fleet carries the errands of a model: ask for them at one site",
    })
  }
}

/** Only direct deliveries share a trip: an errand is collected at a store of its own. */
function checkBatching({ demand, vehicle }: WrittenFleet, root: WrittenMap, report: Report): void {
  const capacity = vehicle?.batching?.capacity ?? null
  for (const [at, { items, product }] of demand.entries()) {
    const place = spanAt(root, ["demand", at, "items"])
    if (meanBatch(items) > 1 && (capacity === null || product !== "delivery"))
      report(place, "nothing depends on these items", {
        help: "give vehicle.batching a capacity, for deliveries; or leave items out",
      })
    else if (capacity !== null && leastBatch(items) > capacity)
      report(place, "no vehicle has room for one of these orders", {
        expected: `at most ${capacity}, the capacity in vehicle.batching`,
      })
  }
  const hasItems = demand.some(({ product }, at) => {
    const written = partAt(root, ["demand", at])
    return product === "delivery" && partAt(written, ["items"]) !== written
  })
  if (capacity !== null && !hasItems)
    report(spanAt(root, ["vehicle", "batching", "capacity"]), "no order says how many items it has", {
      help: "write items: 4 in a demand of deliveries, or leave the capacity out",
    })
  if ((vehicle?.batching ?? null) === null || demand.some(({ product }) => product === "delivery")) return
  report(spanAt(root, ["vehicle", "batching"]), "no order of this model could share a trip", {
    help: "leave it out, or add a demand of deliveries",
  })
}

function checkSweep({ sweep, demand, policy, out }: WrittenFleet, root: WrittenMap, report: Report): void {
  const cases = [...sweep.values()].reduce((product, values) => product * values.length, 1)
  if (cases > SWEEP_CASES_MAX) {
    report(spanAt(root, ["sweep"]), `${cases} cases`, { expected: `at most ${SWEEP_CASES_MAX}` })
  }
  for (const [setting, values] of sweep) {
    const at = values.findIndex((value, index) => values.indexOf(value) !== index)
    if (at !== -1) {
      report(spanAt(root, ["sweep", setting, at]), `${values[at]} twice`, { help: "each value is a case" })
    }
  }
  const needs = {
    vehicle: demand.some(({ product }) => product !== "reservation"),
    runner: demand.some(({ product }) => product === "reservation"),
  }
  const places = [
    ...[...sweep.keys()].map((setting) => ["sweep", setting]),
    ...((policy ?? USUAL.policy).vehicle_dispatch === USUAL.policy.vehicle_dispatch
      ? []
      : [["policy", "vehicle_dispatch"]]),
  ]
  if (sweep.has("out") && out.length === 0)
    report(spanAt(root, ["sweep", "out"]), "nothing of this model is out", {
      help: "write out, or leave it out",
    })
  for (const place of places) {
    const who = NEEDED_BY[place[1] ?? ""]
    if (who === undefined || needs[who]) continue
    const orders = who === "vehicle" ? "deliveries or courier orders" : "reservations"
    report(spanAt(root, place), `no order of this model needs a ${who}`, {
      help: `leave it out, or add a demand of ${orders}`,
    })
  }
}

/** Settings that change nothing where no order needs a vehicle, or a runner. */
const NEEDED_BY: Readonly<Record<string, "runner" | "vehicle">> = {
  vehicles: "vehicle",
  vehicle_dispatch: "vehicle",
  runners: "runner",
  dispatch: "runner",
  staging_lead: "runner",
  send_ahead: "runner",
}

function checkStreets(
  { streets, sites }: WrittenFleet,
  {
    root,
    report,
    source,
  }: { readonly root: WrittenMap; readonly report: Report; readonly source: FleetSource },
): void {
  if (streets === null) return
  const fault = mapFault(streets, { beside: source.beside, near: serviceBox(sites) })
  if (fault !== null) report(spanAt(root, ["streets"]), fault)
}
