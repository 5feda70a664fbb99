/** `curbline why-late`: from a record to the entry after which an order could no longer be saved. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { decodeUnknownSync } from "effect/Schema"
import { beforeAll, describe, expect, test } from "vitest"
import { MomentAnswerShown } from "../../src/model/requests/moment-answer.ts"
import type { MomentAnswerJson } from "../../src/model/requests/moment-answer.ts"
import { ROOT, fileWith, folder } from "./command-line.ts"
import type { Ended } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const CALM = `
fleet: A lunch
because: Its cause is planted.
clock: 2026-03-02T11:00 America/Chicago
horizon: 1h
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 6, runners: 3, stores: [{ as: grill, preparation: { gamma: { mean: 8m, sd: 2m } }, cooks: 6 }] }]
runner: { walk: { uniform: [40s, 90s] }, load: 40s }
bot: { punctuality: { normal: { mean: 2m, sd: 2m } }, patience: 40m }
demand: [{ product: reservation, site: curb, per_hour: 8 }]
`

const calm = fileWith("calm.yaml", CALM)
const record = fileWith("day.ndjson", "")

beforeAll(async () => {
  const planted = fileWith(
    "planted.yaml",
    `${CALM}out: [{ kitchen of grill: true, from: 11:50, to: 12:35 }]\n`,
  )
  await curblineHere("fleet", planted, "--seeds", "3", "--record", record)
})

/** Of the record's reservations, in their order. */
function ids(): readonly string[] {
  const lines = readFileSync(record, "utf8").split("\n").filter(Boolean)
  const to = lines.flatMap(
    (line) => (JSON.parse(line) as { readonly e?: { readonly to: string } }).e?.to ?? [],
  )
  return [...new Set(to.flatMap((address) => /^reservation\/(res_\w+)$/.exec(address)?.[1] ?? []))]
}

async function whyLate(...words: readonly string[]) {
  return curblineHere("why-late", record, ...words)
}

describe("an order that was late", () => {
  test("has its sentence, its curve and its decisions, and the end of an id names it", async () => {
    const inTime: string[] = []
    let late = ""
    for (const id of ids()) {
      // One command at a time: what it prints is caught.
      const { status, out } = await whyLate(id.slice(-8), "--model", calm, "--futures", "10", "--json")
      expect(status).toBe(0)
      const { is, outcome } = JSON.parse(out) as MomentAnswerJson
      if (is === "bad") late = out
      else inTime.push(outcome)
      if (late !== "") break
    }
    const answer = JSON.parse(late) as MomentAnswerJson
    expect(decodeUnknownSync(MomentAnswerShown)(answer).is).toBe("bad")
    expect(answer.outcome).toMatch(/^The order of reservation …\w{4} /)
    expect(answer.best).not.toBeNull()
    expect(answer.figures).toMatchObject({ seed: 1, drawn_from: "calm.yaml", calibration: null })
    expect(answer.figures?.waiting).toMatchObject({ machine: "runner-task" })
    const { curve = [], decisions = [] } = answer.figures ?? {}
    expect(answer.headline).toMatch(
      /^(?:From|No single moment: .* Most at) \d\d:\d\d:\d\d .*its order was (?:still )?not ready/,
    )
    expect(curve.map(({ entry }) => entry)).toEqual(curve.map(({ entry }) => entry).toSorted((a, b) => a - b))
    expect(curve[0]).toMatchObject({ what: "its reservation was booked" })
    expect(decisions.map(({ id }) => id)).toContain("runner")
    // Those before it came in time, and the answer says when.
    expect(inTime.length).toBeGreaterThan(0)
    for (const said of inTime) expect(said).toMatch(/ended well, at \d\d:\d\d:\d\d: nothing was late\.$/)
  })

  test("a model without a place for it is refused with the reason", async () => {
    const small = fileWith("small.yaml", CALM.replace("stalls: 6", "stalls: 1"))
    const refused = []
    for (const id of ids()) {
      const { status, err } = await whyLate(id, "--model", small, "--futures", "10")
      if (status === 2) refused.push(err)
    }
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toMatch(
      /The model has no place for res_\w+, .*at a stall that the model does not have/,
    )
  })
})

test("a promise of the day has an answer too", async () => {
  const words = ["--promise", "reservations.wait_max < 5m", "--model", calm, "--futures", "10"]
  const { status, out } = await whyLate(...words)
  expect(status).toBe(0)
  expect(out).toMatch(/^A promise was broken: /)
  const page = fileWith("kept.html", "")
  const kept = await whyLate("--promise", "reservations.wait_max < 5h", "--model", calm, "--report", page)
  expect(kept).toMatchObject({ status: 0, err: `wrote ${page}\n` })
  // The page may go to others, so it names no folder of this machine.
  const written = readFileSync(page, "utf8")
  expect(written).toContain('"record":"day.ndjson"')
  expect(written).not.toContain(record)
  expect(kept.out).toMatch(/ended well, at .*: nothing was late\./)
})

test.each([
  [["nowhere"], /has no reservation, delivery or errand "nowhere"; it has such as reservation\/res_/],
  [[], /takes either a reservation, a delivery or an errand, or a --promise/],
  [["res_", "--promise", "reservations.wait_p90 < 8m"], /takes either/],
  [
    ["--promise", "runners.utilisation < 85%"],
    /knows promises of reservations\.wait_mean, .* not of runners\.utilisation/,
  ],
  [["--promise", "reservations.wait_p90 < soon"], /the promise cannot be read/],
  [["--promise", "reservations.wait_p90 < 1m"], /0 reservations that ended, and 20 are needed/],
  [["res_", "--futures", "3"], /--futures takes a whole number from 10 to 10000, not "3"/],
  [
    ["--promise", "reservations.wait_max < 5h", "--model", calm, "--report", "no/such/folder.html"],
    /the page no\/such\/folder\.html cannot be written/,
  ],
  [["res_", "--limit", "soon"], /--limit takes a duration such as 8m, not "soon"/],
] as const)("%j is a clear mistake", async (words, message) => {
  const { status, err } = await whyLate(...words)
  expect(status).toBe(2)
  expect(err).toMatch(message)
})

test("a file that is no record, and a record of several runs, are refused", async () => {
  expect(await curblineHere("why-late", calm, "x")).toMatchObject({ status: 2 })
  const text = readFileSync(record, "utf8")
  const twice = fileWith("twice.ndjson", text + text)
  expect((await curblineHere("why-late", twice, "x")).err).toMatch(/holds 2 runs; record one run alone/)
})

test("the example of the manual names the entry that the manual names, with ten futures too", async () => {
  const manual = readFileSync(join(ROOT, "scenarios/what-ifs/README.md"), "utf8")
  const [, day = "", asked = "", quoted = ""] =
    /```sh\nnpx curbline (fleet .*)\nnpx curbline (why-late .*)\n```\n\n((?:> .*\n)+)/.exec(manual) ?? []
  const kept = join(folder(), "out.ndjson")
  const typed = (command: string): Promise<Ended> =>
    curblineHere(...command.split(" ").map((word) => (word === "out.ndjson" ? kept : word)))
  expect((await typed(day)).status).toBe(0)
  const { status, out } = await typed(`${asked} --futures 10`)
  expect(status).toBe(0)
  const [outcome = "-", headline = ""] = quoted.split("\n").map((line) => line.replace("> ", ""))
  const [, atTime = "-", cause = "-"] = /^From (\S+) .*: (.*)\.$/.exec(headline) ?? []
  expect(out).toContain(outcome)
  expect(out).toMatch(new RegExp(`^From ${atTime} .*: ${RegExp.escape(cause)}`, "m"))
})
