/**
 * Endpoints whose failures are counted: their columns are projected from their actor, and when it disables the
 * endpoint, a notice is sent to its owner. Source: direct delivery contract, events.
 */

import { idOf } from "../../model/address.ts"
import { newUuid } from "../../model/ids.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { extrasOf, rootOf } from "../../engine/services/actors.ts"
import { Routine } from "../../engine/services/routine.ts"
import { MessageNotices } from "../messages/notices.ts"
import { Notices } from "./notices.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"

export const observeEndpoint = Routine.fn(function* (result: TurnResult) {
  if (result.outcome.type === "refused") return
  const store = yield* WebhookStore
  const webhookId = idOf(result.group.address)
  const { context, state } = rootOf("webhook-endpoint", result.group)
  const { consecutiveFailures } = context
  const [disabled] = result.emissions.flatMap((emission) => extrasOf("webhook.disabled", emission) ?? [])
  const isEnabled = state === "enabled"
  yield* store.changeEndpoint(webhookId, {
    consecutiveFailures,
    isActive: isEnabled,
    ...(isEnabled ? { disabledAtMs: null, disabledReason: null } : {}),
    ...(disabled === undefined ? {} : disabledAt(result.instantMs, disabled.reason)),
  })
  if (disabled === undefined) return
  const notices = yield* Notices
  const endpoint = yield* store.endpoint(webhookId)
  if (endpoint === null) return
  yield* notices.add({
    noticeId: newUuid(result.nonce, "notice"),
    organizationId: endpoint.organizationId,
    environment: endpoint.environment,
    kind: "webhook_disabled",
    subjectId: webhookId,
    createdAtMs: result.instantMs,
  })
  const { organizationId } = endpoint
  const messages = yield* MessageNotices
  yield* messages.webhookDisabled({ organizationId, webhookId, nonce: result.nonce })
})

/** Its owner looks for what changed by `updated_at`, so that a switch by the service moves it too. */
function disabledAt(atMs: EpochMs, disabledReason: WebhookEndpoint["disabledReason"]) {
  return { disabledAtMs: atMs, disabledReason, updatedAtMs: atMs }
}
