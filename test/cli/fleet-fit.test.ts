/** `curbline fleet fit`: from a record, and from the database of a service. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { layerPostgres } from "../../src/engine/store/database.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const MODEL = `
fleet: A morning
because: Its journal is fitted.
clock: 2026-03-02T08:00 America/Chicago
horizon: 5h
replications: 1
sites:
  - { as: north, at: [30.4, -97.7], stalls: 4, runners: 3, stores: [{ as: store }] }
  - { as: south, at: [30.5, -97.7], stalls: 4, runners: 3, stores: [{ as: store }] }
runner: { walk: { gamma: { mean: 60s, sd: 20s } } }
demand:
  - { product: reservation, site: north, per_hour: 9 }
  - { product: reservation, site: south, per_hour: 3 }
`

const record = fileWith("run.ndjson", "")

beforeAll(async () => {
  await curblineHere("fleet", fileWith("morning.yaml", MODEL), "--record", record)
})

describe("from a record", () => {
  test("the model goes to the file, reads without a problem and runs; what is not known goes to stderr", async () => {
    const out = join(folder(), "fitted.yaml")
    const { status, err } = await curblineHere("fleet", "fit", "--journal", record, "--out", out)
    expect(status).toBe(0)
    expect(err).toMatch(/^runner\.walk: .*n \d+, .*KS 0\.\d+, p /m)
    expect(err).toContain("Bookings that were refused are not in a journal")
    const text = readFileSync(out, "utf8")
    expect(text).toContain('site: "zone_fleet_0"')
    expect(text).toContain('site: "zone_fleet_1"')
    expect(await curblineHere("check", out)).toMatchObject({ status: 0 })
    const ran = await curblineHere("fleet", out, "--seeds", "1", "--json")
    expect((JSON.parse(ran.out) as { readonly cases: readonly object[] }).cases).toHaveLength(1)
  })

  test("what is there is not written over: neither a model, nor the record", async () => {
    const own = fileWith("own.yaml", MODEL)
    expect(await curblineHere("fleet", "fit", "--journal", record, "--out", own)).toMatchObject({
      status: 2,
      err: `error: ${own} exists; name another file or remove it\n`,
    })
    expect(readFileSync(own, "utf8")).toBe(MODEL)
    expect(await curblineHere("fleet", "fit", "--journal", record, "--report", record)).toMatchObject({
      status: 2,
      err: `error: --report would write over the record ${record}\n`,
    })
    for (const flag of ["--csv", "--report", "--record"])
      expect(await curblineHere("fleet", own, flag, own)).toMatchObject({
        status: 2,
        err: `error: ${flag} would write over the model ${own}\n`,
      })
    expect(readFileSync(own, "utf8")).toBe(MODEL)
  })

  test("--report writes a page with a picture of each duration and its goodness beside it", async () => {
    const report = fileWith("fit.html", "")
    const out = join(folder(), "fitted-too.yaml")
    const fitted = await curblineHere("fleet", "fit", "--journal", record, "--out", out, "--report", report)
    expect(fitted.status).toBe(0)
    const page = readFileSync(report, "utf8")
    const walk = /^runner\.walk: .*KS (\d\.\d+), p/m.exec(fitted.err)?.[1]
    expect(page).toMatch(new RegExp(`<h3>runner\\.walk</h3>[^]*?KS ${walk}[^]*?class="density"`))
    expect(page).toContain("Bookings that were refused are not in a journal")
    expect(
      await curblineHere("fleet", "fit", "--journal", record, "--report", "no/such/folder/fit.html"),
    ).toMatchObject({
      status: 2,
      err: expect.stringContaining("the report no/such/folder/fit.html cannot be written"),
    })
  })

  test("--from and --to leave bookings out; a span without any is said", async () => {
    const all = await curblineHere("fleet", "fit", "--journal", record)
    const some = await curblineHere(
      "fleet",
      "fit",
      "--journal",
      record,
      "--from",
      "2026-03-02T09:00",
      "--to",
      "2026-03-02T10:00",
    )
    const count = (text: string): number => Number(/^(\d+) reservations/m.exec(text)?.[1])
    expect(count(some.err)).toBeGreaterThan(0)
    expect(count(some.err)).toBeLessThan(count(all.err))
    expect(await curblineHere("fleet", "fit", "--journal", record, "--from", "2027-01-01")).toMatchObject({
      status: 2,
      err: `error: there is no reservation, no delivery and no errand in ${record} in this span\n`,
    })
  })

  test("what is no record, no time or no source is said", async () => {
    const fit = async (...words: readonly string[]) => curblineHere("fleet", "fit", ...words)
    expect(await fit()).toMatchObject({
      status: 2,
      err: expect.stringContaining("either a record, with --journal, or a database"),
    })
    expect(await fit("--journal", "package.json")).toMatchObject({
      status: 2,
      err: expect.stringContaining("is no run record: line 1 is not a JSON object"),
    })
    expect(await fit("--journal", "nowhere.ndjson")).toMatchObject({
      status: 2,
      err: expect.stringContaining("cannot read nowhere.ndjson"),
    })
    expect(await fit("--journal", record, "--from", "monday")).toMatchObject({
      status: 2,
      err: expect.stringContaining('not "monday"'),
    })
    expect(await fit("--journal", record, "--timezone", "Mars")).toMatchObject({
      status: 2,
      err: 'error: there is no time zone "Mars"\n',
    })
    expect(await fit("--database", "postgres://h/d")).toMatchObject({
      status: 2,
      err: expect.stringContaining("also needs --site"),
    })
  })
})

describe("a forecast from a record", () => {
  /** The record up to noon: what is under way then has not ended. */
  const until = (hours: number): string =>
    fileWith(
      "until.ndjson",
      readFileSync(record, "utf8")
        .split("\n")
        .filter(
          (line) =>
            line !== "" && ((JSON.parse(line) as { readonly t?: number }).t ?? 0) <= hours * 3_600_000,
        )
        .join("\n"),
    )

  test("says how many are under way, and as one JSON object", async () => {
    const words = ["fleet", "forecast", "--journal", until(4), "--ahead", "30m", "--replications", "2"]
    const { status, out, err } = await curblineHere(...words, "--promise", "runners.utilisation < 90%")
    expect([status, out.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(/2 replications, [1-9]\d* reservations under way$/),
    ])
    expect(err).toContain("no new orders come in hours that the journal does not have: 0, 1, 2")
    const json = await curblineHere(...words, "--promise", "runners.utilisation < 90%", "--json")
    expect(JSON.parse(json.out)).toMatchObject({
      replications: 2,
      promises: [{ promise: { metric: "runners.utilisation" } }],
    })
  })

  test("past midnight its times have their day", async () => {
    const words = ["fleet", "forecast", "--journal", until(4), "--replications", "1"]
    const promise = ["--promise", "reservations.wait_p95 < 8m"]
    const { out } = await curblineHere(...words, ...promise, "--ahead", "13h")
    expect(out).toMatch(/^from Mon 1\d:\d\d to Tue 0\d:\d\d, 1 replication, /)
    const short = await curblineHere(...words, ...promise, "--ahead", "1h")
    expect(short.out).toMatch(/^from 1\d:\d\d to 1\d:\d\d, /)
  })

  test("from a record in which everything has ended it says that it begins with nothing", async () => {
    const words = ["fleet", "forecast", "--replications", "1", "--ahead", "30m"]
    const promise = ["--promise", "reservations.wait_p95 < 8m"]
    const ended = await curblineHere(...words, ...promise, "--journal", record)
    expect(ended.out).toMatch(
      /^Nothing is under way when the record ends, \d\d:\d\d: the forecast begins with an empty site, .*$/m,
    )
    const going = await curblineHere(...words, ...promise, "--journal", until(4))
    expect(going.out).not.toContain("Nothing is under way")
  })

  test("promises of the command are added to those of the model's file, each once", async () => {
    const fitted = await curblineHere("fleet", "fit", "--journal", record)
    const model = fileWith("site.yaml", `${fitted.out}promises: { runners.utilisation: "< 90%" }\n`)
    const words = [
      "fleet",
      "forecast",
      "--journal",
      until(4),
      "--ahead",
      "30m",
      "--replications",
      "2",
      "--model",
      model,
    ]
    const promisesOf = async (...more: readonly string[]): Promise<readonly string[]> => {
      const { out, err } = await curblineHere(...words, "--json", ...more)
      if (out === "") return [err]
      const { promises } = JSON.parse(out) as { readonly promises: readonly { readonly promise: object }[] }
      return promises.map(({ promise }) => Object.values(promise).join(" "))
    }
    expect(await promisesOf()).toEqual(["runners.utilisation < 0.9"])
    const wanted = ["reservations.wait_p95 < 8m", "runners.utilisation < 90%", "runners.utilisation < 50%"]
    expect(await promisesOf("--promise", ...wanted)).toEqual([
      "runners.utilisation < 0.9",
      "reservations.wait_p95 < 480000",
      "runners.utilisation < 0.5",
    ])
    const [wrong] = await promisesOf("--promise", "cost.total < 9")
    expect(wrong).toContain("cost.total needs prices")
    expect(wrong).toContain("--promise:1:")
  })

  test("a model without a promise, a wrong figure and a wrong count are said", async () => {
    const words = ["fleet", "forecast", "--journal", record]
    expect(await curblineHere(...words)).toMatchObject({
      status: 2,
      err: expect.stringContaining("say what must hold: --promise"),
    })
    expect(await curblineHere(...words, "--promise", "waits < 8m")).toMatchObject({
      status: 2,
      err: expect.stringContaining('there is no figure "waits"'),
    })
    expect(await curblineHere(...words, "--promise", "wait_p95 on Fri < 8m")).toMatchObject({
      status: 2,
      err: expect.stringContaining("wait_p95 on Fri is about a day"),
    })
    expect(await curblineHere(...words, "--replications", "many")).toMatchObject({
      status: 2,
      err: expect.stringContaining("--replications takes a whole number"),
    })
    for (const ahead of ["soon", "8d"])
      expect(await curblineHere(...words, "--ahead", ahead)).toMatchObject({
        status: 2,
        err: expect.stringContaining("--ahead takes a duration such as 2h, at most 7d"),
      })
  })
})

describe("from a database", () => {
  let server: PostgresDatabase

  beforeAll(async () => {
    server = await startPostgres()
    // The first connection makes the tables.
    await Effect.runPromise(Effect.scoped(Layer.build(layerPostgres(server.url))))
    const sql = postgres(server.url, { max: 1 })
    for (const [siteId, name, zoneId] of [
      ["site_north", "North", "zone_fleet_0"],
      ["site_south", "South", "zone_fleet_1"],
    ] as const) {
      await sql`insert into sites (environment, site_id, name, timezone, place)
        values ('production', ${siteId}, ${name}, 'America/Chicago', '{"latitude":30.4,"longitude":-97.7}')`
      await sql`insert into zones (environment, zone_id, site_id, name, has_runner)
        values ('production', ${zoneId}, ${siteId}, ${name}, true)`
    }
    const rows = readFileSync(record, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"k":"turn"'))
      .map((line) => {
        const { g, r, h, e } = JSON.parse(line) as {
          g: string
          r: number
          h: string
          e: { instantMs: number }
        }
        return { group_address: g, revision: r, hash: h, text: JSON.stringify(e), instant_ms: e.instantMs }
      })
    for (let at = 0; at < rows.length; at += 500)
      await sql`insert into journal ${sql(rows.slice(at, at + 500))}`
    await sql.end()
  })
  afterAll(() => server.stop())

  test("a site's model has its place, its time zone and its own zones alone, and is that of the record", async () => {
    const { status, out, err } = await curblineHere(
      "fleet",
      "fit",
      "--database",
      server.url,
      "--site",
      "North",
    )
    expect([status, err.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(/^\d+ reservations, 0 deliveries and 0 errands/),
    ])
    expect(out).toContain("at: [30.4, -97.7]")
    expect(out).toContain("clock: 2026-03-02T00:00 America/Chicago")
    expect(out).toContain('fleet: "Fitted from North"')
    expect(out).not.toContain("zone_fleet_1")
    const byId = await curblineHere("fleet", "fit", "--database", server.url, "--site", "site_north")
    expect(byId.out).toBe(out)
    const whole = await curblineHere("fleet", "fit", "--journal", record)
    const demandOf = (text: string): string =>
      /site: "zone_fleet_0"\n(?:.*\n)*?.*per_hour.*/.exec(text.split("demand:")[1] ?? "")?.[0] ?? "none"
    expect(demandOf(out)).not.toBe("none")
    expect(whole.out).toContain('site: "zone_fleet_0"')
  })

  test("reservations of the sandbox in zones of the same ids are not in a model of production", async () => {
    const fit = () => curblineHere("fleet", "fit", "--database", server.url, "--site", "North")
    const before = await fit()
    const sql = postgres(server.url, { max: 1 })
    await sql`insert into journal (group_address, revision, instant_ms, text, hash)
      select replace(group_address, '/', '/sandbox-'), revision, instant_ms,
        replace(text, 'reservation/', 'reservation/sandbox-'), hash from journal where group_address like 'reservation/%'`
    await sql`insert into groups (address, environment, kind, revision, instant_ms, occurred_us, head, actors, is_settled)
      select distinct group_address, 'sandbox', 'reservation', 1, 0, 0, '', '[]'::jsonb, true from journal
      where group_address like 'reservation/sandbox-%'`
    await sql.end()
    expect(await fit()).toEqual(before)
  })

  test("a forecast goes on from what has not ended there", async () => {
    const words = ["fleet", "forecast", "--database", server.url, "--site", "North", "--replications", "2"]
    const found = await curblineHere(...words, "--promise", "reservations.wait_p95 < 8m", "--ahead", "30m")
    expect(found.status).toBe(0)
    // The run of the record is over, so nothing is under way.
    expect(found.out).toContain("2 replications, 0 reservations under way")
    expect(found.out).toMatch(
      /^95 of 100 reservations wait less than 8m: breaks with \d+ % \(\d+ % to \d+ %\)/m,
    )
  })

  test("a site that is not there, and a database that cannot be reached, are said", async () => {
    expect(await curblineHere("fleet", "fit", "--database", server.url, "--site", "West")).toMatchObject({
      status: 2,
      err: 'error: there is no site "West" in production\n',
    })
    const closed = await curblineHere(
      "fleet",
      "fit",
      "--database",
      "postgres://x@127.0.0.1:1/x",
      "--site",
      "North",
    )
    expect(closed).toMatchObject({ status: 2, err: expect.stringContaining("the database cannot be read") })
  })
})
