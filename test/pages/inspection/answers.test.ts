/** What the inspector's head, lanes and tables say, held to a recorded run. */

import { describe, expect, test } from "vitest"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { attemptsUpTo, hasFailed } from "../../../src/pages/inspection/attempts.ts"
import {
  exceptionRow,
  exceptionSentence,
  failureWords,
  stateSentence,
} from "../../../src/pages/inspection/headline.ts"
import { hueOf, kindWords, machineKind } from "../../../src/pages/inspection/kinds.ts"
import { entryIn } from "../../../src/pages/inspection/recorded-entry.ts"
import { rowLines } from "../../../src/pages/inspection/row-text.ts"
import { NONE, at, rowCount } from "../../../src/pages/inspection/run-index.ts"
import { preciseTimeOfDay, siteDate, timeNear, timeOfDay } from "../../../src/pages/inspection/shown-value.ts"
import { logScale, rankScale, rowNear } from "../../../src/pages/inspection/time-scale.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const record = recorded(runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")))
const { index } = record.run
const last = rowCount(index) - 1
const actors = [...index.actors.keys()]
const rowOf = (event: string): number =>
  index.event.findIndex((word, row) => index.words[word] === event && at(index.by, row) !== NONE)

describe("calls", () => {
  const openLinks = actors.filter((actor) => index.actors[actor]?.address.endsWith("/open-link-1"))

  test("have each attempt with its answer, how long it took, and the pause after it", () => {
    const found = attemptsUpTo(index, last, openLinks).map(
      ({ attempt, answer, hasFailed: failed, tookMs, nextInMs }) => [
        attempt,
        answer,
        failed,
        tookMs,
        nextInMs,
      ],
    )
    expect(found).toEqual([
      [1, "timeout", true, 5_000, 5_000],
      [2, "500", true, 50, 15_000],
      [3, "connection failed", true, 0, null],
    ])
  })

  test("are pending before their answer, and unknown before they are requested", () => {
    const [first] = attemptsUpTo(index, last, openLinks)
    if (first === undefined || first.to === null) throw new Error("there is no answered call")
    expect(attemptsUpTo(index, first.from - 1, openLinks)).toEqual([])
    expect(attemptsUpTo(index, first.to - 1, openLinks)).toEqual([
      { ...first, to: null, answer: null, hasFailed: false, tookMs: null, nextInMs: null },
    ])
  })

  test("of other groups are left out", () => {
    const webhooks = actors.filter((actor) => index.actors[actor]?.address.startsWith("webhook-delivery/"))
    const found = attemptsUpTo(index, last, webhooks)
    expect(found.length).toBeGreaterThan(3)
    expect(found.every(({ call, answer }) => call === "webhook" && answer === "200")).toBe(true)
  })
})

describe("a row in two lines", () => {
  const titled = [...index.s.keys()].map((row) =>
    rowLines(
      index,
      row,
      index.marks.find((mark) => mark.row === row),
    ),
  )

  test("has words of the event, and the actors that it moved", () => {
    expect(titled).toEqual(
      expect.arrayContaining([
        { title: "open link: 500", detail: "open-link-1 → trying.waiting · attempt 2 · 50ms" },
        { title: "pause before the next attempt is over", detail: "open-link-1 → trying.calling" },
        { title: "reservation.exception is sent", detail: "webhook-delivery → sending" },
        {
          title: "reservation.exception: 200",
          detail: "webhook-delivery → delivered · attempt 1 · 50ms",
        },
      ]),
    )
    expect(titled.some(({ title }) => title === "open_link.retried is refused")).toBe(true)
  })

  test("fails when it is refused or the result of a failed call, and only then", () => {
    const failed = [...index.s.keys()].filter((row) => hasFailed(index, row))
    expect(failed.map((row) => titled[row]?.title)).toEqual([
      "open link: timeout",
      "open link: 500",
      "open link: connection failed",
      "open_link.retried is refused",
    ])
  })
})

describe("the sentence about a group", () => {
  const group = actors.filter((actor) => index.actors[actor]?.address.startsWith("reservation/"))

  test("is that of the last exception before the moment", () => {
    const row = exceptionRow(index, last, group)
    const [, code] = ["", exceptionSentence(entryIn(record.rows[row] ?? "") ?? fail())]
    expect(code).toBe("The compartment could not be opened.")
    expect(exceptionRow(index, row - 1, group)).toBe(NONE)
    expect(exceptionRow(index, last, [])).toBe(NONE)
  })

  test("is beside the last call that failed, while no later one has succeeded", () => {
    const results = [...index.s.keys()].filter((row) => hasFailed(index, row)).slice(0, 3)
    expect(results.map((row) => failureWords(index, row, group))).toEqual([
      "open link, attempt 1 failed (timeout)",
      "open link, attempt 2 failed (500)",
      "open link, attempt 3 failed (connection failed)",
    ])
    expect(failureWords(index, (results[1] ?? 0) - 1, group)).toBe("open link, attempt 1 failed (timeout)")
    expect(failureWords(index, last, group)).toBeNull()
    expect(failureWords(index, rowOf("runner.at_unit"), group)).toBeNull()
  })

  test("of an entry without an exception is none", () => {
    const start = entryIn(record.rows[rowOf("@start")] ?? "") ?? fail()
    expect(exceptionSentence(start)).toBeNull()
    expect(stateSentence("reservation/res_1/runner-task", "open.at_store")).toBe(
      "The runner task is at store.",
    )
    expect(stateSentence("delivery/dlv_1", "open.assigned link.shown")).toBe(
      "The delivery is assigned and shown.",
    )
  })
})

function fail(): never {
  throw new Error("the row has no entry")
}

describe("the scales of the strip", () => {
  const nameOf = (row: number): string => String(row)

  test.each([
    ["the logarithm around the middle", logScale(index, at(index.t, Math.floor(last / 2)))],
    ["the logarithm at the start", logScale(index, at(index.t, 0))],
    ["the logarithm at the end", logScale(index, at(index.t, last))],
    ["the rank", rankScale(index, nameOf)],
  ])("by %s fill the width, keep the order, and lead back to their rows", (_, scale) => {
    const places = [...index.s.keys()].map((row) => scale.placeOf(row))
    expect([places[0], places.at(-1)].map((place) => Math.round((place ?? 0) * 1e9) / 1e9)).toEqual([0, 1])
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    for (const [row, place] of places.entries())
      expect(at(index.t, rowNear(index, scale, place))).toBe(at(index.t, row))
    for (const label of scale.labels) expect(label.place >= 0 && label.place <= 1).toBe(true)
  })

  test("the logarithmic one shows milliseconds beside the centre and names distances on both sides", () => {
    const row = index.t.findIndex((t, place) => place > 5 && t - at(index.t, place - 1) === 50)
    const scale = logScale(index, at(index.t, row))
    expect(scale.placeOf(row) - scale.placeOf(row - 1)).toBeGreaterThan(0.01)
    const texts = scale.labels.map(({ text }) => text)
    expect(texts.some((text) => text.startsWith("−"))).toBe(true)
    expect(texts.some((text) => text.startsWith("+"))).toBe(true)
    const places = scale.labels.map(({ place }) => place)
    for (const [label, place] of places.entries())
      if (label > 0) expect(place - (places[label - 1] ?? 0)).toBeGreaterThan(0.05)
  })

  test("the logarithmic one of a run of milliseconds names distances, too", () => {
    const short = { ...index, t: [0, 12, 30, 75], s: [1, 2, 3, 4] }
    const texts = logScale(short, 75).labels.map(({ text }) => text)
    expect(texts).toEqual(["−50ms", "−10ms"])
  })

  test("a run of one instant is in the middle", () => {
    const one = { ...index, t: [7], s: [1] }
    expect(logScale(one, 7).placeOf(0)).toBe(0.5)
    expect(rankScale(one, nameOf).placeOf(0)).toBe(0)
  })
})

test("times of the day are those of the site, with milliseconds where they matter", () => {
  const noon = Date.parse("2026-03-02T18:00:00.000Z")
  expect(timeOfDay(noon, "America/Chicago")).toBe("12:00:00")
  expect(timeOfDay(noon + 50, "America/Chicago")).toBe("12:00:00.050")
  expect(preciseTimeOfDay(noon + 0.4, "America/Chicago")).toBe("12:00:00.000")
})

test("a time has its date where that is not the one of the playhead, by the days of the site", () => {
  const [evening, night] = [Date.parse("2026-03-03T05:30:00.000Z"), Date.parse("2026-03-03T06:30:00.000Z")]
  expect(siteDate(evening, "America/Chicago")).toBe("2026-03-02")
  expect(timeNear(night, evening, "America/Chicago")).toBe("2026-03-03 00:30:00")
  expect(timeNear(night, night + 1, "America/Chicago")).toBe("00:30:00")
  expect(timeNear(night, evening, "UTC")).toBe("06:30:00")
})

test("every machine of the program has a kind with a hue", () => {
  const kinds = registeredMachines().map(({ id }) => machineKind({ address: "x/1", machine: id }))
  expect(kinds.filter((kind) => hueOf(kind) === "other")).toEqual([])
  // A record of states does not know the machine.
  expect(machineKind({ address: "reservation/res_1/open-link-2", machine: null })).toBe("open-link")
  expect(hueOf("toString")).toBe("other")
  expect(kindWords("runner-task")).toBe("runner task")
})
