/** `curbline swarm` as a user runs it: its summary, its JSON, and mistakes in its flags. */

import { describe, expect, test } from "vitest"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { curblineHere } from "../../cli/same-process.ts"

test("it tries the seeds, says how fast, and what they reached", async () => {
  const { status, out } = await curblineHere("swarm", "--seeds", "1..4")
  expect(out).toMatch(
    new RegExp(
      `^4 seeds, [0-9.]+ a second, \\d+ turns, ${CATALOGUE.length} invariants\nreached: \\d+ of \\d+ states, \\d+ of \\d+ transitions`,
    ),
  )
  expect(out).toContain("nothing broke")
  expect(status).toBe(0)
})

test("--seed tries one seed, and --json prints one object", async () => {
  const { status, out } = await curblineHere("swarm", "--seed", "3", "--json")
  const result = JSON.parse(out)
  expect(result).toMatchObject({ seeds: 1, failing: {}, findings: [] })
  expect(result.invariants).toContain("a message is taken exactly once")
  expect(Object.keys(result.coverage)).toEqual(["transition", "decision", "answer", "fault"])
  expect(status).toBe(0)
})

test("--minutes ends after that time", async () => {
  const { status, out } = await curblineHere("swarm", "--minutes", "0.001", "--workers", "1")
  expect(out).toMatch(/^\d+ seeds?, /)
  expect(status).toBe(0)
})

test("seeds on several threads give what one thread gives", async () => {
  const one = await curblineHere("swarm", "--seeds", "5..10", "--json")
  const two = await curblineHere("swarm", "--seeds", "5..10", "--json", "--workers", "2")
  const { coverage, turns } = JSON.parse(one.out)
  expect(JSON.parse(two.out)).toMatchObject({ coverage, turns, seeds: 6 })
})

describe("a mistake ends with 2 and says what to write instead", () => {
  test.each([
    [["--seeds", "5..1"], '--seeds takes a number or a range such as 1..20, not "5..1"'],
    [["--seed", "x"], '--seed takes a number or a range such as 1..20, not "x"'],
    [["--seed", "1", "--seeds", "1..2"], "--seed is one of --seeds: give one of the two"],
    [["--minutes", "0"], '--minutes takes a number above 0 and up to 10080, not "0"'],
    [["--workers", "0"], "--workers takes a whole number"],
  ])("%j", async (flags, message) => {
    const { status, err } = await curblineHere("swarm", ...flags)
    expect(err).toContain(message)
    expect(status).toBe(2)
  })
})
