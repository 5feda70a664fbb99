/**
 * How far arrivals are from what was told: a fleet's day is played, the estimate of every open delivery is read each
 * minute, and compared with the arrival. Mean absolute error, bias (later than told is positive) and the shares around the
 * told range, by minutes to go as told. `npm run bench -- estimates`, or with `--quick` two hours of one seed.
 */

import { Effect } from "effect"
import { DirectDelivery } from "../../src/areas/direct-delivery/direct-delivery.ts"
import { deliveryStatus } from "../../src/areas/direct-delivery/record.ts"
import { arrivalRange } from "../../src/areas/dispatch/estimates.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { FleetWorld, PARTNER, siteIdOf } from "../../src/simulation/fleet/world/fleet-world.ts"
import { startFleet } from "../../src/simulation/fleet/world/replication.ts"
import { idOf, kindOf } from "../../src/model/address.ts"
import { DELIVERY_STATUSES, isFinal } from "../../src/model/delivery.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const SITES = 4
const SEEDS = isQuick ? [1] : [1, 2, 3]
const OPEN = DELIVERY_STATUSES.filter((status) => !isFinal(status) && status !== "ARRIVED_AT_CUSTOMER")
/** Minutes to go, as told. */
const BANDS = [2, 5, 10, 15, 20, 30, 45, 60, Number.POSITIVE_INFINITY]

/** A lunch and a quiet afternoon at four sites, whose vehicles are busy but not overrun. */
function day(minutes: number): FleetModel {
  const text = [
    "fleet: A day of estimates",
    "because: How far are arrivals from what was told?",
    "clock: 2026-03-02T10:00 America/Chicago",
    `horizon: ${minutes}m`,
    "sites:",
    ...Array.from(
      { length: SITES },
      (_, at) => `  - { as: s${at}, at: [30.${20 + 5 * at}, -97.7], vehicles: 8, reach_km: 4 }`,
    ),
    "demand:",
    ...Array.from({ length: SITES }, (_, at) => `  - { product: delivery, site: s${at}, per_hour: 10 }`),
  ].join("\n")
  const { model, problems } = readFleet({ file: "day", text, beside: () => null })
  if (model === null) throw new Error(problems.map(({ message }) => message).join("; "))
  return model
}

interface Sample {
  readonly deliveryId: string
  readonly atMs: number
  readonly toldMs: number
  readonly isOnBoard: boolean
}

interface Compared {
  readonly toGoMin: number
  /** Later than told is positive. */
  readonly errorMin: number
  readonly isOnBoard: boolean
  readonly isInRange: boolean
}

function play(model: FleetModel, seed: number): readonly Compared[] {
  const world = new FleetWorld(model, { seed })
  const samples: Sample[] = []
  const arrivedAtMs = new Map<string, number>()
  world.service.host.onTurn(({ group, outcome, instantMs }) => {
    if (outcome.type === "refused" || kindOf(group.address) !== "delivery") return
    if (deliveryStatus(group.actors, group.address) !== "ARRIVED_AT_CUSTOMER") return
    const id = idOf(group.address)
    if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, instantMs)
  })
  startFleet(world)
  const look = (): void => {
    for (let site = 0; site < SITES; site += 1) {
      const asked = { status: OPEN, limit: 100 } as const
      world.call(
        Effect.flatMap(DirectDelivery, (direct) => direct.list(PARTNER, siteIdOf(site), asked)),
        (found) => {
          if ("refusal" in found) throw new Error(found.refusal)
          for (const { tracking_url: url, estimated_delivery_at: at, status } of found.answer.deliveries) {
            const deliveryId = /dlv_\w{22}/.exec(url ?? "")?.[0]
            if (deliveryId === undefined || at === null) continue
            const isOnBoard = status === "LOADED" || status === "EN_ROUTE_TO_CUSTOMER"
            samples.push({ deliveryId, atMs: world.nowMs, toldMs: Date.parse(at), isOnBoard })
          }
        },
      )
    }
    if (!world.isOver) world.after(MINUTE_MS, look)
  }
  world.after(MINUTE_MS, look)
  for (let untilMs = world.startMs; !world.isOver; untilMs += 60 * MINUTE_MS)
    world.service.host.time.run(untilMs)
  return samples.flatMap(({ deliveryId, atMs, toldMs, isOnBoard }) => {
    const arrivalMs = arrivedAtMs.get(deliveryId)
    if (arrivalMs === undefined) return []
    const { fromMs, toMs } = arrivalRange(toldMs, atMs)
    return [
      {
        toGoMin: (toldMs - atMs) / MINUTE_MS,
        errorMin: (arrivalMs - toldMs) / MINUTE_MS,
        isOnBoard,
        isInRange: arrivalMs >= fromMs && arrivalMs <= toMs,
      },
    ]
  })
}

export function benchEstimates(): void {
  printMachine()
  const model = day(isQuick ? 120 : 600)
  const compared = SEEDS.flatMap((seed) => play(model, seed))
  console.log(`${SEEDS.length} seeds, ${compared.length} estimates\n`)
  console.log("minutes to go   samples   MAE    bias    p10     p90    in the told range")
  let least = Number.NEGATIVE_INFINITY
  for (const most of BANDS) {
    line(
      `${least < 0 ? "" : `${least} to `}${most}`,
      compared.filter(({ toGoMin }) => toGoMin >= least && toGoMin < most),
    )
    least = most
  }
  line(
    "before loading",
    compared.filter(({ isOnBoard }) => !isOnBoard),
  )
  line(
    "on board",
    compared.filter(({ isOnBoard }) => isOnBoard),
  )
  line("all", compared)
}

function line(name: string, found: readonly Compared[]): void {
  if (found.length === 0) return
  const errors = found.map(({ errorMin }) => errorMin).toSorted((one, other) => one - other)
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length
  const at = (share: number): number => errors[Math.floor(share * (errors.length - 1))] ?? Number.NaN
  const inside = found.filter(({ isInRange }) => isInRange).length / found.length
  const figures = [mean(errors.map(Math.abs)), mean(errors), at(0.1), at(0.9)].map((one) =>
    one.toFixed(1).padStart(6),
  )
  console.log(
    `${name.padEnd(15)} ${String(found.length).padStart(7)} ${figures.join("  ")}   ${(inside * 100).toFixed(0)} %`,
  )
}
