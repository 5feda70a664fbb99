/** Times and counts on the board of operations. */

import { describe, expect, test } from "vitest"
import { cardNowMs } from "../../../src/pages/web/ops/board/card-clock.ts"
import { dayClock, daySeconds } from "../../../src/pages/web/ops/board/times.ts"
import { countsOf } from "../../../src/pages/web/ops/board/words.ts"

const ZONE = "America/Chicago"

describe("a time on the board", () => {
  // Monday 2 March, 23:30 at the site.
  const lateMs = Date.parse("2026-03-03T05:30:00Z")

  test.each([
    ["2026-03-03T05:59:59Z", "23:59"],
    ["2026-03-03T06:05:00Z", "Tue 00:05"],
    ["2026-03-02T05:59:00Z", "Sun 23:59"],
    ["2026-03-07T15:00:00Z", "Sat 09:00"],
    ["2026-02-20T15:00:00Z", "20 Feb 09:00"],
  ])("%s is %s", (instant, words) => {
    expect(dayClock(instant, ZONE, lateMs)).toBe(words)
  })

  test.each([
    // In the night of 1 November 2026 the hour from 1 to 2 comes twice.
    ["2026-11-01T06:30:10Z", "01:30:10 CDT"],
    ["2026-11-01T07:30:10Z", "01:30:10"],
  ])("%s names its zone where the clocks have changed since: %s", (instant, words) => {
    expect(daySeconds(instant, ZONE, Date.parse("2026-11-01T07:40:00Z"))).toBe(words)
  })
})

test("a reservation has the present of its own clock, which may be ahead or stand", () => {
  const board = { at: new Date(1_000_000).toISOString() }
  const at = new Date(1_720_000).toISOString()
  expect(cardNowMs({ clock_at: at, clock_stands: false }, board, 1_004_000)).toBe(1_724_000)
  expect(cardNowMs({ clock_at: at, clock_stands: true }, board, 1_004_000)).toBe(1_720_000)
})

test("a closed stall is not counted as free", () => {
  const stallOf = (label: string, state: "free" | "occupied", isActive: boolean) =>
    ({ stall_id: label, label, state, is_active: isActive, at: null, reservation_id: null }) as const
  const stalls = [stallOf("A1", "free", true), stallOf("A2", "free", false), stallOf("A3", "occupied", false)]
  expect(countsOf(stalls)).toBe("1 free, 1 occupied, 1 closed")
})
