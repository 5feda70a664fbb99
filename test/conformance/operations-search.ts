/** The contract of the search of operations. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { BLANK_PHONE } from "../../src/engine/services/retention/blanks.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { SearchRows } from "../../src/apps/operations/search.ts"
import type { SearchQuery } from "../../src/apps/operations/search.ts"
import { delivery } from "./delivery-rows.ts"
import { row } from "./reservation-rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Ports = CatalogRows | DeliveryRows | ReservationRows | SearchRows

const query: SearchQuery = { environment: "production", text: "", lastFour: null, after: null, limit: 9 }

export function operationsSearchContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`search of operations: ${name}`, () => {
    test("finds reservations, deliveries and errands of one environment, newest first, and none that is blanked", async () => {
      const h = make()
      const found = async (more: Partial<SearchQuery>) =>
        (await h.run(Effect.flatMap(SearchRows, (rows) => rows.find({ ...query, ...more })))).map(
          ({ kind, id }) => `${kind} ${id}`,
        )
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const reservations = yield* ReservationRows
          const deliveries = yield* DeliveryRows
          const { createdAtMs: atMs } = row
          const errand = { ...delivery, deliveryId: "dlv_errand", externalDeliveryId: "else" }
          yield* host.run({
            name: "a test",
            locks: {},
            body: Routine.fn(function* () {
              yield* reservations.insert({ ...row, orderNumber: "Order-1" })
              yield* reservations.insert({ ...row, reservationId: "res_2", environment: "sandbox" })
              yield* reservations.insert({ ...row, reservationId: "res_3", endUserPhone: BLANK_PHONE })
              yield* deliveries.insert({ ...delivery, createdAtMs: atMs + 2 })
              yield* deliveries.insert({ ...errand, storePlace: delivery.place, createdAtMs: atMs + 1 })
            }),
          })
        }),
      )
      expect(await found({ text: "ORDER-1" })).toEqual(["delivery dlv_1", "reservation res_1"])
      expect(await found({ text: "dlv_errand" })).toEqual(["errand dlv_errand"])
      expect(await found({ text: "0123", lastFour: "0123" })).toEqual(["delivery dlv_1", "errand dlv_errand"])
      expect(await found({ text: "0100", lastFour: "0100" })).toEqual(["reservation res_1"])
      expect(await found({ text: "0000", lastFour: "0000" })).toEqual([])
      const after = { createdAtMs: row.createdAtMs + 2, id: "dlv_1" }
      expect(await found({ text: "0123", lastFour: "0123", after })).toEqual(["errand dlv_errand"])
      expect(await found({ text: "order-1", limit: 1 })).toEqual(["delivery dlv_1"])
    })
  })
}
