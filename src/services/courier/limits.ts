/** How often one user may call each tool. Windows are the clock's, so that nodes agree on them without talking. */

import { Clock, Effect } from "effect"
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

/** Counts one call; seconds until there is room again when it is one too many, else null. */
export const countCall = Effect.fnUntraced(function* (userId: string, tool: CourierTool) {
  const counter = yield* RateCounter
  const nowMs = yield* Clock.currentTimeMillis
  for (const { windowMs, calls } of COURIER_LIMITS[tool]) {
    const startsAtMs = nowMs - (nowMs % windowMs)
    const bucket = `courier/${userId}/${tool}/${windowMs}`
    const count = yield* counter.count({ bucket, startsAtMs })
    // What the shorter window refuses does not use up the longer one.
    if (count > calls) return Math.max(1, Math.ceil((startsAtMs + windowMs - nowMs) / 1000))
  }
  return null
})
