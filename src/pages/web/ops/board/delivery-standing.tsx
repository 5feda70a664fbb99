/** A delivery as the drawers of deliveries and of vehicles read it. */

import { useResource, useRefresh } from "../../resource.ts"
import type { Resource } from "../../resource.ts"
import { readDelivery, readDeliveryTimeline } from "./calls.ts"
import { nextTimerFact, waitsForFact } from "./drawer-parts.tsx"
import type { Fact, Instant } from "./drawer-parts.tsx"
import type { DeliveryRecord, TimelineRecord } from "./records.ts"
import { DELIVERY_WAITS_FOR_WORDS } from "./words.ts"

/** ms between reads; the board's stream covers the runs that vehicles do now, not those behind them */
const REFRESH_MS = 5_000

interface Read {
  readonly delivery: Resource<DeliveryRecord>
  readonly timeline: Resource<readonly TimelineRecord[]>
  readonly reload: () => void
}

export function useDelivery(id: string): Read {
  const delivery = useResource(() => readDelivery(id), [id])
  const timeline = useResource(() => readDeliveryTimeline(id), [id])
  const both = async (): Promise<void> => {
    await Promise.all([delivery.reload(), timeline.reload()])
  }
  useRefresh(both, REFRESH_MS)
  return { delivery, timeline, reload: () => void both() }
}

export function standingFacts(delivery: DeliveryRecord, instant: Instant): readonly Fact[] {
  const { waits_for: waitsFor, since, next_timer: timer } = delivery
  return [
    waitsFor === null
      ? ["Waits for", null]
      : waitsForFact(DELIVERY_WAITS_FOR_WORDS[waitsFor], { ...instant, since }),
    nextTimerFact(timer, instant),
  ]
}
