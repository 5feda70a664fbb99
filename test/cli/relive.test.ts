/** `curbline relive`: a record under another rule, as text, as JSON, and as a gate. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { RelivedAnswer } from "../../src/model/requests/relive.ts"
import { ROOT, fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const record = fileWith("visit.ndjson", "")
const shorter = fileWith("shorter.yaml", "rule: A runner waits for a minute\npolicy: { bot_wait: 1m }\n")
const same = fileWith("same.yaml", "rule: As it is\npolicy: { bot_wait: 10m }\n")

beforeAll(async () => {
  const scenario = "scenarios/reservations/the-bot-never-shows-up.yaml"
  await curblineHere("run", scenario, "--record", record)
})

describe("relive", () => {
  test("shows the rule, the counts, and the first divergence of each visit", async () => {
    const { status, out } = await curblineHere("relive", record, "--rule", shorter)
    expect(status).toBe(0)
    expect(out).toContain("bot_wait: 10m → 1m")
    expect(out).toMatch(/1 of 1 visit differs:/)
    expect(out).toContain("0 differ with the rule unchanged")
    expect(out).toMatch(/\d\d:\d\d:\d\d .*after bot wait → .* \(entry \d+\)/)
    expect(out).toContain("0 visits drawn")
  })

  test("its JSON is an answer of the schema", async () => {
    const { out } = await curblineHere("relive", record, "--rule", shorter, "--json")
    const answer = Schema.decodeUnknownSync(RelivedAnswer, { onExcessProperty: "error" })(JSON.parse(out))
    expect(answer).toMatchObject({ visits: 1, differ: 1, lost: 0 })
  })

  test.each([
    ["differ > 0", 1],
    ["differ > 1", 0],
    ["lost > 0", 0],
    ["late > +0", 0],
    ["met < 1", 1],
    ["met < +0", 0],
  ])("--fail-on %j is status %d", async (bound, expected) => {
    const { status, err } = await curblineHere("relive", record, "--rule", shorter, "--fail-on", bound)
    expect(status).toBe(expected)
    expect(err).toBe(expected === 1 ? `failed: ${bound}\n` : "")
  })

  test("the value that it had differs in nothing", async () => {
    const { status, out } = await curblineHere("relive", record, "--rule", same, "--fail-on", "differ > 0")
    expect(status).toBe(0)
    expect(out).toMatch(/0 of 1 visit differ:/)
  })

  test.each([
    [["--fail-on", "money > 0"], /--fail-on takes a bound such as .* it knows differ, saved/],
    [["--fail-on", "lost > +0"], /lost already is a change, so its bound has no sign/],
    [["--rule", "nowhere.yaml"], /there is no file nowhere\.yaml/],
  ])("%j is a clear mistake", async (words, message) => {
    const { status, err } = await curblineHere("relive", record, "--rule", shorter, ...words)
    expect(status).toBe(2)
    expect(err).toMatch(message)
  })

  test("a mistake in the rule file is shown at its place, and nothing is run", async () => {
    const wrong = fileWith("wrong.yaml", "rule: One\npolicy: { bot_waits: 1m }\n")
    const { status, err, out } = await curblineHere("relive", record, "--rule", wrong)
    expect({ status, out }).toEqual({ status: 2, out: "" })
    expect(err).toMatch(/unknown key "bot_waits", did you mean "bot_wait"\?/)
    expect(err).toMatch(/wrong\.yaml:2:\d+/)
  })

  test("an attempt that the record does not have is answered as the nearest one, and the visit is marked", async () => {
    const fails = fileWith("fails.ndjson", "")
    const more = fileWith("more.yaml", "rule: More attempts\npolicy: { open_link_attempts: 5 }\n")
    await curblineHere(
      "run",
      "scenarios/reservations/the-open-link-fails-three-times.yaml",
      "--record",
      fails,
    )
    const { out } = await curblineHere("relive", fails, "--rule", more)
    expect(out).toContain("open_link_attempts: 3 → 5")
    expect(out).toMatch(/~ reservation res_\w+: .* \[drawn\]/)
    expect(out).toMatch(/call\.failed → failed; now, at .*call\.failed → trying\.waiting \(entry \d+\)/)
    expect(out).toContain("1 visit drawn")
  })

  test("the manual's rule is one that the command takes", async () => {
    const manual = readFileSync(join(ROOT, "scenarios/what-ifs/README.md"), "utf8")
    const rule = /```yaml\n(rule: [^]*?)```/.exec(manual)?.[1] ?? ""
    const file = fileWith("manual.yaml", "")
    writeFileSync(file, rule)
    expect(await curblineHere("relive", record, "--rule", file)).toMatchObject({ status: 0 })
  })
})
