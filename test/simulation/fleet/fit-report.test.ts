/** The pictures of a fit: what was observed, in bins, and the density that the fit expects. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fitDuration } from "../../../src/simulation/fleet/fit/duration-fit.ts"
import { histogramOf } from "../../../src/simulation/fleet/fit/histogram.ts"
import type { DurationFit } from "../../../src/simulation/fleet/fit/duration-fit.ts"
import type { FittedModel } from "../../../src/simulation/fleet/fit/fit-model.ts"
import { fitReportHtml } from "../../../src/simulation/fleet/report/fit-report.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"

describe("a histogram", () => {
  test("has each value in one bin, whatever the values are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -600_000, max: 3_600_000 }), { minLength: 2, maxLength: 300 }),
        (values) => {
          const histogram = histogramOf(values)
          const isSame = new Set(values).size === 1
          expect(histogram === null).toBe(isSame)
          if (histogram === null) return
          const { fromMs, widthMs, counts } = histogram
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length)
          expect(counts.length).toBeGreaterThanOrEqual(5)
          expect(counts.length).toBeLessThanOrEqual(40)
          const [least, most] = [Math.min(...values), Math.max(...values)]
          expect(fromMs).toBe(least)
          expect(fromMs + widthMs * counts.length).toBeCloseTo(most, 3)
          const inSecond = values.filter(
            (one) => one >= fromMs + 1.001 * widthMs && one < fromMs + 1.999 * widthMs,
          )
          expect(counts[1]).toBeGreaterThanOrEqual(inSecond.length)
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** A fitted model in which only one duration is known. */
function withWalk(walk: DurationFit | null): FittedModel {
  const none = { ahead: null, widthMs: null, cancel: null, cancelAfter: null }
  return {
    span: { fromMs: Date.UTC(2026, 2, 2, 14), toMs: Date.UTC(2026, 2, 2, 20), timeZone: "America/Chicago" },
    zones: [],
    reservations: none,
    runner: { walk, load: null, pick_up: null },
    bot: {
      punctuality: null,
      settle: null,
      leave: null,
      noShow: null,
      abort: null,
      patience: null,
      tellsEtaMs: null,
    },
    faults: { openLinkFails: null, payloadTooHeavy: null },
    policy: null,
    deliveries: [],
    vehicle: { load: null, dropOff: null },
    deliveryCancel: null,
    deliveryCancelAfter: null,
    errands: null,
    vehicles: 0,
    visits: 1,
    deliveryCount: 0,
    unknown: ["Shifts are not in a journal."],
  }
}

function pageOf(values: readonly number[]): string {
  return fitReportHtml(withWalk(fitDuration(values)), { source: "<b>north</b>" })
}

/** Exponential values with a mean of a minute. */
function exponential(count: number): readonly number[] {
  const chance = new Streams(7)
  return Array.from({ length: count }, () => Math.round(-60_000 * Math.log(1 - chance.fraction("walk"))) + 1)
}

/** Columns of the table of the chart. */
function rowsOf(page: string): readonly (readonly number[])[] {
  const [, body = ""] = /observed and expected\s*<\/caption>[^]*?<tbody>([^]*?)<\/tbody>/.exec(page) ?? []
  return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh][^>]*>([^<]*)</g)].slice(1).map(([, text = ""]) => Number(text)),
  )
}

describe("the report of a fit", () => {
  test("has the observed and the expected numbers of a fitted duration, which agree", () => {
    const page = pageOf(exponential(600))
    expect(page).toContain("Each of 1 duration follows a distribution.")
    expect(page).toContain("Nothing speaks against it")
    expect(page).toContain('class="density"')
    const rows = rowsOf(page)
    const [observed, expected] = [0, 1].map((column) => rows.map((row) => row[column] ?? Number.NaN))
    expect(observed?.reduce((sum, count) => sum + count, 0)).toBe(600)
    const far = (observed ?? []).filter(
      (count, bin) => Math.abs(count - (expected?.[bin] ?? 0)) > 4 * Math.sqrt((expected?.[bin] ?? 0) + 1),
    )
    expect(far).toEqual([])
    expect(page).not.toContain("<b>north")
    expect(page).toContain("Shifts are not in a journal.")
  })

  test("draws no density where no family fits, or where values are too few", () => {
    const two = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? 20_000 : 90_000) + at)
    expect(pageOf(two)).toContain("No family fits")
    expect(pageOf(two)).toContain("0 of 1 duration follow a distribution")
    expect(pageOf([1_000, 2_000, 4_000])).toContain("Too few values: 3")
    for (const values of [two, [1_000, 2_000, 4_000]]) {
      expect(pageOf(values)).toContain('class="p50"')
      expect(pageOf(values)).not.toContain('class="density"')
    }
  })

  test("draws nothing for a duration that is always the same, or without any duration", () => {
    expect(pageOf([20_000, 20_000])).toContain("Always the same")
    expect(pageOf([20_000, 20_000])).not.toContain("<svg\n")
    expect(fitReportHtml(withWalk(null), { source: "north" })).toContain("No duration was observed.")
  })
})
