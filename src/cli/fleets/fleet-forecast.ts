/** `curbline fleet forecast`: what the present of a site becomes in the next hours. */

import { program } from "../../apps/composition/program.ts"
import { fitModel } from "../../simulation/fleet/fit/fit-model.ts"
import { forecast } from "../../simulation/fleet/forecast/forecast.ts"
import type { Forecast, OneMore, PromiseForecast } from "../../simulation/fleet/forecast/forecast.ts"
import {
  promisedText,
  readPromised,
  unobservedHours,
  withPromises,
} from "../../simulation/fleet/forecast/promised-model.ts"
import { ReplayedGroups } from "../../simulation/fleet/forecast/replayed-groups.ts"
import type { FleetModel } from "../../simulation/fleet/language/model.ts"
import { promiseWords } from "../../simulation/fleet/results/promise-words.ts"
import { shownDay } from "../../simulation/fleet/results/shown-time.ts"
import { unitOf, showFigure } from "../../simulation/fleet/language/metrics.ts"
import { isOfTime } from "../../simulation/fleet/language/time-parts.ts"
import type { FleetReading } from "../../simulation/fleet/language/read.ts"
import type { Environment } from "../../model/caller.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { SEED_MAX } from "../../model/values/limits.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { parseDuration } from "../../simulation/scenario/language/shapes.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { readFleetFile } from "./fleet-files.ts"
import { readRecordFile, readSite } from "./fleet-fit.ts"
import type { ReadData } from "./fleet-fit.ts"
import { startProgress } from "../kit/progress.ts"
import { UsageError } from "../kit/usage-error.ts"
import { wholeOf } from "../kit/whole-number.ts"
import { err, hasColor, out } from "../kit/terminal.ts"

export interface ForecastFlags {
  readonly journal?: string
  readonly database?: string
  readonly site?: string
  readonly environment?: Environment
  readonly model?: string
  readonly promise?: readonly string[]
  readonly ahead: string
  readonly replications: string
  readonly seed: string
  readonly json?: boolean
}

/** Beyond a week the present says nothing; a fleet model from `fleet fit` is for that. */
const AHEAD_MS_MAX = 7 * DAY_MS

/** Some minutes of a processor: about 7,000 turns a second. */
const TURNS_MAX = 3_000_000

/** The present is that of the database now, or that at the end of a record. */
export async function fleetForecastCommand(flags: ForecastFlags): Promise<ExitStatus> {
  if ((flags.journal === undefined) === (flags.database === undefined))
    throw new UsageError(
      "forecast reads either a record, with --journal, or a database, with --database and --site",
    )
  const aheadMs = parseDuration(flags.ahead)
  if (aheadMs === null || aheadMs <= 0 || aheadMs > AHEAD_MS_MAX)
    throw new UsageError(
      `--ahead takes a duration such as 2h, at most ${showDuration(AHEAD_MS_MAX)}, not "${flags.ahead}"`,
    )
  const replications = wholeOf("--replications", flags.replications, { min: 1, max: 10_000 })
  const seed = wholeOf("--seed", flags.seed, { min: 0, max: SEED_MAX })
  const present = new ReplayedGroups(program)
  const take = (text: string): void => present.take(text)
  const read =
    flags.journal === undefined ? await readSite(flags, take) : await readRecordFile(flags.journal, take)
  const model = await modelIn(flags, read)
  if (model === null) return EXIT.usage
  if (model.promises.length === 0)
    throw new UsageError(
      "the model promises nothing; say what must hold: --promise 'reservations.wait_p95 < 8m'",
    )
  const ofDay = model.promises.find(({ metric }) => isOfTime(metric))
  if (ofDay !== undefined)
    throw new UsageError(
      `${ofDay.metric} is about a day or an hour, and a forecast is about the time ahead; leave that promise out`,
    )
  const atMs = flags.journal === undefined ? Date.now() : (read.observations.lastMs ?? 0)
  const progress = startProgress(replications, { showsRemaining: true })
  const found = forecast({
    groups: present.groups(),
    terms: read.terms,
    model,
    atMs,
    aheadMs,
    replications,
    seed,
    turnsMax: TURNS_MAX,
    onDone: ({ virtualMs, turns }, wanted) => progress.done({ virtualMs, events: turns }, wanted),
  })
  progress.clear()
  if (flags.json === true) out(JSON.stringify(found, null, 2))
  else for (const line of linesOf(found, model.clock.timeZone, flags.journal !== undefined)) out(line)
  if (found.replications < replications)
    err(
      `${found.replications} replications of ${replications}: the bound of ${TURNS_MAX.toLocaleString("en-US")} turns was reached`,
    )
  return EXIT.passed
}

async function modelIn(flags: ForecastFlags, read: ReadData): Promise<FleetModel | null> {
  const found = flags.model === undefined ? fittedModel(read) : await readFleetFile(flags.model)
  const { model, problems } = withPromises(found, flags.promise ?? [], "--promise")
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (problems.length > 0) err(`${counted(problems.length, "problem")}; nothing was run`)
  return model
}

function fittedModel({ observations, naming, timeZone }: ReadData): FleetReading {
  const fitted = fitModel(observations, { fromMs: null, toMs: null, timeZone })
  if (fitted === null)
    throw new UsageError(`there is no reservation, no delivery and no errand in ${naming.source}`)
  const unobserved = unobservedHours(fitted)
  if (unobserved.length > 0)
    err(`no new orders come in hours that the journal does not have: ${unobserved.join(", ")}`)
  return readPromised(promisedText(fitted, naming, []), naming.source)
}

/** Local times, with their day where the forecast goes past midnight. */
function clockOf({ atMs, untilMs }: Forecast, timeZone: string): (atMs: EpochMs) => string {
  const timeOf = (ms: EpochMs): string => new Date(wallClockAt(ms, timeZone)).toISOString().slice(11, 16)
  const dayOf = (ms: EpochMs): string => shownDay({ clock: { timeZone }, horizon: untilMs - atMs }, ms)
  return dayOf(atMs) === dayOf(untilMs) && untilMs - atMs < DAY_MS
    ? timeOf
    : (ms) => `${dayOf(ms)} ${timeOf(ms)}`
}

/** Without orders under way the waits of the first hours are shorter than those of a site that is at work. */
function emptyLines(
  { atMs, adopted, deliveries, errands }: Forecast,
  clock: (atMs: EpochMs) => string,
  isRecord: boolean,
): readonly string[] {
  if (adopted + deliveries + errands > 0) return []
  const begins = "the forecast begins with an empty site"
  return [
    isRecord
      ? `Nothing is under way when the record ends, ${clock(atMs)}: ${begins}, so its first waits are short. A record that ends while orders are under way goes on from them.`
      : `Nothing is under way at ${clock(atMs)}: ${begins}.`,
  ]
}

/** The answer as sentences. */
function linesOf(found: Forecast, timeZone: string, isRecord: boolean): readonly string[] {
  const clock = clockOf(found, timeZone)
  const { atMs, untilMs, replications, leftOut, promises, drawn } = found
  return [
    `from ${clock(atMs)} to ${clock(untilMs)}, ${counted(replications, "replication")}, ${openText(found)} under way`,
    ...emptyLines(found, clock, isRecord),
    ...promises.map((one) => promiseLine(one, clock)),
    ...drawn,
    ...Object.entries(leftOut).map(([reason, count]) => `left out: ${count} × ${reason}`),
  ]
}

function openText({ adopted, deliveries, errands, vehicles }: Forecast): string {
  const reservations = counted(adopted, "reservation")
  if (vehicles === 0) return reservations
  const runs = deliveries === 1 ? "1 delivery" : `${deliveries} deliveries`
  return `${reservations}, ${runs} and ${counted(errands, "errand")} with ${counted(vehicles, "vehicle")}`
}

function promiseLine(one: PromiseForecast, clock: (atMs: EpochMs) => string): string {
  const {
    promise,
    breaks,
    breaksWithOneMore,
    runnerAt,
    saved,
    costs,
    oneMoreVehicle,
    whenMs,
    noTime,
    median,
  } = one
  const unit = unitOf(promise.metric)
  const shown = (value: number): string => showFigure(value, unit)
  const { low, high } = breaks.interval
  const runner =
    breaksWithOneMore === null ? null : { site: runnerAt, breaks: breaksWithOneMore, saved, costs }
  return [
    `${promiseWords(promise)}: breaks with ${percent(breaks.value)} (${percent(low)} to ${percent(high)})`,
    ...(median === null ? ["nothing to measure"] : [`the middle is ${shown(median)}`]),
    ...(whenMs === null ? [] : [`first beyond it around ${clock(whenMs)}`]),
    ...(noTime === null ? [] : [noTime]),
    ...(isOf(promise.metric, OF_VEHICLES) ? [] : moreText("runner", runner)),
    ...(isOf(promise.metric, OF_RUNNERS) ? [] : moreText("vehicle", oneMoreVehicle)),
  ].join("; ")
}

/** One more of the other changes nothing in these figures that is worth a word. */
const OF_VEHICLES = ["deliveries.", "errands.", "vehicles."]
const OF_RUNNERS = ["reservations.", "runners."]

function isOf(metric: string, parts: readonly string[]): boolean {
  return parts.some((part) => metric.startsWith(part))
}

function moreText(what: "runner" | "vehicle", more: OneMore | null): readonly string[] {
  if (more === null) return []
  const { site, breaks, saved, costs } = more
  return [
    `one more ${what}${site === null ? "" : ` at ${site}`} now: ${percent(breaks.value)}, ${saved} saved and ${costs} lost in pairs of the same chance`,
  ]
}

function percent(value: number): string {
  return `${Math.round(value * 100)} %`
}
