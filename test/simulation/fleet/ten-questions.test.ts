/** The ten questions of the manual: each row's YAML is run, and the sentence beside it comes back. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import type { Replicate } from "../../../src/simulation/fleet/search/evaluate.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"
import { fleetModel } from "./models.ts"

const FOLDER = join(import.meta.dirname, "../../../scenarios/fleets")

const manual = readFileSync(join(FOLDER, "README.md"), "utf8")

const SECTION = /\n## Ten questions\n(.*?)\n## /s.exec(manual)?.[1] ?? ""

/** The model that the rows add to. */
const KITCHEN = /```yaml\n(.*?)```/s.exec(SECTION)?.[1] ?? ""

const ROWS = [...SECTION.matchAll(/^\| ([A-Z][^|]+?\?) +\| `([^|]+)` +\| ([^|]+?\.) +\|$/gm)].map(
  ([, question = "", asks = "", sentence = ""]) => ({ question, asks, sentence }),
)

/** What a question adds stands in place of what the kitchen says under the same word. */
function asking(asks: string): FleetModel {
  const added = parse(asks.startsWith("{") ? asks : `{ ${asks} }`)
  return fleetModel(stringify({ ...parse(KITCHEN), ...added }))
}

const made = new Map<string, Replication>()

/** What is asked and what is paid changes no run. */
const ASKED: ReadonlySet<string> = new Set([
  "costs",
  "find",
  "promises",
  "sensitivity",
  "sweep",
  "text",
  "worst",
])

/** Questions about the same kitchen share its replications. */
const shared: Replicate = ({ model, seed }) => {
  const key = JSON.stringify([Object.entries(model).filter(([word]) => !ASKED.has(word)), seed])
  const known = made.get(key) ?? replicate(model, { seed })
  made.set(key, known)
  return Promise.resolve(known)
}

describe("the manual's ten questions", () => {
  test("are ten", () => {
    expect(ROWS).toHaveLength(10)
  })

  test.each(ROWS)("$question", async ({ asks, sentence }) => {
    const { headline, reasons } = answerOf(await runFleet(asking(asks), { seeds: null, replicate: shared }))
    expect([headline, ...reasons]).toContain(sentence)
  })
})

test("the shipped search for a roster comes to the sentence of its page", async () => {
  const page = readFileSync(join(FOLDER, "MODELS.md"), "utf8")
  const quoted = /^> (\d+ hours of runners .+)$/m.exec(page)?.[1]
  const model = fleetModel(readFileSync(join(FOLDER, "kitchen-shifts.yaml"), "utf8"))
  const { headline } = answerOf(await runFleet(model, { seeds: null, replicate: shared }))
  expect(headline).toBe(quoted)
})
