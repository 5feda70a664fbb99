/** The contract of a site's past, from which its forecast learns. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { MINUTE_MS } from "../../src/model/time.ts"
import { SiteHistory } from "../../src/operations/site-forecast.ts"
import { ActorHost } from "../../src/services/host.ts"
import { Routine } from "../../src/services/routine.ts"
import { endpoint } from "./group-journals.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = ReservationRows | SiteHistory

const history = Effect.serviceFunctions(SiteHistory)

export function siteHistoryContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`the past of a site: ${name}`, () => {
    test("reservations of its zones come with the latest window first, back to an instant, and no more than wanted", async () => {
      const h = make()
      const { startsAtMs } = row
      const written = [
        { ...row, reservationId: "res_old", startsAtMs: startsAtMs - MINUTE_MS },
        { ...row, reservationId: "res_first", createdAtMs: row.createdAtMs + 5 },
        { ...row, reservationId: "res_ended", startsAtMs: startsAtMs + MINUTE_MS, status: "completed" },
        { ...row, reservationId: "res_other", startsAtMs: startsAtMs + 2 * MINUTE_MS, zoneId: "zone_two" },
        { ...row, reservationId: "res_elsewhere", zoneId: "zone_far" },
        { ...row, reservationId: "res_sandbox", environment: "sandbox" },
      ] as const
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const rows = yield* ReservationRows
          yield* host.run({
            name: "a test",
            locks: {},
            body: Routine.fn(function* () {
              for (const one of written) yield* rows.insert(one)
            }),
          })
        }),
      )
      const query = { environment: "production", zoneIds: ["zone_curb", "zone_two"], limit: 10 } as const
      const found = await h.run(history.reservations({ ...query, sinceMs: startsAtMs }))
      expect(found.map(({ address }) => address)).toEqual([
        "reservation/res_other",
        "reservation/res_ended",
        "reservation/res_first",
      ])
      expect(found.at(-1)?.bookedMs).toBe(row.createdAtMs + 5)
      const newest = await h.run(history.reservations({ ...query, sinceMs: 0, limit: 2 }))
      expect(newest).toEqual(found.slice(0, 2))
      expect(await h.run(history.reservations({ ...query, zoneIds: [], sinceMs: 0 }))).toEqual([])
    })

    test("entries are the texts of the journal, each group's in order", async () => {
      const h = make()
      const groups = [await endpoint(h, "whk_two"), await endpoint(h, "whk_one")]
      const texts = await h.run(history.entries([...groups, "webhook-endpoint/none"]))
      const bodies = texts.map(
        (text) => JSON.parse(text) as { readonly to: string; readonly refused: unknown },
      )
      expect(bodies.map(({ to }) => to)).toEqual([
        ...Array.from({ length: 4 }, () => "webhook-endpoint/whk_one"),
        ...Array.from({ length: 4 }, () => "webhook-endpoint/whk_two"),
      ])
      expect(bodies.slice(0, 4).map(({ refused }) => refused)).toEqual([null, null, null, "INVALID_STATE"])
      expect(await h.run(history.entries([]))).toEqual([])
    })
  })
}
