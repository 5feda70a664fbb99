/** A capacity planner: from a model with a mistake in it to a report, on one machine and on several that share a PostgreSQL. */

import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { curbline, curblineWith, fileWith, folder, running } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"

const MODEL = `
fleet: Lunch at the corner
because: How many runners keep lunch on time?
clock: 2026-03-02T11:00 America/Chicago
horizon: 45m
replications: 4
sites: [{ as: corner, at: [30.4, -97.7], reach_km: 2, stalls: 3, runners: 1, vehicles: 2 }]
demand:
  - { product: reservation, site: corner, per_hour: 14 }
  - { product: delivery, site: corner, per_hour: 4 }
promises: { wait_mean: "< 2m" }
sweep: { runners: [1, 3] }
`

describe("a planner", () => {
  const at = folder()
  const model = fileWith("lunch.yaml", MODEL)
  let json = ""

  test("a misspelled word is shown with its place and the word that was meant", async () => {
    const wrong = fileWith("wrong.yaml", MODEL.replace("horizon", "horizn"))
    const { status, err } = await curblineHere("fleet", wrong)
    expect(status).toBe(2)
    expect(err).toMatch(/wrong\.yaml:5:1/)
    expect(err).toContain("horizon")
  })

  test("the model runs, the verdict names the case that keeps the promise, and the files are written", () => {
    const [csv, report] = [join(at, "lunch.csv"), join(at, "lunch.html")]
    const ended = curbline("fleet", model, "--workers", "2", "--json", "--csv", csv, "--report", report)
    // A machine with much to do says how far it is.
    expect(ended.err.replaceAll(/^\d+ of \d+ runs, .*\n/gm, "")).toBe("")
    json = ended.out
    const { cases } = JSON.parse(json) as {
      readonly cases: readonly {
        readonly case: string
        readonly promises: readonly { readonly kept: boolean }[]
      }[]
    }
    expect(cases.map(({ case: name }) => name)).toEqual(["runners 1", "runners 3"])
    expect(cases.map(({ promises }) => promises[0]?.kept)).toEqual([false, true])
    expect(ended.status).toBe(0)
    expect(readFileSync(csv, "utf8")).toContain("wait_mean")
  })

  test("the report is one page that needs no other file or host", () => {
    const page = readFileSync(join(at, "lunch.html"), "utf8")
    expect(page).toContain("Lunch at the corner")
    expect(page).not.toMatch(/(?:src|href)="https?:/)
    expect(readdirSync(at).toSorted()).toEqual(["lunch.csv", "lunch.html"])
  })

  test("one replication is recorded, replays to the same hashes, and opens in the inspector", async () => {
    const record = join(at, "lunch.ndjson")
    const best = fileWith("best.yaml", MODEL.replace("runners: 1,", "runners: 3,").replace(/^sweep.*$/m, ""))
    expect((await curblineHere("fleet", best, "--seeds", "2", "--record", record)).status).toBe(0)
    expect((await curblineHere("replay", record)).status).toBe(0)
    const page = join(at, "lunch-record.html")
    expect((await curblineHere("inspect", record, "--out", page)).status).toBe(0)
    expect(existsSync(page)).toBe(true)
  })

  describe("with machines that share a PostgreSQL", () => {
    let postgres: PostgresDatabase

    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres.stop())

    test("workers take the replications, and the result is the same to the byte", async () => {
      const workers = [1, 2].map(() =>
        running(["fleet", "work", "--database", postgres.url, "--threads", "1"]),
      )
      const gathered = curblineWith({}, "fleet", model, "--database", postgres.url, "--json")
      for (const worker of workers) worker.signal("SIGINT")
      for (const { ended } of workers) await ended
      expect(gathered.out).toBe(json)
    })
  })
})
