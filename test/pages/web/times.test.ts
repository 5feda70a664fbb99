/** Times of the portal in words. */

import { expect, test } from "vitest"
import { dayTime, fromNow, span } from "../../../src/pages/web/portal/times.ts"

const ZONE = "America/Chicago"
const NOW = Date.parse("2026-03-02T18:00:00Z")

test.each([
  ["2026-03-02T12:30:00Z", "today 06:30"],
  ["2026-03-02T05:30:00Z", "1 Mar 23:30"],
  ["2025-03-02T12:30:00Z", "2 Mar 2025 06:30"],
  ["2026-01-01T05:59:00Z", "31 Dec 2025 23:59"],
  ["2026-01-01T06:00:00Z", "1 Jan 00:00"],
])("%s is %s", (iso, words) => {
  expect(dayTime(iso, ZONE, NOW)).toBe(words)
})

test.each([
  [59_499, "59 s"],
  [59_500, "1 min"],
  [90_000, "2 min"],
  [59.5 * 60_000, "1 h"],
  [23.4 * 3_600_000, "23 h"],
  [23.5 * 3_600_000, "1 d"],
  [36 * 3_600_000, "2 d"],
])("%d ms are %s", (ms, words) => {
  expect(span(ms)).toBe(words)
  expect(fromNow(new Date(NOW - ms).toISOString(), NOW)).toBe(`${words} ago`)
})
