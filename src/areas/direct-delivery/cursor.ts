/** Cursors of delivery lists. */

import { placeCursors, wrongCursor } from "../../engine/services/cursors.ts"
import { Routine } from "../../engine/services/routine.ts"
import { DeliveryRows } from "./rows.ts"
import type { DeliveryRow } from "./rows.ts"

/**
 * A cursor contains only the id of the last delivery of a page: the numbers of rows count the deliveries of every organization.
 */
const { cursorOf, placeOf } = placeCursors<string>(
  (deliveryId) => deliveryId,
  (text) => (/^dlv_[0-9A-Za-z]{22}$/.test(text) ? text : null),
)

export { cursorOf }

/** The number before which a page begins; null for the first page. Only a cursor of a delivery of the same list is accepted. */
export const numberBefore = Routine.fn(function* (
  cursor: string | null,
  isOfList: (row: DeliveryRow) => boolean,
) {
  if (cursor === null) return null
  const row = yield* (yield* DeliveryRows).byId(yield* placeOf(cursor))
  return row !== null && isOfList(row) ? row.number : yield* wrongCursor
})
