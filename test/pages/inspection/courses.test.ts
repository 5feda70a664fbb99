/** Two courses side by side: aligned by what happened in each group, not by the numbers of lines. */

import { describe, expect, test } from "vitest"
import { coursesOf, groupsByOrder } from "../../../src/pages/inspection/courses.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const run = async (name: string) => recorded(runScenario(await scenarioNamed(`reservations/${name}`))).run

describe("two courses of a run", () => {
  test("a run beside itself is the same, entry by entry", async () => {
    const one = await run("the-bot-never-shows-up")
    const { pairs, difference, endings } = coursesOf({ run: one, after: 0 }, { run: one, after: 0 })
    expect(difference).toBeNull()
    expect(new Set(pairs.map(({ is }) => is))).toEqual(new Set(["same"]))
    expect(pairs).toHaveLength(one.hashes.filter((hash) => hash !== "").length)
    expect(endings.every(({ first, second }) => first === second)).toBe(true)
  })

  test("an answer beside another answer of the same attempt is one pair, and what follows it stands alone", async () => {
    const failing = await scenarioNamed("reservations/the-open-link-fails-three-times")
    const inject = failing.steps.find((step) => step.verb === "inject")
    const answering = {
      ...failing,
      steps: failing.steps
        .filter((step) => step.verb !== "expect" && step.verb !== "refuse" && step !== inject)
        .filter((step) => !(step.verb === "do" && step.command === "runner.retry_open_link")),
    }
    const first = recorded(runScenario(failing)).run
    const second = recorded(runScenario(answering)).run
    const { pairs, difference, endings } = coursesOf({ run: first, after: 0 }, { run: second, after: 0 })
    const changed = pairs.filter(({ is }) => is === "changed")
    expect(changed[0]?.first?.text).toContain("call.failed timeout")
    expect(changed[0]?.second?.text).toContain("call.succeeded 200")
    expect(pairs[difference ?? -1]).toBe(changed[0])
    expect(pairs.filter(({ is }) => is === "same").length).toBeGreaterThan(10)
    expect(pairs.filter(({ to, is }) => to.endsWith("/open-link-2") && is !== "first")).toEqual([])
    expect(endings[0]).toMatchObject({ first: "failed", second: "opened" })
  })

  test("a run with other ids is the same, when its groups are matched by their order", async () => {
    const scenario = await scenarioNamed("reservations/the-bot-never-shows-up")
    const [first, second] = [1, 2].map((seed) => recorded(runScenario({ ...scenario, seed })).run)
    if (first === undefined || second === undefined) throw new Error("two runs")
    expect(first.index.groups.some((group) => second.index.groups.includes(group))).toBe(false)
    const nameOf = groupsByOrder(first.index, second.index)
    const { difference, pairs } = coursesOf({ run: first, after: 0 }, { run: second, after: 0, nameOf })
    expect(difference).toBeNull()
    expect(pairs.length).toBeGreaterThan(10)
    // Groups of the same id are not renamed, and one without a counterpart keeps its name.
    expect(groupsByOrder(first.index, first.index)(first.index.groups[0] ?? "")).toBe(first.index.groups[0])
    expect(groupsByOrder({ ...first.index, groups: [] }, second.index)("reservation/res_2")).toBe(
      "reservation/res_2",
    )
  })

  test("the same at another time is one pair", async () => {
    const usual = await scenarioNamed("reservations/the-bot-never-shows-up")
    const late = {
      ...usual,
      steps: usual.steps.map((step) =>
        step.verb === "do" && step.command === "runner.assign" && step.at?.type === "clock"
          ? { ...step, at: { ...step.at, msOfDay: step.at.msOfDay + 60_000 } }
          : step,
      ),
    }
    const [first, second] = [usual, late].map((one) => recorded(runScenario(one)).run)
    if (first === undefined || second === undefined) throw new Error("two runs")
    const { pairs } = coursesOf({ run: first, after: 0 }, { run: second, after: 0 })
    const moved = pairs.filter(({ is }) => is !== "same")
    expect(moved).toHaveLength(1)
    expect(moved[0]).toMatchObject({ is: "moved", first: { t: 600_000 }, second: { t: 660_000 } })
  })
})
