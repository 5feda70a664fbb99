/** What the reader makes of a record, of a damaged one, and of things that are none. */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ChartDocument } from "../../../src/pages/chart/chart-document.ts"
import { divergenceOf } from "../../../src/pages/inspection/divergence.ts"
import { ELSEWHERE, NONE, WAYS, at, emptyIndex, rowCount } from "../../../src/pages/inspection/run-index.ts"
import { Positions } from "../../../src/pages/inspection/position.ts"
import { isChart } from "../../../src/pages/inspection/recorded-chart.ts"
import { UnreadableRecord, readRecord } from "../../../src/pages/inspection/run-reader.ts"
import { causesOf } from "../../../src/pages/inspection/causes.ts"
import { sequenceOf } from "../../../src/pages/inspection/sequence.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import { withNames } from "../../../src/pages/inspection/made-names.ts"
import { packedRecord } from "../../../src/pages/bundling/packed-record.ts"
import { blockedRuns } from "../../../src/pages/bundling/record-file.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { readAgain, recorded, scenarioNamed } from "./records.ts"

const scenario = await scenarioNamed("reservations/the-order-goes-into-the-bot")
const visit = recorded(runScenario(scenario))
const failingScenario = await scenarioNamed("reservations/the-open-link-fails-three-times")
const failing = recorded(runScenario(failingScenario))

describe("a record", () => {
  test("is read row by row, with every step, cause and refusal", () => {
    const { index } = visit.run
    expect(rowCount(index)).toBe(visit.rows.length)
    for (const [row, line] of visit.rows.entries()) {
      const { s, t, k, e } = JSON.parse(line) as { s: number; t: number; k: string; e: EntryBody }
      expect([at(index.s, row), at(index.t, row)]).toEqual([s, t])
      if (k === "mark") continue
      const steps = at(index.firstStep, row + 1) - at(index.firstStep, row)
      expect(steps).toBe(e.steps.length)
      expect(WAYS[at(index.by, row)]).toBe(e.by)
      expect(at(index.cause, row) === NONE).toBe(e.cause === null)
      expect(index.words[at(index.refused, row)] ?? null).toBe(e.refused)
    }
    expect(visit.run.problem).toBeNull()
    expect(visit.run.end?.verdict).toBe("passed")
  })

  test("names its causes back to a command from outside", () => {
    const { index } = failing.run
    const timers = [...index.by.keys()].filter((row) => WAYS[at(index.by, row)] === "timer")
    expect(timers.length).toBeGreaterThan(2)
    for (const row of timers) {
      const chain = causesOf(index, row)
      expect(chain.length).toBeGreaterThan(1)
      expect(WAYS[at(index.by, chain.at(-1) ?? NONE)]).toBe("command")
      expect(chain).toEqual(chain.toSorted((a, b) => b - a))
    }
  })

  test("keeps calls pending until their results", () => {
    const { calls } = failing.run.index
    expect(calls.filter(({ call }) => call === "open_link")).toHaveLength(4)
    for (const { from, to, end } of calls) {
      expect(end).toBe("came")
      expect(to).toBeGreaterThan(from)
    }
  })

  test("tells who told whom", () => {
    const { index } = failing.run
    const { lanes, arrows } = sequenceOf(index, { from: 0, to: rowCount(index), lanesBy: "kind" })
    expect(lanes[0]).toBe("outside")
    expect(lanes).toEqual(
      expect.arrayContaining(["reservation", "bot", "runner-task", "open-link-1", "webhook-delivery"]),
    )
    const told = arrows.map(({ kind, from, to, label }) => `${kind} ${from} > ${to}: ${label}`)
    expect(told).toEqual(
      expect.arrayContaining([
        "command outside > bot: bot.ready",
        "message bot > runner-task: bot.ready",
        "call open-link-1 > outside: open link, attempt 2",
        "failure outside > open-link-1: open link: 500",
        "timer open-link-1 > open-link-1: after pause before the next attempt",
        "message open-link-1 > runner-task: open_link.failed",
        "event reservation > outside: reservation.status_changed",
      ]),
    )
    const refused = index.refused.filter((code) => code !== NONE)
    expect(arrows).toHaveLength(
      index.stepRow.length + index.published.length + index.calls.length + refused.length,
    )
  })

  test("of states alone shows states, and no contexts, timers or causes", () => {
    const { run } = recorded(runScenario(scenario), "states")
    expect(run.index.stepValue.map((value) => run.index.values[value])).toEqual(
      visit.run.index.stepValue.map((value) => visit.run.index.values[value]),
    )
    expect(run.index.timers).toEqual([])
    expect(run.problem).toBeNull()
  })
})

describe("a jump through 100,000 steps", () => {
  /** Steps of actors in turns; counts how often a step's row is read. */
  function run(steps: number, actors: number) {
    const index = emptyIndex()
    let reads = 0
    const { stepRow } = index
    for (let step = 0; step < steps; step += 1) {
      index.s.push(step)
      index.t.push(step * 10)
      stepRow.push(step)
      index.stepActor.push(step % actors)
      index.stepValue.push(0)
    }
    for (let actor = 0; actor < actors; actor += 1)
      index.actors.push({ address: `vehicle/v${actor}`, machine: null })
    const counted = new Proxy(stepRow, {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1
        return Reflect.get(target, key) as unknown
      },
    })
    return { positions: new Positions({ ...index, stepRow: counted }), reads: () => reads }
  }

  test.each([1, 2_000])("asks each of %i actors for a few of its steps, wherever it goes", (actors) => {
    const steps = 100_000
    const { positions, reads } = run(steps, actors)
    const most = Math.ceil(Math.log2(steps / actors)) + 2
    for (const row of [0, 1, 4_711, 50_000, 99_998, 99_999]) {
      for (const actor of [0, Math.floor(actors / 2), actors - 1]) {
        const before = reads()
        const step = positions.stepAt(actor, row)
        expect(reads() - before).toBeLessThanOrEqual(most)
        expect(step).toBe(row < actor ? NONE : row - ((row - actor) % actors))
        for (const direction of [1, -1] as const) {
          const from = reads()
          const next = positions.rowOfActor(actor, row, direction)
          expect(reads() - from).toBeLessThanOrEqual(most)
          expect(next === NONE || (next - row) * direction > 0).toBe(true)
        }
      }
    }
  })
})

describe("an old record", () => {
  const kept = join(import.meta.dirname, "../../simulation/replay")
  const files = readdirSync(kept).filter((name) => name.endsWith(".ndjson"))

  test.each(files)("opens: %s", (name) => {
    const runs = readRecord(readFileSync(join(kept, name), "utf8"))
    expect(runs.length).toBeGreaterThan(0)
    for (const run of runs) {
      expect(run.problem).toBeNull()
      expect(rowCount(run.index)).toBeGreaterThan(5)
      expect(run.index.actors.every(({ machine }) => machine !== null)).toBe(true)
    }
  })

  test("has charts that can still be drawn", () => {
    const charts = files
      .flatMap((name) => readRecord(readFileSync(join(kept, name), "utf8")))
      .flatMap((run) => [...run.charts])
    expect(charts.length).toBeGreaterThan(0)
    for (const [machine, chart] of charts) expect(isChart(chart), machine).toBe(true)
  })

  test("has no chart in which a state could stand inside itself", () => {
    const [chart] = files
      .flatMap((name) => readRecord(readFileSync(join(kept, name), "utf8")))
      .flatMap((run) => [...run.charts.values()])
      .filter(isChart)
    if (chart === undefined) throw new Error("no kept record has a chart")
    const [root] = chart.nodes
    const circle = { ...chart, nodes: [...chart.nodes, { ...root, parent: root?.id ?? "" }] }
    expect([isChart(chart), isChart(circle)]).toEqual([true, false])
  })

  test("is drawn as its machines were when it was recorded", async () => {
    const lines = visit.text.split("\n")
    const first = lines.find((line) => line.startsWith('{"k":"turn"')) ?? ""
    const [machine = ""] = /(?<="machine":")bot@\d+(?=")/.exec(first) ?? []
    const line = lines.find((one) => one.startsWith(`{"k":"chart","id":"${machine}"`)) ?? "{}"
    const { doc, ...rest } = JSON.parse(line) as { readonly doc: ChartDocument }
    const nodes = doc.nodes.map((node, place) =>
      place === 1 ? { ...node, description: "As of old." } : node,
    )
    const old = [lines[0] ?? "", JSON.stringify({ ...rest, doc: { ...doc, nodes } }), first]
    const data = await packedRecord({ records: [blockedRuns("old.ndjson", old)], at: null })
    const drawn = data.charts[data.runs[0]?.chartByMachine[machine] ?? NONE]
    expect(drawn?.isFromProgram).toBe(false)
    expect(drawn?.picture).toContain("<title>As of old.</title>")
  })
})

describe("what is no whole record", () => {
  test("is told from one by its first line", () => {
    expect(() => readRecord("")).toThrow("holds no run")
    expect(() => readRecord('{"k":"turn"}')).toThrow("does not begin with the header of a run")
    expect(() => readRecord("scenario: lunch")).toThrow("does not begin with the header of a run")
    expect(() => readRecord(visit.text.replace('"v":1', '"v":9'))).toThrow(
      "version 9, this program reads version 1",
    )
    expect(() => readRecord(visit.text.replace(/"clock0":"[^"]+"/, '"clock0":"noon"'))).toThrow("clock0")
  })

  test("is shown as far as it can be read", () => {
    const lines = visit.text.trimEnd().split("\n")
    const cut = [...lines.slice(0, -3), (lines.at(-3) ?? "").slice(0, 40), lines.at(-2), lines.at(-1)].join(
      "\n",
    )
    const { run } = readAgain(cut)
    expect(run.problem).toMatch(/^3 lines from line \d+ on cannot be read/)
    expect(rowCount(run.index)).toBe(visit.rows.length - 2)
  })

  test("breaks nothing, whichever character of it is another", () => {
    const base = visit.text.replaceAll(/{"k":"chart".*\n/g, "")
    fc.assert(
      fc.property(
        fc.nat(base.length - 1),
        fc.constantFrom("x", "0", '"', "{", "}", "[", ",", "\n"),
        (place, character) => {
          const changed = `${base.slice(0, place)}${character}${base.slice(place + 1)}`
          try {
            for (const { index } of readRecord(changed)) new Positions(index).stepAt(0, rowCount(index))
          } catch (cause) {
            expect(cause).toBeInstanceOf(UnreadableRecord)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test.each([
    ["an entry that is none", '"e":{"to"', '"e":{"tu"'],
    ["a step without a list of what it asked", '"asked":[', '"asked":0,"more":['],
    ["a message without a receiver", '{"type":"kernel.start","to":', '{"type":"kernel.start","tu":'],
    ["a state that is a number", '"value":', '"value":7,"other":'],
  ])("is shown up to %s", (_, from, to) => {
    const { run } = readAgain(visit.text.replace(from, to))
    expect(run.problem).toContain("cannot be read")
  })

  test("says that its end is missing", () => {
    const { run } = readAgain(visit.text.trimEnd().split("\n").slice(0, -1).join("\n"))
    expect(run.problem).toBe("the record ends before its run does")
    expect(rowCount(run.index)).toBe(visit.rows.length)
  })
})

describe("two records", () => {
  test("of the same run do not part", () => {
    expect(divergenceOf(visit.run, recorded(runScenario(scenario)).run)).toBeNull()
  })

  test("part at the first entry that differs, whatever marks stand before it", () => {
    const lines = visit.text.trimEnd().split("\n")
    const rows = lines.flatMap((line, place) => (line.startsWith('{"k":"turn"') ? [place] : []))
    const changed = lines.map((line, place) =>
      place >= (rows[7] ?? 0) ? line.replace(/"h":"./, '"h":"x') : line,
    )
    const withoutMark = changed.filter((line) => !line.startsWith('{"k":"mark"'))
    const found = divergenceOf(visit.run, readAgain(withoutMark.join("\n")).run)
    expect(found?.shared).toBe(7)
    expect(visit.rows[found?.first ?? NONE]).toBe(lines[rows[7] ?? 0])
    expect(found?.second).toBe(7)
  })

  test("part where one of them ends", () => {
    const lines = visit.text.trimEnd().split("\n")
    const last = lines.findLastIndex((line) => line.startsWith('{"k":"turn"'))
    const shorter = readAgain(lines.slice(0, last).join("\n"))
    expect(divergenceOf(visit.run, shorter.run)).toMatchObject({ second: null })
  })

  test("of two seeds part at once, where ids first differ", () => {
    const other = recorded(runScenario(scenario, { seed: 7 }))
    expect(divergenceOf(visit.run, other.run)).toMatchObject({ shared: 0 })
  })

  const compared = async (one: string, other: string) => {
    const records = [one, other].map((text) => blockedRuns("one.ndjson", text.split("\n")))
    return (await packedRecord({ records, at: null })).comparisons[0]
  }

  test.each(["full", "states"] as const)(
    "of two seeds, %s, are compared apart from ids and nonces",
    async (how) => {
      const [one, other] = [1, 7].map((seed) => recorded(runScenario(failingScenario, { seed }), how).text)
      expect(one).not.toBe(other)
      expect(await compared(one ?? "", other ?? "")).toMatchObject({ divergence: null, names: {} })
    },
  )

  test("of two seeds part at the first entry that differs in more, with the names that the first has for it", async () => {
    const other = recorded(runScenario(failingScenario, { seed: 7 }))
    const changed = other.rows.findLastIndex((line) => line.includes('"by":"timer"'))
    const line = other.rows[changed] ?? ""
    const text = other.text.replace(line, line.replace('"by":"timer"', '"by":"result"'))
    const found = await compared(failing.text, text)
    expect([found?.divergence?.first, found?.divergence?.second]).toEqual([changed, changed])
    const [ownLine, names] = [failing.rows[changed] ?? "", found?.names ?? {}]
    const entryOf = (of: string): unknown => {
      const { g, r, e } = JSON.parse(of) as Readonly<Record<string, unknown>>
      return { g, r, e }
    }
    expect(entryOf(withNames(line, names))).toEqual(entryOf(ownLine))
    expect(Object.keys(names).length).toBeGreaterThan(0)
  })

  test("of two seeds part where one of them ends, and where a name stands for another thing than before", async () => {
    const [first, other] = [failing, recorded(runScenario(failingScenario, { seed: 7 }))]
    const last = other.rows.findLastIndex((line) => line.startsWith('{"k":"turn"'))
    const shorter = other.text.replace(`${other.rows[last]}\n`, "")
    expect(await compared(first.text, shorter)).toMatchObject({ divergence: { first: last, second: null } })
    const id = /res_\w{22}/.exec(other.text)?.[0] ?? ""
    const later = other.rows.findLastIndex((row) => row.startsWith('{"k":"turn"') && row.includes(id))
    const line = other.rows[later] ?? ""
    const swapped = other.text.replace(line, line.replaceAll(id, `${id.slice(0, -4)}zzzz`))
    expect(await compared(first.text, swapped)).toMatchObject({ divergence: { first: later } })
  })

  test("of one seed are compared exactly, with every id", async () => {
    const other = recorded(runScenario(scenario, { seed: 7 })).text
    const { seed } = visit.run.head
    const named = other.replace('"seed":7', `"seed":${seed}`)
    expect(await compared(visit.text, named)).toMatchObject({ divergence: { shared: 0 }, names: null })
  })
})

describe("what a group was started for", () => {
  test("is the turn that published the event, in both groups of one record", () => {
    const { index } = failing.run
    const starts = [...index.by.keys()].filter((row) => {
      const { address = "" } = index.actors[at(index.to, row)] ?? {}
      return address.startsWith("webhook-delivery/") && index.words[at(index.event, row)] === "@start"
    })
    expect(starts.length).toBeGreaterThan(3)
    for (const row of starts) {
      const [, cause = NONE] = causesOf(index, row)
      expect(index.groups[at(index.group, cause)]).toMatch(/^reservation\//)
      expect(index.published.some(([published]) => published === cause)).toBe(true)
    }
  })

  test("is elsewhere when the record holds its own group alone", () => {
    const ofDelivery = failing.rows.find((line) => line.includes('"g":"webhook-delivery/'))
    const group = (JSON.parse(ofDelivery ?? "{}") as { readonly g?: string }).g ?? ""
    const lines = failing.text
      .split("\n")
      .filter((line) => !line.includes('"k":"turn"') || line.includes(`"g":"${group}"`))
    const [alone] = readRecord(lines.join("\n"))
    const row = alone?.index.group.findIndex((number) => number !== NONE) ?? NONE
    expect(at(alone?.index.cause ?? [], row)).toBe(ELSEWHERE)
    expect(alone === undefined ? [] : causesOf(alone.index, row)).toEqual([row])
  })
})

test("a call keeps what its result said", () => {
  const { calls } = failing.run.index
  expect(calls.filter(({ call }) => call === "open_link").map(({ answer }) => answer)).toEqual(
    expect.arrayContaining(["status_500", "timeout"]),
  )
  expect(calls.filter(({ call }) => call !== "open_link").map(({ answer }) => answer)).toContain("200")
})
