/** The areas' group rows. */

import { courierOrders } from "../../areas/courier/rows.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import type { GroupRow } from "../../engine/services/group-rows.ts"

export const GROUP_ROWS: readonly GroupRow[] = [
  { kind: "reservation", table: reservations, isReadWithLock: true },
  { kind: "courier-order", table: courierOrders, isReadWithLock: false },
]
