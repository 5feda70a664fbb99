/** How often one user may call each tool. */

import type { CourierTool } from "../../model/courier.ts"
import {
  COURIER_CHECKS_PER_HOUR,
  COURIER_CHECKS_PER_MINUTE,
  COURIER_COMMANDS_PER_MINUTE,
  COURIER_READS_PER_MINUTE,
  COURIER_UPDATES_PER_MINUTE,
} from "../../model/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/time.ts"
import { RateCounter } from "../access/rate-limits.ts"
import { takeOne } from "../../services/rate-limits/window-counter.ts"
import { Routine } from "../../services/routine.ts"

interface CallLimit {
  readonly windowMs: number
  readonly calls: number
}

const minute = (calls: number): CallLimit => ({ windowMs: MINUTE_MS, calls })

/** Source: choice 2.10. */
const COURIER_LIMITS: Readonly<Record<CourierTool, readonly CallLimit[]>> = {
  check_delivery: [minute(COURIER_CHECKS_PER_MINUTE), { windowMs: HOUR_MS, calls: COURIER_CHECKS_PER_HOUR }],
  reserve_delivery: [minute(COURIER_COMMANDS_PER_MINUTE)],
  confirm_delivery: [minute(COURIER_COMMANDS_PER_MINUTE)],
  update_delivery: [minute(COURIER_UPDATES_PER_MINUTE)],
  get_delivery_status: [minute(COURIER_READS_PER_MINUTE)],
  cancel_delivery: [minute(COURIER_COMMANDS_PER_MINUTE)],
}

/** Counts one call. Returns the seconds to wait when the limit is exceeded, else null. */
export const countCall = Routine.fn(function* (userId: string, tool: CourierTool) {
  const counter = yield* RateCounter
  for (const { windowMs, calls } of COURIER_LIMITS[tool]) {
    const bucket = `courier/${userId}/${tool}/${windowMs}`
    const taken = yield* takeOne(counter, { bucket, windowMs, max: calls })
    // A call that the shorter window refuses does not count in the longer one.
    if (taken.isExceeded) return taken.resetSeconds
  }
  return null
})
