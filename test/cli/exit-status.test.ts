import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { EngineFault } from "../../src/engine/kernel/faults.ts"
import { folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const GOOD = "scenarios/reservations/the-bot-never-shows-up.yaml"
const BROKEN_SEED = 7

/** True: seed 7 breaks only in the second run. */
const breaksLate = vi.hoisted(() => ({ isOn: false, isSecond: false }))

/** Called before every run. */
const watcher = vi.hoisted(() => ({ beforeRun: (): void => {} }))

vi.mock(import("../../src/simulation/scenario/run.ts"), async (importOriginal) => {
  const original = await importOriginal()
  const runScenario: typeof original.runScenario = (scenario, options) => {
    watcher.beforeRun()
    const isSpared = breaksLate.isOn && !breaksLate.isSecond
    breaksLate.isSecond = true
    if (options?.seed === BROKEN_SEED && !isSpared)
      throw new EngineFault({
        reason: "a turn is too long",
        at: "reservation/res_1",
        found: "1000 steps",
        cause: new Error("the first cause"),
      })
    return original.runScenario(scenario, options)
  }
  return { ...original, runScenario }
})

afterEach(() => {
  vi.restoreAllMocks()
  watcher.beforeRun = () => {}
  Object.assign(breaksLate, { isOn: false, isSecond: false })
})

test("a fault of the engine is one run's result: the others go on, and the command ends with 3", async () => {
  const record = join(folder(), "out.ndjson")
  const { status, out, err } = await curblineHere("run", GOOD, "--seed", "6..8", "--record", record)
  expect(status).toBe(3)
  expect(out).toMatch(/^✓ The bot never shows up .*seed 6\n✗ The bot never shows up {2}seed 7\n/)
  expect(out).toContain("engine fault: a turn is too long at reservation/res_1: 1000 steps\n")
  expect(out).toContain(`  again:    npx curbline run ${GOOD} --seed 7\n✓ The bot never shows up`)
  expect(out).toMatch(/\n2 passed, 0 failed, 1 engine fault\n$/)
  expect(err).toContain("engine fault in The bot never shows up, seed 7: a turn is too long")
  expect(err).toContain("Error: the first cause\n    at ")
  expect(err).toContain(`recorded 2 runs in ${record}`)
  const seeds = readFileSync(record, "utf8").matchAll(/^\{"k":"run".*"seed":(\d+)/gm)
  expect([...seeds].map((found) => found[1])).toEqual(["6", "8"])
})

test("--json holds the run that broke: verdict, message, and how to see it again", async () => {
  const { status, out } = await curblineHere("run", GOOD, "--seed", "6..8", "--json")
  expect(status).toBe(3)
  const { runs, ...tally } = JSON.parse(out)
  expect(tally).toEqual({ passed: 2, failed: 0, faults: 1 })
  expect(runs.map((run: { verdict: string }) => run.verdict)).toEqual(["passed", "fault", "passed"])
  expect(runs[1]).toEqual({
    scenario: "The bot never shows up",
    file: GOOD,
    seed: 7,
    verdict: "fault",
    wall_ms: expect.any(Number),
    message: "a turn is too long at reservation/res_1: 1000 steps",
    again: `npx curbline run ${GOOD} --seed 7`,
    failures: [],
  })
})

test("the record is there before the first run, and grows with every run that ends", async () => {
  const record = join(folder(), "out.ndjson")
  const runsBefore: number[] = []
  watcher.beforeRun = () => runsBefore.push(readFileSync(record, "utf8").split('{"k":"end"').length - 1)
  expect((await curblineHere("run", GOOD, "--seed", "1..3", "--record", record)).status).toBe(0)
  expect(runsBefore).toEqual([0, 1, 2])
})

test("a second run that breaks is no repetition", async () => {
  breaksLate.isOn = true
  const { status, out, err } = await curblineHere("run", GOOD, "--seed", "7", "--check-determinism")
  expect(status).toBe(3)
  expect(out).toMatch(/\n1 passed, 0 failed\n$/)
  expect(err).toBe(
    "The bot never shows up: not deterministic: the second run broke: a turn is too long at reservation/res_1: 1000 steps\n",
  )
})

test("--tag runs the scenarios with one of the tags, and knows a tag that is misspelled", async () => {
  const path = "scenarios/reservations"
  const { status, out } = await curblineHere("run", path, "--tag", "idempotency", "counter", "--json")
  expect(status).toBe(0)
  const { runs } = JSON.parse(out) as { readonly runs: readonly { readonly file: string }[] }
  const files = [...new Set(runs.map(({ file }) => file.slice(path.length + 1)))]
  expect(files).toContain("an-idempotent-retry.yaml")
  expect(files).toContain("the-runner-gives-up-at-the-counter.yaml")
  expect(files.length).toBeLessThan(10)
  const misspelled = await curblineHere("run", path, "--tag", "idempotncy")
  expect(misspelled.status).toBe(2)
  expect(misspelled.err).toContain('no scenario here has the tag "idempotncy", did you mean "idempotency"?')
})
