/** The notebook recipe reads keys that the output of a real run has. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ROOT, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const recipe = readFileSync(join(ROOT, "scenarios/fleets/notebook.md"), "utf8")
const code = /```python\n(.*?)```/s.exec(recipe)?.[1] ?? ""
const paths = [...recipe.matchAll(/^\| `([\w.*[\]]+)` /gm)].map(([, path = ""]) => path)

/** Two days and two cases, so that days and pairs are there. */
const MODEL = `
fleet: Two days
because: Is one runner enough?
clock: 2026-03-02T11:00 America/Chicago
horizon: 1d1h
replications: 2
sites: [{ as: curb, at: [30.4, -97.7], stalls: 2, runners: 1 }]
demand: [{ product: reservation, site: curb, per_hour: { by_hour: { "00:00": 0, "11:00": 8, "12:00": 0 } } }]
sweep: { runners: [1, 2] }
promises: { reservations.wait_p90: "< 8m" }
`

/** What a path such as `cases[].figures.*.value` leads to, in every element. */
function at(found: unknown, path: string): readonly unknown[] {
  return path
    .replaceAll("[]", ".[]")
    .split(".")
    .reduce<readonly unknown[]>(
      (all, step) =>
        all.flatMap((one) => {
          if (step === "[]") return Array.isArray(one) ? one : []
          if (typeof one !== "object" || one === null) return []
          if (step === "*") return Object.values(one)
          return step in one ? [(one as Readonly<Record<string, unknown>>)[step]] : []
        }),
      [found],
    )
}

test("every key that the recipe reads is in a run's JSON or CSV", async () => {
  const inFolder = folder()
  const [model, csv] = [join(inFolder, "two-days.yaml"), join(inFolder, "figures.csv")]
  writeFileSync(model, MODEL)
  const { out } = await curblineHere("fleet", model, "--json", "--csv", csv)
  const result: unknown = JSON.parse(out)
  expect(paths).toHaveLength(11)
  expect(paths.filter((path) => at(result, path).length === 0)).toEqual([])
  const columns = readFileSync(csv, "utf8").split("\n")[0]?.split(",") ?? []
  const known = new Set([...columns, ...paths.flatMap((path) => path.split(/[.[\]]+/))])
  const read = [...code.matchAll(/\["(\w+)"\]/g)].map(([, key = ""]) => key)
  expect(read.filter((key) => !known.has(key))).toEqual([])
})
