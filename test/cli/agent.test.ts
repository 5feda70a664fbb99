/** `curbline agent`: a row for each errand, and whether all ended right. */

import { describe, expect, test } from "vitest"
import { curblineHere } from "./same-process.ts"

describe("curbline agent", () => {
  test("prints a row for each errand, and the figure", async () => {
    const { status, out } = await curblineHere("agent", "--grep", "the paddock")
    expect(status).toBe(0)
    expect(out).toMatch(/^ERRAND +RIGHT +CALLS +POLLS +BYTES +WIRE BYTES +DEAD END +FOUND$/m)
    expect(out).toMatch(/^a pub +yes +1 +0 +\d+ +\d+ +- +-$/m)
    expect(out).toMatch(/^1 of 1 right, no dead end, 1 call, \d+ bytes, \d+ on the wire$/m)
  })

  test("prints the same as one JSON object", async () => {
    const { out } = await curblineHere("agent", "--grep", "the paddock", "--json")
    expect(JSON.parse(out)).toMatchObject({
      errands_run: 1,
      right: 1,
      dead_ends: 0,
      errands: [{ errand: "a pub", right: true, calls: 1, dead_end: null, found: null }],
    })
  })

  test("refuses a text that no errand has", async () => {
    const { status, err } = await curblineHere("agent", "--grep", "sushi")
    expect([status, err]).toEqual([2, 'error: no errand has "sushi" in its name or request\n'])
  })
})
