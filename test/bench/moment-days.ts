/** Days of a small site on which one thing goes wrong at a drawn instant, and how near an answer names it. */

import { program } from "../../src/apps/composition/program.ts"
import { recordContext } from "../../src/live/configuration/build.ts"
import { groupOf, idOf, kindOf } from "../../src/model/address.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { Chance } from "../../src/simulation/fleet/chance.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import { CaseWatch } from "../../src/simulation/fleet/moment/case-watch.ts"
import type { Case, Verdict, Wanted } from "../../src/simulation/fleet/moment/case-watch.ts"
import { causeWords, isTheMoment } from "../../src/simulation/fleet/moment/moment-words.ts"
import { whyLate } from "../../src/simulation/fleet/moment/moment.ts"
import type { WhyLate } from "../../src/simulation/fleet/moment/moment.ts"
import { recordedReplication } from "../../src/simulation/fleet/world/replication.ts"
import { replayRecord } from "../../src/simulation/replay.ts"
import type { ReplayedTurn } from "../../src/simulation/replay.ts"
import { recordOfRun } from "../../src/simulation/run-record.ts"

/** Only whether a wait is named counts here. */
const WORDING = { clock: String, nameOf: String, eventName: String }

/** What is taken from the site. */
export const CAUSES = ["kitchen", "runners", "vehicle", "link"] as const
export type Cause = (typeof CAUSES)[number]

/** What a case waits for while the cause lasts. */
const WAITS: Readonly<Record<Cause, readonly Wanted[]>> = {
  kitchen: ["order"],
  runners: ["runner", "store", "walk"],
  vehicle: ["pickup", "loading", "door"],
  link: ["compartment"],
}

const CURB = `
sites: [{ as: curb, at: [30.4, -97.7], stalls: 8, runners: 2, stores: [{ as: grill, preparation: { gamma: { mean: 8m, sd: 2m } }, cooks: 6 }] }]
runner: { walk: { uniform: [40s, 90s] }, load: 40s }
bot: { punctuality: { normal: { mean: 2m, sd: 2m } }, patience: 40m }
`

const ROAD = `
sites: [{ as: kitchen, at: [30.4, -97.7], reach_km: 2, vehicles: 3, stores: [{ as: grill, preparation: { gamma: { mean: 8m, sd: 2m } } }] }]
`

function modelOf(lines: string): FleetModel {
  const text = `
fleet: A small site
because: How well is the cause of a late order found?
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
replications: 1
${lines}`
  const { model, problems } = readFleet({ file: "moment", text, beside: () => null })
  if (model === null) throw new Error(problems.map(({ message }) => message).join("; "))
  return model
}

/** Four orders an hour. */
export const calmCurb = modelOf(`${CURB}demand: [{ product: reservation, site: curb, per_hour: 4 }]`)
export const calmRoad = modelOf(`${ROAD}demand: [{ product: delivery, site: kitchen, per_hour: 4 }]`)

/** So many orders that some of them are late by chance. */
export const busyCurb = modelOf(
  `${CURB.replace("runners: 2", "runners: 1")}demand: [{ product: reservation, site: curb, per_hour: 14 }]`,
)
export const busyRoad = modelOf(`${ROAD}demand: [{ product: delivery, site: kitchen, per_hour: 12 }]`)

/** How long a robot may wait, and how long a delivery may take. */
const LIMIT_MS = 8 * MINUTE_MS
const DELIVERY_MS = 40 * MINUTE_MS

/** Of the model of the day, which is in Chicago's winter. */
const MIDNIGHT_MS = Date.UTC(2026, 2, 2, 6)

export interface Planted {
  readonly cause: Cause
  readonly seed: number
  /** The model without the cause. */
  readonly calm: FleetModel
  readonly model: FleetModel
  readonly atMs: EpochMs
}

/** The same day for the same number: what goes wrong, which one of several, when, and for how long. */
export function plantedDay(number: number): Planted {
  const cause = CAUSES[number % CAUSES.length] ?? "kitchen"
  const chance = new Chance(number, "planted/")
  const minute = Math.floor(11 * 60 + 30 + chance.fraction("at") * 60)
  const lasts = Math.floor(25 + chance.fraction("lasts") * 20)
  const [from, to] = [clockOf(minute), clockOf(minute + lasts)]
  const vehicle = 1 + Math.floor(chance.fraction("which") * 3)
  const lines: Readonly<Record<Cause, string>> = {
    kitchen: `out: [{ kitchen of grill: true, from: ${from}, to: ${to} }]`,
    runners: `out: [{ runners: 2, from: ${from}, to: ${to} }]`,
    vehicle: `changes: [{ at: ${from}, breakdown of veh_0_000${vehicle}: ${lasts}m }]`,
    link: `changes: [{ at: ${from}, open_link_fails: 100% }]`,
  }
  const isRoad = cause === "vehicle"
  const demand = isRoad
    ? `${ROAD}demand: [{ product: delivery, site: kitchen, per_hour: 4 }]`
    : `${CURB}demand: [{ product: reservation, site: curb, per_hour: 4 }]`
  return {
    cause,
    seed: 1_000 + number,
    calm: isRoad ? calmRoad : calmCurb,
    model: modelOf(`${demand}\n${lines[cause]}`),
    atMs: MIDNIGHT_MS + minute * MINUTE_MS,
  }
}

function clockOf(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`
}

export function turnsOf(model: FleetModel, seed: number): readonly ReplayedTurn[] {
  const { run } = recordedReplication(model, { seed, name: "day", variant: null })
  const turns: ReplayedTurn[] = []
  replayRecord(recordOfRun(run, recordContext()), program, null, (turn) => turns.push(turn))
  return turns
}

/** Orders of a day in the order in which they were booked. */
function casesOf(turns: readonly ReplayedTurn[]): readonly Case[] {
  const first = new Map<string, ReplayedTurn>()
  for (const turn of turns) {
    const group = groupOf(turn.input.to)
    const isOrder = kindOf(group) === "reservation" || kindOf(group) === "delivery"
    if (isOrder && turn.result.hasGroup && !first.has(group)) first.set(group, turn)
  }
  return [...first].map(([group, { result }]): Case => {
    const id = idOf(group)
    return kindOf(group) === "reservation"
      ? { kind: "reservation", id, limitMs: LIMIT_MS }
      : { kind: "delivery", id, dueMs: result.instantMs + DELIVERY_MS }
  })
}

/** With a limit that is drawn for each, so that odds of all sizes occur: of a robot 2 to 10 minutes, of a delivery 16 to 30. */
export function drawnCasesOf(turns: readonly ReplayedTurn[], chance: Chance): readonly Case[] {
  return casesOf(turns).map((of) => {
    const drawn = chance.fraction("limit")
    switch (of.kind) {
      case "reservation":
        return { ...of, limitMs: (2 + drawn * 8) * MINUTE_MS }
      case "delivery":
        return { ...of, dueMs: of.dueMs - DELIVERY_MS + (16 + drawn * 14) * MINUTE_MS }
      case "promise":
        return of
    }
  })
}

/** At the end of the day. */
export function verdictOf(turns: readonly ReplayedTurn[], of: Case): Verdict {
  const watch = new CaseWatch(of)
  for (const { result } of turns) watch.take(result)
  return watch.verdictAt(Number.POSITIVE_INFINITY)
}

/** An entry of the case, as two days are compared by it. */
interface Own {
  readonly atMs: EpochMs
  readonly what: string
}

/** Without ids: orders that are booked after the cause have others. */
function ownEntries(turns: readonly ReplayedTurn[], of: Case): readonly Own[] {
  if (of.kind === "promise") return []
  return turns.flatMap(({ input: { to, event }, result: { instantMs } }): readonly Own[] =>
    idOf(groupOf(to)) === of.id
      ? [{ atMs: instantMs, what: `${to.replace(of.id, "")} ${event?.type ?? "start"}` }]
      : [],
  )
}

export interface Found {
  readonly answer: WhyLate
  /** The instants between which the named step lies. */
  readonly fromMs: EpochMs
  readonly toMs: EpochMs
  readonly near: "cause" | "far" | "one decision away" | "wait"
  /** False: it is the first of several that the answer names, because the odds grew over several entries. */
  readonly isTheMoment: boolean
}

/**
 * The answer for the first order that went wrong because of the cause: it is good on the same day without it. Null when there is none.
 * The named entry is that of the largest step.
 *
 * The two days are the same until the cause. The first own entry of the order that differs, is missing or is not there on the day
 * without the cause, shows the cause to the journal. `cause`: the named entry lies between the cause and that entry, both included.
 * `one decision away`: it is no later than the next own entry of the order. `wait`: it is later, and what the answer says that the order
 * waited for is what the cause took away. `far`: any other entry.
 */
export function findCause(day: Planted, futures: number): Found | null {
  const { calm, model, seed } = day
  const turns = turnsOf(model, seed)
  const twin = turnsOf(calm, seed)
  const twins = casesOf(twin)
  for (const [number, of] of casesOf(turns).entries()) {
    const other = twins[number]
    if (other === undefined || verdictOf(turns, of).is !== "bad" || verdictOf(twin, other).is !== "good")
      continue
    const answer = whyLate({
      turns,
      of,
      model: calm,
      terms: new Map(),
      fromMs: 0,
      futures,
      width: 0.2,
      seed: 1,
      turnsMax: Number.POSITIVE_INFINITY,
      triesDecisions: false,
    })
    if ("is" in answer) throw new Error(`day ${seed} has no answer: ${answer.is}`)
    return nearness(answer, day, { own: ownEntries(turns, of), other: ownEntries(twin, other) })
  }
  return null
}

interface Days {
  readonly own: readonly Own[]
  readonly other: readonly Own[]
}

function nearness(answer: WhyLate, { atMs, cause }: Planted, { own, other }: Days): Found {
  const [step] = answer.steps
  if (step === undefined) throw new Error("a curve has a step")
  const [fromMs, toMs] = [step.before.moment.atMs, step.after.moment.atMs]
  const at = { answer, fromMs, toMs, isTheMoment: isTheMoment(step) }
  const differs = own.findIndex(
    (entry, number) => entry.what !== other[number]?.what || entry.atMs !== other[number].atMs,
  )
  const shownMs = Math.min(own[differs]?.atMs ?? Infinity, other[differs]?.atMs ?? Infinity)
  const nextMs = own.find((entry) => entry.atMs > shownMs)?.atMs ?? shownMs
  if (toMs >= atMs && fromMs <= shownMs) return { ...at, near: "cause" }
  if (toMs >= atMs && fromMs <= nextMs && toMs <= nextMs) return { ...at, near: "one decision away" }
  const isNamedAsWait = causeWords(answer, step, WORDING).waitedMs !== null
  const wanted = isNamedAsWait ? (answer.waited?.wanted ?? null) : null
  const isWait = toMs >= atMs && wanted !== null && WAITS[cause].includes(wanted)
  return { ...at, near: isWait ? "wait" : "far" }
}
