/**
 * A city's day: 1,000 vehicles and 1,000 deliveries an hour at 20 sites, then the same for tenfold the city, which should cost
 * ten times as much, in pools of 50 vehicles and of 1,000; what the machines alone cost, as live XState actors on a heap clock that are
 * given the same inputs; and a bare queue, which has neither machines nor rows.
 * `npm run bench -- fleet`, or with `--quick` two hours of the one and a quarter of an hour of the other.
 * Rates are of the thread's processor time, so that other work on the machine hardly counts.
 */

import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { benchBareQueue } from "./bare-queue.ts"
import { loadOf, playLive } from "./fleet-actors.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const MEGABYTE = 1_000_000

/** Sites with as many vehicles as orders an hour: a pool of vehicles is looked through for every order of its site. */
function city(sites: number, minutes: number, pool = 50): FleetModel {
  const text = [
    `fleet: A city of ${sites} sites`,
    "because: What does a day of it cost?",
    "clock: 2026-03-02T00:00 America/Chicago",
    `horizon: ${minutes}m`,
    "sites:",
    ...Array.from({ length: sites }, (_, at) => {
      const place = `[${(30 + 0.05 * Math.floor(at / 20)).toFixed(2)}, ${(-98 + 0.05 * (at % 20)).toFixed(2)}]`
      return `  - { as: s${at}, at: ${place}, vehicles: ${pool}, reach_km: 2 }`
    }),
    "demand:",
    ...Array.from({ length: sites }, (_, at) => `  - { product: delivery, site: s${at}, per_hour: ${pool} }`),
  ].join("\n")
  const { model, problems } = readFleet({ file: "city", text, beside: () => null })
  if (model === null) throw new Error(problems.map(({ message }) => message).join("; "))
  return model
}

/** Returns the microseconds of processor time that an order took. */
function measure(name: string, model: FleetModel): number {
  const before = process.cpuUsage()
  const { virtualMs, turns, figures } = replicate(model, { seed: 1 })
  const { user, system } = process.cpuUsage(before)
  const us = user + system
  const orders = figures["orders.asked"] ?? 0
  console.log(
    `${name}: ${orders} orders, ${turns} turns, ${(virtualMs / 3_600_000).toFixed(1)} h of virtual time`,
  )
  console.log(
    `  ${Math.round((turns * 1e6) / us).toLocaleString("en-US")} turns/s, ${Math.round((virtualMs * 1000) / us).toLocaleString("en-US")} × real time, ` +
      `${(turns / orders).toFixed(1)} turns and ${Math.round(us / orders)} µs an order, ${(us / turns).toFixed(0)} µs a turn, ` +
      `rss ${(process.memoryUsage().rss / MEGABYTE).toFixed(0)} MB`,
  )
  return us / orders
}

/** The same on live actors. Fails when their final states differ from the service's. */
function measureActors(model: FleetModel): void {
  const load = loadOf(model)
  playLive(load)
  const before = process.cpuUsage()
  const { turns, stands } = playLive(load)
  const { user, system } = process.cpuUsage(before)
  const us = user + system
  const [found, wanted] = [stands, load.stands].map((one) =>
    [...one]
      .map(([stand, count]) => `${count} ${stand}`)
      .toSorted()
      .join(", "),
  )
  if (found !== wanted) throw new Error(`live actors end otherwise: ${found}, and not ${wanted}`)
  console.log(`live XState actors on a heap clock, given the inputs of two hours: ${turns} turns`)
  console.log(`  ${(us / turns).toFixed(0)} µs a turn, without journal, rows, service and people around them`)
}

export function benchFleet(): void {
  printMachine()
  measure("warm-up", city(20, 20))
  const one = measure("1,000 vehicles, 1,000 orders an hour", city(20, isQuick ? 120 : 1_440))
  measureActors(city(20, 120))
  const ten = measure("10,000 vehicles, 10,000 orders an hour", city(200, isQuick ? 15 : 144))
  const pools = measure("the same in pools of 1,000", city(10, isQuick ? 15 : 144, 1_000))
  console.log(
    `an order of the tenfold city costs ${(ten / one).toFixed(2)} times as much, and ${(pools / one).toFixed(2)} times in pools of 1,000`,
  )
  const customer = benchBareQueue(isQuick ? 100_000 : 1_000_000)
  console.log(
    `an order of the city costs as much as ${Math.round(one / customer)} customers of the bare queue`,
  )
}
