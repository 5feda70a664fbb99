/** The course of a delivery: when it reached each status, and what the sandbox's next advances would do. */

import type { GroupAddress } from "../../model/address.ts"
import { statusesAfter } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { PickupEventType } from "../../model/webhook.ts"
import type { Context } from "../../../machines/contracts.ts"
import { stepsOf } from "../../engine/services/group-journals.ts"
import type { JournalTurn } from "../../engine/services/group-journals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { listensTo } from "../webhooks/fan-out.ts"
import { WebhookStore } from "../webhooks/store.ts"
import { isTextedAt } from "./customer-notices.ts"
import { ADVANCE_EVENTS } from "./direct-delivery.ts"
import type { DeliveryRow, DeliverySite } from "./rows.ts"

export interface ReachedStatus {
  readonly status: DeliveryStatus
  readonly atMs: EpochMs
}

/** The statuses of a delivery in the order in which it reached them. One turn may pass through several. */
export function reachedStatuses(
  turns: readonly JournalTurn[],
  group: GroupAddress,
): readonly ReachedStatus[] {
  const reached: ReachedStatus[] = []
  for (const { instantMs, step } of stepsOf(turns, group)) {
    const { announced } = step.context as unknown as Context<"delivery">
    // Every event names the status before it, so an event after the first names one that was passed through.
    const passed = step.asked.flatMap((asked) =>
      asked.type === "kernel.publish" && asked.event === "pickup_status.changed"
        ? [asked.extras?.["previous_status"] as DeliveryStatus]
        : [],
    )
    for (const status of [...passed.slice(1), announced]) {
      if (reached.at(-1)?.status !== status) reached.push({ status, atMs: instantMs })
    }
  }
  return reached
}

/** What one or more advances in a row would do. */
export interface NextStep {
  readonly status: DeliveryStatus
  /** How many advances it takes. */
  readonly advances: number
  /** Types of events that at least one endpoint gets. */
  readonly events: readonly PickupEventType[]
  readonly endpoints: number
  /** How many events all endpoints together get, over all of the advances. */
  readonly sendings: number
  /** How many messages the customer gets; the sandbox suppresses them. */
  readonly texts: number
}

/** The statuses ahead, nearest first. Empty outside of the sandbox, after the end, and at a deactivated site. */
export const nextSteps = Routine.fn(function* (row: DeliveryRow, site: DeliverySite | null) {
  if (row.environment !== "sandbox" || site?.isActive !== true) return []
  const { organizationId, environment, siteId } = row
  const store = yield* WebhookStore
  const known = yield* store.endpoints({ organizationId, environment, area: "direct_delivery" })
  const receivers = ADVANCE_EVENTS.map((eventType) => ({
    eventType,
    webhookIds: known
      .filter((one) => listensTo(one, { eventType, siteId }))
      .map(({ webhookId }) => webhookId),
  }))
  const each = receivers.flatMap(({ webhookIds }) => webhookIds)
  const ahead = statusesAfter(row.status)
  return ahead.map((status, at): NextStep => ({
    status,
    advances: at + 1,
    events: receivers.flatMap(({ eventType, webhookIds }) => (webhookIds.length === 0 ? [] : [eventType])),
    endpoints: new Set(each).size,
    sendings: each.length * (at + 1),
    texts: ahead.slice(0, at + 1).filter(isTextedAt).length,
  }))
})
