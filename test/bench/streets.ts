/**
 * What streets cost: one day with vehicles along 20,000 edges of streets against the same day along straight lines, alternately, by the thread's
 * processor time; and how long 200,000 edges take to load. `npm run bench -- streets`, or with `--quick` two hours and one pair.
 */

import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const APART_M = 100

/** So many streets each way, of which each fifth is faster. Edges: about four times the square. */
function grid(streets: number): string {
  const place = (north: number, east: number): readonly [number, number] => {
    const metre = APART_M / 111_195
    const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7
    const [up, across] = [north - streets / 2, east - streets / 2]
    return [round(-97.7 + (across * metre) / Math.cos((30.4 * Math.PI) / 180)), round(30.4 + up * metre)]
  }
  const steps = Array.from({ length: streets }, (_, at) => at)
  const features = steps.flatMap((at) =>
    [true, false].map((isAcross) => ({
      type: "Feature",
      properties: { highway: at % 5 === 0 ? "secondary" : "residential" },
      geometry: {
        type: "LineString",
        coordinates: steps.map((step) => (isAcross ? place(at, step) : place(step, at))),
      },
    })),
  )
  return JSON.stringify({ type: "FeatureCollection", attribution: "A grid", features })
}

function day(streets: number | null): FleetModel {
  const travel = streets === null ? "straight" : "{ streets: grid.geojson }"
  const text = [
    "fleet: A day in a city",
    "because: What do its streets cost?",
    "clock: 2026-03-02T00:00 America/Chicago",
    `horizon: ${isQuick ? 2 : 24}h`,
    "sites: [{ as: s, at: [30.4, -97.7], vehicles: 40, reach_km: 3 }]",
    'vehicle: { speed_kmh: { by_hour: { "00:00": 30, "11:00": 24, "14:00": 30, "17:00": 22, "19:00": 30 } } }',
    `travel: ${travel}`,
    "demand: [{ product: delivery, site: s, per_hour: 60, ready_in: 15m }]",
  ].join("\n")
  const beside = streets === null ? "" : grid(streets)
  const { model, problems } = readFleet({ file: "day", text, beside: () => beside })
  if (model === null) throw new Error(problems.map(({ message }) => message).join("; "))
  return model
}

/** Microseconds of processor time. */
function cost(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

export function benchStreets(): Promise<void> {
  printMachine()
  const loadUs = cost(() => day(224))
  console.log(`200,000 edges are read and joined in ${(loadUs / 1e6).toFixed(1)} s`)
  const [straight, along] = [day(null), day(71)]
  const ratios: number[] = []
  for (let round = 0; round < (isQuick ? 2 : 6); round += 1) {
    const [lines, streets] = [straight, along].map((model) =>
      cost(() => {
        replicate(model, { seed: 1 })
      }),
    )
    if (lines === undefined || streets === undefined) continue
    console.log(
      `straight ${(lines / 1e6).toFixed(2)} s, along 20,000 edges ${(streets / 1e6).toFixed(2)} s: ${(lines / streets).toFixed(2)}`,
    )
    // The first pair warms the program.
    if (round > 0) ratios.push(lines / streets)
  }
  const middle = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)] ?? 0
  console.log(`median of straight / streets: ${middle.toFixed(2)}, wanted 0.5 or more`)
  return Promise.resolve()
}
