/** Quality assurance proves a deployed sandbox by the scenario files: `curbline run --against`, over HTTP, on both databases. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { folder } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { databasesOf, onDatabases } from "./served.ts"
import type { Json } from "./served.ts"

const NO_SHOW = "scenarios/reservations/the-bot-never-shows-up.yaml"
const TOO_HEAVY = "scenarios/reservations/an-order-that-is-too-heavy.yaml"
const HOLD = "scenarios/courier/a-hold-runs-out.yaml"
/** Three facts, none of which is so. */
const TIMES = [
  "  - expect: { reservation: lunch, order_in_hand_at: 11:52, runner_at_unit_at: 11:56 }",
  "  - expect: { webhook: reservation.status_changed, to: partner, previous_status: arrived, within: 1s }",
  "  - expect: { webhook: reservation.exception, to: partner, attempted_at: 12:06 }",
].join("\n")
const QUOTE = "scenarios/direct-delivery/a-quote-is-replaced.yaml"
const TWO_STORES = "scenarios/direct-delivery/two-stores-have-fleets-of-their-own.yaml"

const settings = { databases: databasesOf("PostgreSQL"), hasDemo: true }

onDatabases("scenarios against a sandbox", settings, ({ process }) => {
  const own = folder()
  const file = (name: string): string => join(own, name)

  const against = (
    env: NodeJS.ProcessEnv,
    ...words: readonly string[]
  ): ReturnType<typeof curblineHereWith> => {
    const quiet = { CURBLINE_API_KEY: "", CURBLINE_OPERATOR_TOKEN: "", CURBLINE_DATA: own, ...env }
    return curblineHereWith(quiet, "run", ...words, "--against", process().urls.sandbox)
  }
  const operated = (): NodeJS.ProcessEnv => ({
    CURBLINE_OPERATOR_TOKEN: process().access.sandbox.operator_token,
  })

  test("the bot does not come, and an order is too heavy: the service does what the files say", async () => {
    const report = file("report.html")
    const junit = file("junit.xml")
    const words = [NO_SHOW, TOO_HEAVY, HOLD, "--junit", junit, "--report", report]
    const { status, out } = await against(operated(), ...words)
    expect(out).toContain("2 passed, 0 failed, 1 not run, 3 checks left out")
    expect(out).toContain(`not run: ${HOLD}:8 do errand.check (errands are made through the connector`)
    expect(out).toContain(`not checked against a service: ${NO_SHOW}:39 promises: events`)
    expect(status).toBe(0)
    expect(readFileSync(junit, "utf8")).toContain('tests="3" failures="0" errors="0" skipped="1"')
    const html = readFileSync(report, "utf8")
    for (const shown of ["All 2 runs passed", "Not checked against a service", "Not run"])
      expect(html).toContain(shown)
    expect(html).not.toContain("Open in the inspector")
  })

  test("an expectation that the service does not meet fails with its line, and each way it may be missed", async () => {
    const wrong = file("wrong.yaml")
    const text = readFileSync(NO_SHOW, "utf8")
      .replace("at: 12:05 }", "at: 12:06 }")
      .replace("times: 1", "times: 2")
      .replace("code: INVALID_STATE }", `code: NOT_FOUND }\n${TIMES}`)
    writeFileSync(wrong, text)
    const { status, out } = await against(operated(), wrong, "--json")
    const [run] = JSON.parse(out).runs
    expect([status, run.verdict]).toEqual([1, "failed"])
    expect(run.failures.map((one: Json) => [one.line, one.message])).toEqual([
      [
        21,
        "expected that the exception bot_no_show of lunch is published at 12:06, found that it was published at 12:05",
      ],
      [32, expect.stringContaining("found that it was accepted 1 time")],
      [33, expect.stringContaining("it was refused with INVALID_STATE")],
      [34, "expected that lunch has runner_at_unit_at 11:56, found that lunch has runner_at_unit_at 11:55"],
      [35, expect.stringContaining("previous_status arrived is accepted")],
      [
        36,
        expect.stringContaining(
          "is requested at 12:06, found that it was accepted 1 time and requested 1 time at 12:05",
        ),
      ],
    ])
  })

  test("what becomes so at a time may not be so before, and `never` sees what comes in between", async () => {
    const strict = file("strict.yaml")
    writeFileSync(
      strict,
      [
        "scenario: A visit is canceled",
        "because: Both checks must fail.",
        "clock: 2026-03-02T11:30 America/Chicago",
        "steps:",
        "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }",
        "  - never: { reservation: lunch, status: canceled }",
        "  - expect: { reservation: lunch, status: confirmed, at: 11:50 }",
        "  - { at: 13:00, expect: { reservation: lunch, status: canceled } }",
        "",
      ].join("\n"),
    )
    const { status, out } = await against(operated(), strict, "--json")
    const [run] = JSON.parse(out).runs
    expect(run.failures.map((one: Json) => [one.line, one.actual])).toEqual([
      [7, "it was so before"],
      [6, "at 12:30 lunch has the status canceled"],
    ])
    expect(status).toBe(1)
  })

  test("with a key alone the scenarios run in the key's organization, and its clock runs on afterwards", async () => {
    const { api_key: key, site_id: site } = process().access.sandbox
    const words = [QUOTE, NO_SHOW, "--key", "QA_KEY"]
    const { status, out } = await against({ QA_KEY: key, CURBLINE_SITE_ID: site }, ...words)
    expect(out).toContain(`not run: ${NO_SHOW}:17 do runner.assign (it needs an operator's token`)
    expect(out).toContain("1 passed, 0 failed, 1 not run")
    expect(status).toBe(0)
    const clock = await fetch(`${process().urls.sandbox}/sandbox/v1/clock`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(((await clock.json()) as Json).data.clock.mode).toBe("ahead")
  })

  test("further sites are made for the run: bookings, orders and vehicles are at the site that the file names", async () => {
    const twoSites = file("two-sites.yaml")
    writeFileSync(
      twoSites,
      [
        "scenario: A site has stalls of its own",
        "because: The second booking of a site goes to its other stall, however full the first site is.",
        "clock: 2026-03-02T11:30 America/Chicago",
        "given:",
        "  site: one-stall",
        "  sites:",
        "    - { as: south, stalls: 2, time_zone: America/New_York, delivers: true, own_fleet: false }",
        "    - { as: closed, stalls: 1, active_stalls: 0 }",
        "  vehicles: [{ as: van }]",
        "steps:",
        "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }",
        "  - { do: reservation.create, as: dinner, with: { window: [11:45, 12:15], site: south } }",
        "  - { do: reservation.create, as: snack, with: { window: [11:45, 12:15], site: south } }",
        "  - expect: { reservation: lunch, stall: A1 }",
        "  - expect: { reservation: dinner, stall: A1 }",
        "  - expect: { reservation: snack, stall: A2 }",
        "  - refuse:",
        "      { do: reservation.create, with: { window: [11:45, 12:15], site: closed }, code: ZONE_HAS_NO_STALLS }",
        "  # Its own fleet would have no vehicle.",
        "  - { do: delivery.quote, as: groceries, with: { site: south } }",
        "  - { do: delivery.create, for: groceries }",
        "  - expect: { vehicle: van, active: groceries, within: 1s }",
        "",
      ].join("\n"),
    )
    const { status, out } = await against(operated(), TWO_STORES, twoSites)
    expect(out).toContain("2 passed, 0 failed")
    expect(status).toBe(0)
    const { api_key: key } = process().access.sandbox
    const alone = await against({ QA_KEY: key }, QUOTE, TWO_STORES, "--key", "QA_KEY")
    expect(alone.out).toContain(
      `not run: ${TWO_STORES} given: sites (sites are made for the run; it needs an operator's token`,
    )
  })

  test("production is refused, a key on the command line too, and nothing that ran is not a success", async () => {
    const { production, sandbox } = process().access
    const refusals: readonly (readonly [NodeJS.ProcessEnv, readonly string[], string])[] = [
      [{ CURBLINE_API_KEY: production.api_key }, [QUOTE], "this is a key of production"],
      [operated(), [QUOTE, "--key", sandbox.api_key], "others can read a key on the command line"],
      [operated(), [QUOTE, "--key", "NOT_SET"], "the environment variable NOT_SET is not set"],
      [operated(), [QUOTE, "--seed", "7"], "--seed is for runs in memory"],
      [{}, [QUOTE], "set CURBLINE_OPERATOR_TOKEN, or CURBLINE_API_KEY"],
      [{ CURBLINE_API_KEY: "ck_sbx_unknown" }, [QUOTE], "refuses the key"],
    ]
    for (const [env, words, said] of refusals) {
      const { status, err } = await against(env, ...words)
      expect([status, err]).toEqual([2, expect.stringContaining(said)])
    }
    const nothing = await against(operated(), HOLD)
    expect([nothing.status, nothing.err]).toEqual([1, expect.stringContaining("nothing was run")])
  })
})
