/** How often one user may call each tool. */

import type { CourierTool } from "../../model/courier.ts"
import {
  COURIER_CHECKS_PER_HOUR,
  COURIER_CHECKS_PER_MINUTE,
  COURIER_COMMANDS_PER_MINUTE,
  COURIER_READS_PER_MINUTE,
  COURIER_UPDATES_PER_MINUTE,
} from "../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/values/time.ts"
import { RateCounter } from "../../http/access/rate-limits.ts"
import { addOne, readWindow, takeOne } from "../../engine/services/rate-limits/window-counter.ts"
import type { RateLimit } from "../../engine/services/rate-limits/window-counter.ts"
import { batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"

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
  for (const limit of limitsOf(userId, tool)) {
    const taken = yield* takeOne(counter, limit)
    // A call that the shorter window refuses does not count in the longer one.
    if (taken.isExceeded) return taken.resetSeconds
  }
  return null
})

/** The seconds to wait when there is no room for one more call, else null. Counts nothing. */
export const fullFor = Routine.fn(function* (userId: string, tool: CourierTool) {
  const counter = yield* RateCounter
  const limits = limitsOf(userId, tool)
  const windows = yield* batch(limits.map((limit) => readWindow(counter, limit)))
  const full = windows.find(({ count }, at) => count >= (limits[at]?.max ?? 0))
  return full?.resetSeconds ?? null
})

/**
 * Counts one call in its transaction, after `fullFor` in the same transaction. Only for tools whose calls run under the lock of
 * their user: so no other call of the tool is counted meanwhile.
 */
export const addCall = Routine.fn(function* (userId: string, tool: CourierTool) {
  const counter = yield* RateCounter
  for (const limit of limitsOf(userId, tool)) yield* addOne(counter, limit)
})

function limitsOf(userId: string, tool: CourierTool): readonly RateLimit[] {
  return COURIER_LIMITS[tool].map(({ windowMs, calls }) => ({
    bucket: `courier/${userId}/${tool}/${windowMs}`,
    windowMs,
    max: calls,
  }))
}
