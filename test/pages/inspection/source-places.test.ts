/** From a recorded run to places in source files: of its machines, and of the scenario's steps. */

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { sourceLinesOf } from "../../../src/pages/chart/machine-lines.ts"
import { registeredCharts } from "../../../src/pages/chart/registered-machine.ts"
import { causesOf } from "../../../src/pages/inspection/causes.ts"
import { NONE, at } from "../../../src/pages/inspection/run-index.ts"
import { markedPlace, placeText, placesOf, stepBehind } from "../../../src/pages/inspection/source-places.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const NAME = "reservations/the-open-link-fails-three-times"
const { index } = recorded(runScenario(await scenarioNamed(NAME))).run
const text = readFileSync(new URL(`../../../scenarios/${NAME}.yaml`, import.meta.url), "utf8").split("\n")

/** The line of the scenario that a row's step stands at. */
function lineOfStep(row: number): string | undefined {
  const place = markedPlace(stepBehind(index, row)?.src ?? null)
  return place === null ? undefined : text[place.line - 1]?.trim()
}

test("every command from outside leads to the step of the scenario that gave it", () => {
  const commands = [...index.s.keys()].filter(
    (row) => at(index.by, row) === 0 && at(index.cause, row) === NONE,
  )
  expect(commands.length).toBeGreaterThan(7)
  const steps = commands.map(lineOfStep)
  expect(steps[0]).toBe("- at: 11:30")
  expect(steps.every((line) => line === "- at: 11:30" || /do: (?:bot|runner)[.]/.test(line ?? ""))).toBe(true)
  const refused = commands.find((row) => at(index.refused, row) !== NONE) ?? NONE
  expect(lineOfStep(refused)).toBe(
    "- refuse: { do: runner.retry_open_link, for: lunch, code: INVALID_STATE }",
  )
})

test("what a timer, a message or a result led to has no step of its own, but its first cause has", () => {
  const results = [...index.s.keys()].filter((row) => at(index.by, row) > 0)
  expect(results.length).toBeGreaterThan(5)
  for (const row of results) {
    expect(stepBehind(index, row)).toBeNull()
    expect(lineOfStep(causesOf(index, row).at(-1) ?? row)).toBeDefined()
  }
})

test("a mark leads to its own step", () => {
  for (const mark of index.marks) expect(stepBehind(index, mark.row)).toBe(mark)
})

test("places are texts that editors and terminals understand", () => {
  const place = markedPlace("C:/curbside/late.yaml:21:5")
  expect(place).toEqual({ file: "C:/curbside/late.yaml", line: 21, column: 5 })
  if (place !== null) expect(placeText(place)).toBe("C:/curbside/late.yaml:21:5")
  for (const other of [null, "", "late.yaml", "late.yaml:21", ":1:2"]) expect(markedPlace(other)).toBeNull()
})

test("states and transitions have their names, and an unknown source has no places", () => {
  const chart = registeredCharts().find(({ id }) => id === "runner-task@1")
  if (chart === undefined) throw new Error("there is no runner task")
  const lines = sourceLinesOf(chart)
  const ids = [
    "runner-task",
    "runner-task.open.at_unit",
    "runner-task.open.at_store#order.given_up#0",
    "unknown",
  ]
  const places = placesOf({ chart, lines }, ids)
  expect(places.map(({ name, file }) => [name, file])).toEqual([
    ["runner-task@1", "machines/runner-task.ts"],
    ["open.at_unit", "machines/runner-task.ts"],
    ["order.given_up", "machines/runner-task.ts"],
  ])
  expect(placesOf({ chart, lines: null }, ids)).toEqual([])
})
