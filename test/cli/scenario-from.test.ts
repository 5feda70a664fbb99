import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const HEAD =
  "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\ngiven: { webhooks: [{ as: partner, events: all }] }\n"
const STEPS = [
  'do: reservation.create, as: lunch, with: { window: [11:45, 12:15], order_number: "77-secret", end_user_name: Grace Secret }',
  "at: 11:40, do: runner.assign, for: lunch, with: { runner: run_secret }",
  "at: 11:41, do: reservation.cancel, for: lunch, with: { reason: a secret reason }",
]

describe("curbline scenario from", () => {
  let record = ""
  beforeAll(async () => {
    record = join(folder(), "run.ndjson")
    const steps = STEPS.map((step) => `  - { ${step} }\n`).join("")
    const ran = await curblineHere(
      "run",
      fileWith("lunch.yaml", `${HEAD}steps:\n${steps}`),
      "--record",
      record,
    )
    if (ran.status !== 0) throw new Error(ran.out)
  })

  test("prints the scenario, and on stderr what it does not repeat", async () => {
    const { status, out, err } = await curblineHere("scenario", "from", record, "--group", "res_")
    expect(status).toBe(0)
    expect(out).toContain("  - { at: 11:41, do: reservation.cancel, for: order }")
    expect(out).toContain(
      "  - expect: { reservation: order, status: canceled, canceled_by: partner, handoff: CANCELED }",
    )
    expect(err).toContain("not repeated:\n")
    for (const note of err.split("\n").filter((line) => line.startsWith("  - ")))
      expect(out).toContain(`# Not repeated: ${note.slice(4)}`)
    expect(err).toContain("deliveries of webhooks: their receivers belong to other groups")
    expect(await curblineHere("run", fileWith("again.yaml", out))).toMatchObject({ status: 0 })
  })

  test("--because says why the scenario is there, on one line", async () => {
    const asked = ["scenario", "from", record, "--group", "res_", "--because"] as const
    const { status, out } = await curblineHere(
      ...asked,
      "From 11:40 on it was lost:\n [the partner] canceled",
    )
    expect(status).toBe(0)
    expect(parse(out)).toMatchObject({ because: "From 11:40 on it was lost: [the partner] canceled" })
    expect(await curblineHere("run", fileWith("why.yaml", out))).toMatchObject({ status: 0 })
  })

  test("holds nothing that was said of a person, and no id of the journal", async () => {
    const { out } = await curblineHere("scenario", "from", record, "--group", "res_")
    expect(out).not.toMatch(/secret/i)
    const ids = readFileSync(record, "utf8").match(/\b(?:res|whk|evt|pho)_[0-9A-Za-z]{10,}/g) ?? []
    expect(ids.length).toBeGreaterThan(0)
    for (const id of new Set(ids)) expect(out).not.toContain(id)
  })

  test("--out writes a new file, and never over another one", async () => {
    const path = join(folder(), "written.yaml")
    const asked = ["scenario", "from", record, "--group", "res_", "--out", path] as const
    expect(await curblineHere(...asked)).toMatchObject({ status: 0, out: "" })
    expect(readFileSync(path, "utf8")).toContain("steps:")
    const again = await curblineHere(...asked)
    expect(again.status).toBe(2)
    expect(again.err).toContain(`${path} exists; name another file or remove it`)
  })

  test("a group that is not there or cannot be written ends with 2 and what is there", async () => {
    const missing = await curblineHere("scenario", "from", record, "--group", "res_nothing")
    expect(missing.status).toBe(2)
    expect(missing.err).toContain("the journal has no group res_nothing")
    expect(missing.err).toContain("its reservations, deliveries and errands: reservation/res_")
    const many = await curblineHere("scenario", "from", record, "--group", "webhook-delivery/")
    expect(many.err).toMatch(/2 groups begin with webhook-delivery\//)
    const [, other = ""] = /"g":"(webhook-delivery\/[^"]+)"/.exec(readFileSync(record, "utf8")) ?? []
    const notOne = await curblineHere("scenario", "from", record, "--group", other)
    expect(notOne.status).toBe(2)
    expect(notOne.err).toContain("is no reservation, delivery or errand; only these can be written")
  })
})
