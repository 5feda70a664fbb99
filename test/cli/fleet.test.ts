/** `curbline fleet` as people and programs use it: verdicts, files, threads, and the same bytes for the same run. */

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readRecord } from "../../src/pages/inspection/run-reader.ts"
import { FLEET_REPLICATIONS_MAX, UNTIL_REPLICATIONS_MIN } from "../../src/model/values/limits.ts"
import { ROOT, curbline, fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const MODEL = `
fleet: A short lunch
because: Two cases are enough to compare.
clock: 2026-03-02T11:00 America/Chicago
horizon: 45m
replications: 2
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: 3, runners: 2, vehicles: 3 }]
demand:
  - { product: reservation, site: curb, per_hour: 16 }
  - { product: delivery, site: curb, per_hour: 6 }
  - { product: courier, site: curb, per_hour: 6, errand: { declined_cards: 50% } }
sweep: { runners: [1, 2] }
`

/** Orders that are refused at their request: only their number varies, and they cost almost nothing. */
const REFUSED = `
fleet: Far ahead
because: How many would ask?
clock: 2026-03-02T11:00 America/Chicago
horizon: 10m
replications: 2
sites: [{ as: curb, at: [30.4, -97.7], stalls: 1, runners: 1 }]
demand: [{ product: reservation, site: curb, per_hour: 60, ahead: 30h }]
`

/** All waits together keep what those of one site do not. */
const SITES = `
fleet: Two sites
because: Does each keep what both keep?
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
replications: 3
sites:
  - { as: idle, at: [30.4, -97.7], stalls: 8, runners: 6 }
  - { as: busy, at: [30.2, -97.7], stalls: 8, runners: 1 }
demand:
  - { product: reservation, site: idle, per_hour: 60 }
  - { product: reservation, site: busy, per_hour: 12 }
  - { as: lunch, product: reservation, site: busy, per_hour: 2 }
promises: { reservations.wait_p95: "< 20m", reservations.wait_p50 at idle: "< 15m" }
`

describe("curbline fleet", () => {
  test("a promise that one case keeps ends with 0; two threads and one make the same bytes and files", () => {
    const model = fileWith("lunch.yaml", `${MODEL}promises: { orders.asked: "> 1" }\n`)
    const at = folder()
    const outputs = ["1", "2"].map((workers) => {
      const [csv, report] = [join(at, `${workers}.csv`), join(at, `${workers}.html`)]
      const ended = curbline("fleet", model, "--workers", workers, "--json", "--csv", csv, "--report", report)
      // A slow machine shows its progress now and then.
      expect(ended.err.replaceAll(/^\d+ of \d+ runs, .*\n/gm, "")).toBe("")
      expect(ended.status).toBe(0)
      return [ended.out, readFileSync(csv, "utf8"), readFileSync(report, "utf8")]
    })
    expect(outputs[1]).toEqual(outputs[0])
    const [json = "", csv = "", report = ""] = outputs[0] ?? []
    const { verdict, cases } = JSON.parse(json)
    expect(verdict).toBe("passed")
    expect(cases.map((one: { case: string }) => one.case)).toEqual(["runners 1", "runners 2"])
    expect(cases[0].promises[0]).toMatchObject({ promise: "orders.asked > 1", kept: true })
    expect(cases[0].replications.map((one: { seed: number }) => one.seed)).toEqual([1, 2])
    expect(cases[0].figures["wait_mean"]).toMatchObject({ n: 2, unit: "ms" })
    const { figures } = cases[1].replications[1]
    expect(csv.split("\n")).toContain(`"runners 2",2,orders.asked,count,${figures["orders.asked"]}`)
    expect(figures["errands.unpaid"]).toBeGreaterThan(0)
    expect(csv.split("\n")).toContain(`"runners 2",2,errands.unpaid,count,${figures["errands.unpaid"]}`)
    expect(report).toContain("errands.unpaid.card declined")
    expect(report).toMatch(/<h1>1 runner keeps the promise\.<\/h1>/)
    expect(report).toContain("npx curbline fleet")
  })

  test("several sites have a table, the worst one first, and the same bytes on any number of threads", async () => {
    const model = fileWith("sites.yaml", SITES)
    const outputs: string[] = []
    for (const workers of ["1", "2"]) {
      const { out, status } = await curblineHere("fleet", model, "--workers", workers, "--json")
      expect(status).toBe(0)
      outputs.push(out)
    }
    const [one = "", two] = outputs
    expect(two).toBe(one)
    const { answer, cases } = JSON.parse(one)
    const { by_site: sites, by_demand: demands, figures } = cases[0]
    expect(sites.map(({ site }: { site: string }) => site)).toEqual(["busy", "idle"])
    expect(demands).toHaveLength(3)
    const asked = sites.map(
      (site: { figures: Record<string, { value: number }> }) => site.figures["orders.asked"]?.value,
    )
    expect(asked[0] + asked[1]).toBeCloseTo(figures["orders.asked"].value, 9)
    expect(sites[0].promises[0]).toMatchObject({ metric: "reservations.wait_p95", kept: false })
    expect(
      sites.map((site: { figures: Record<string, object> }) => site.figures["runners.hours"]),
    ).toMatchObject([{ value: 2, unit: "hours" }, { value: 12 }])
    expect(answer.reasons.join("\n")).toContain("the wait of 95 of 100 reservations")
    const csv = join(folder(), "figures.csv")
    const { out } = await curblineHere("fleet", model, "--csv", csv)
    expect(out).toMatch(/^by site; wait: /m)
    expect(readFileSync(csv, "utf8")).toMatch(/^"as written",2,reservations\.wait_p50 at idle,ms,\d+/m)
    expect(out).toMatch(
      /^ +busy +(\d+m )?\d+s .* runners \d+\.\d% +(broken|not sure): wait of 95 of 100 reservations/m,
    )
    expect(out).toMatch(/^by demand; wait: /m)
    expect(out).toMatch(/^ +lunch +/m)
  })

  test("a promise of a site that the model does not have names those that it has", async () => {
    const model = fileWith("sites.yaml", SITES.replace("at idle", "at idel"))
    const { status, err } = await curblineHere("fleet", model)
    expect(status).toBe(2)
    expect(err).toContain('there is no site "idel"')
    expect(err).toContain("one of idle, busy")
  })

  test("a promise that no case keeps ends with 1 and says what was found instead", async () => {
    const model = fileWith("lunch.yaml", `${MODEL}promises: { orders.completed_share: "> 100%" }\n`)
    const { status, out, err } = await curblineHere("fleet", model, "--seeds", "5", "--check-determinism")
    expect(status).toBe(1)
    expect(out).toMatch(/^✗ No case keeps the promise; \d runners? comes? nearest(, \d as near)?\.\n/)
    expect(out).toMatch(
      /^ +runners 1 +more than 100\.0% of orders complete +\d+\.\d% +– +\d+ +-\d+\.\d points +broken, not sure$/m,
    )
    expect(out).not.toContain("utilisation")
    expect(err).toMatch(/2 replications, [\d,]+ turns in [\d.]+ s, [\d,]+ × real time\n$/)
  })

  test("a stop rule makes replications until the interval is narrow, and says how many that took", async () => {
    const model = fileWith("asked.yaml", `${REFUSED}until: { orders.asked: ±20% }\n`)
    const { status, out } = await curblineHere("fleet", model, "--full")
    expect(status).toBe(0)
    const [, replications, last] = /^as written: (\d+) replications, seeds 1[.][.](\d+)$/m.exec(out) ?? []
    expect(Number(replications)).toBeGreaterThanOrEqual(UNTIL_REPLICATIONS_MIN)
    expect(Number(replications)).toBeLessThan(100)
    expect(last).toBe(replications)
    expect(out).not.toContain("still wider")
    // Every figure, and none of what the model does not have.
    expect(out).toMatch(/^ +share of declined orders +100\.0% \(/m)
    expect(out).not.toMatch(/^ +(cost|deliveries|errands)\./m)
    const { cases } = JSON.parse((await curblineHere("fleet", model, "--json", "--workers", "2")).out)
    const { n, value, half_width: halfWidth } = cases[0].figures["orders.asked"]
    expect(String(n)).toBe(replications)
    expect(halfWidth / value).toBeLessThanOrEqual(0.2)
  })

  test("a stop rule that nothing satisfies ends after the most replications, and says so", async () => {
    const model = fileWith("asked.yaml", `${REFUSED}until: { orders.asked: ±0.001 }\n`)
    const { status, out } = await curblineHere("fleet", model, "--full")
    expect(status).toBe(0)
    expect(out).toContain(
      `as written: ${FLEET_REPLICATIONS_MAX} replications, seeds 1..${FLEET_REPLICATIONS_MAX}`,
    )
    expect(out).toContain(
      "as written: the interval of the number of requested orders is still wider than requested",
    )
  })

  test("--record writes one replication, whose journals replay to the hash in it, and the inspector reads them", async () => {
    const model = fileWith("lunch.yaml", MODEL.replace(/^sweep.*$/m, ""))
    const record = join(folder(), "lunch.ndjson")
    const many = await curblineHere("fleet", model, "--record", record)
    expect(many).toMatchObject({ status: 2, out: "" })
    expect(many.err).toContain("--record takes one replication, and these are 2")
    const made = await curblineHere("fleet", model, "--seeds", "2", "--json", "--record", record)
    expect(made.status).toBe(0)
    const [{ replications }] = JSON.parse(made.out).cases
    const { digest, turns } = replications[0]
    expect(made.err).toContain(`recorded ${turns} entries in ${record}`)
    const unrecorded = await curblineHere("fleet", model, "--seeds", "2", "--json")
    expect(JSON.parse(unrecorded.out).cases[0].replications[0]).toMatchObject({ digest, turns })
    const [run] = readRecord(readFileSync(record, "utf8"))
    expect(run).toMatchObject({
      head: { title: "A short lunch", seed: 2 },
      end: { verdict: null },
      problem: null,
    })
    const replayed = await curblineHere("replay", record)
    expect(replayed.out).toBe(`1 run, ${turns} entries: the same to the byte\n${run?.end?.hash}\n`)
  })

  test("--record takes a model with prices, and the one case of a sweep", async () => {
    const one = MODEL.replace("replications: 2", "replications: 1").replace("[1, 2]", "[1]")
    const model = fileWith(
      "lunch.yaml",
      `${one}costs: { currency: USD, runner_hour: 24, waiting_minute: 1 }\n`,
    )
    const record = join(folder(), "lunch.ndjson")
    const made = await curblineHere("fleet", model, "--json", "--record", record)
    expect(made.err).toMatch(/^recorded \d+ entries in \S+\n$/)
    expect(made.status).toBe(0)
    const [{ replications }] = JSON.parse(made.out).cases
    expect(replications[0].figures["cost.total"]).toBeGreaterThan(0)
    const [run] = readRecord(readFileSync(record, "utf8"))
    expect(made.err).toContain(`recorded ${replications[0].turns} entries`)
    expect(run?.end?.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test("a search that is recorded, or given seeds, is refused before anything runs", async () => {
    const model = fileWith(
      "lunch.yaml",
      `${MODEL.replace(/^sweep.*$/m, "").replace("replications: 2", "replications: 1")}promises: { wait_mean: "< 9m" }\nfind: { least: runners }\n`,
    )
    const seeds = await curblineHere("fleet", model, "--seeds", "1..3")
    expect(seeds).toMatchObject({ status: 2, out: "" })
    expect(seeds.err).toContain("--seeds does not go with a search")
    const record = await curblineHere("fleet", model, "--record", join(folder(), "lunch.ndjson"))
    expect(record).toMatchObject({ status: 2, out: "" })
  })

  test("a run that does not end leaves no empty report", async () => {
    const report = join(folder(), "report.html")
    const model = fileWith("lunch.yaml", MODEL)
    const there = fileWith("there.csv", "kept")
    const nowhere = "postgres://127.0.0.1:1/nowhere"
    const run = await curblineHere("fleet", model, "--report", report, "--csv", there, "--database", nowhere)
    expect(run).toMatchObject({ status: 2, out: "" })
    expect(existsSync(report)).toBe(false)
    expect(readFileSync(there, "utf8")).toBe("kept")
  })

  test("files that cannot be written are told before anything runs", async () => {
    const model = fileWith(
      "lunch.yaml",
      MODEL.replace(/^sweep.*$/m, "").replace("replications: 2", "replications: 1"),
    )
    const at = folder()
    for (const flag of ["--csv", "--report", "--record"]) {
      const nowhere = join(at, "nowhere", "file")
      expect(await curblineHere("fleet", model, flag, nowhere)).toEqual({
        status: 2,
        out: "",
        err: `error: the file ${nowhere} cannot be written: ENOENT: no such file or directory, open '${nowhere}'\n`,
      })
    }
  })

  test("the report's command can be pasted, and what one product counts is told once", async () => {
    const model = fileWith("Ada's lunch.yaml", MODEL)
    const report = join(folder(), "report.html")
    const { out } = await curblineHere("fleet", model, "--full", "--report", report)
    const shown = readFileSync(report, "utf8").replaceAll("&#39;", "'")
    expect(shown).toContain(`npx curbline fleet '${model.replace("'", "'\\''")}' --report report.html`)
    expect(out).toMatch(/^ {4}orders\.asked: /m)
    expect(out).toMatch(/^ {4}errands\.unpaid: /m)
    expect(out).not.toMatch(/^ {4}(deliveries|errands|reservations)\.asked: /m)
  })

  test("a model with a mistake ends with 2, points at it, and nothing is run", async () => {
    const model = fileWith("lunch.yaml", MODEL.replace("horizon: 45m", "horizon: 45"))
    const { status, out, err } = await curblineHere("fleet", model)
    expect([status, out]).toEqual([2, ""])
    expect(err).toContain(`--> ${model}:5:10`)
    expect(err).toContain("1 problem; nothing was run")
    expect((await curblineHere("check", model)).status).toBe(2)
  })

  test("run says how a fleet model is run; check reads models beside scenarios, and run leaves them out", async () => {
    const { status, err } = await curblineHere("run", "scenarios/fleets/lunch-rush.yaml")
    expect(status).toBe(2)
    expect(err).toContain('run it with "npx curbline fleet scenarios/fleets/lunch-rush.yaml"')
    const checked = await curblineHere("check", "scenarios")
    expect(checked.out).toMatch(
      /^\d+ scenarios and \d+ fleet models and 1 what-if file in \d+ files, no problem\n$/,
    )
  })
})

test.each([
  "quiet-site",
  "lunch-rush",
  "stadium-evening",
  "rainy-day",
  "two-bridges",
  "demo-lunch",
  "city-day",
  "agents-at-lunch",
  "what-breaks-first",
  "vehicles-out",
  "order-log",
  "kitchen-shifts",
])("the shipped model %s has its page of what to look at", (name) => {
  const model = readFileSync(join(ROOT, `scenarios/fleets/${name}.yaml`), "utf8")
  const page = readFileSync(join(ROOT, "scenarios/fleets/MODELS.md"), "utf8")
  const title = /^fleet: (.+)$/m.exec(model)?.[1]
  expect(page).toContain(`## ${title}`)
  expect(page).toContain(`npx curbline fleet scenarios/fleets/${name}.yaml`)
})
