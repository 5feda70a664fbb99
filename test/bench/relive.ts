/**
 * Re-lives 50 days: under its own rules each must be the record to the hash, and with another grace exactly the visits must differ that
 * it touches. `npm run bench -- relive`; `--quick` has 10 days. It prints the time of each part and throws when a day is not so.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { program } from "../../src/apps/composition/program.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { firstUnlike } from "../../src/simulation/relive/control.ts"
import { Recorded } from "../../src/simulation/relive/recorded.ts"
import { relive } from "../../src/simulation/relive/relive.ts"
import { relived } from "../../src/simulation/relive/relived.ts"
import { UNCHANGED } from "../../src/simulation/relive/rule.ts"
import { Unrecorded } from "../../src/simulation/relive/unrecorded.ts"
import { fleetModel } from "../simulation/fleet/models.ts"
import { recordedDay } from "../simulation/fleet/moment/recorded-day.ts"
import { LATE_ROBOTS, touchedByGrace } from "../simulation/relive/late-robots.ts"
import { printMachine } from "./machine-line.ts"

const DAYS = process.argv.includes("--quick") ? 10 : 50
/** Of the limit that every record has, 15 minutes, none. */
const GRACES_MIN = [1, 2, 5, 10, 20, 30, 60]

const FLEETS = join(import.meta.dirname, "../../scenarios/fleets")
const MODELS = ["agents-at-lunch.yaml", "quiet-site.yaml"].map((name) =>
  fleetModel(readFileSync(join(FLEETS, name), "utf8")),
)

export async function benchRelive(): Promise<void> {
  let [entries, controlMs, ruleMs, touched, cases] = [0, 0, 0, 0, 0]
  for (let day = 0; day < DAYS; day += 1) {
    // Every other day has robots that come late; the others have deliveries and errands too.
    const model = day % 2 === 0 ? LATE_ROBOTS : MODELS[((day - 1) / 2) % MODELS.length]
    if (model === undefined) throw new Error("there is no such model")
    const { turns } = recordedDay(model, day + 1)
    entries += turns.length
    const began = performance.now()
    const recorded = new Recorded(turns)
    const again = relived({ recorded, unrecorded: new Unrecorded(recorded), rule: UNCHANGED, program })
    const unlike = firstUnlike(recorded, again)
    if (unlike !== null) throw new Error(`day ${day + 1} is not the record: ${JSON.stringify(unlike)}`)
    controlMs += performance.now() - began
    if (model !== LATE_ROBOTS) continue
    for (const minutes of GRACES_MIN) {
      const from = performance.now()
      touched += assertExact(turns, minutes * MINUTE_MS)
      cases += 1
      ruleMs += performance.now() - from
    }
  }
  printMachine()
  console.log(
    `${DAYS} days, ${entries} entries: 0 differ under their own rules (${Math.round(controlMs)} ms)`,
  )
  console.log(
    `another grace in ${cases} cases: ${touched} visits touched, and exactly these differ (${Math.round(ruleMs)} ms)`,
  )
}

function assertExact(turns: ReturnType<typeof recordedDay>["turns"], graceMs: number): number {
  const rule = {
    title: "Another grace",
    because: null,
    values: new Map([["window_grace", graceMs] as const]),
  }
  const wording = { clock: String, eventName: (type: string) => type }
  const found = relive({ turns, rule, program, wording })
  const differing = found.unlike === null ? found.answer.differing.map(({ id }) => id).toSorted() : []
  const expected = touchedByGrace(turns, graceMs)
  if (JSON.stringify(differing) !== JSON.stringify(expected))
    throw new Error(`a grace of ${graceMs} ms touches ${expected.join()}, and ${differing.join()} differ`)
  return expected.length
}
