/** Endpoints as operations change them: one that its failures or its owner switched off is switched on again. */

import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { WebhookStore } from "./store.ts"
import { POLICIES } from "./webhook-policy.ts"
import { locksOf, switched } from "./webhooks.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class EndpointOperations extends service<EndpointOperations>()("EndpointOperations", () => ({
  switchOn,
})) {}

/** The same as the owner's change. Its failures are counted from 0; what it missed is not sent. A repeat changes nothing. */
const switchOn = Routine.fn(function* (caller: Operator, webhookId: string) {
  const { area, ...owner } = yield* endpointFor(caller, webhookId)
  const policy = POLICIES[area]
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "switch a webhook on",
    locks: locksOf(policy, owner, webhookId),
    body: Routine.fn(function* () {
      const store = yield* WebhookStore
      const { nowMs: updatedAtMs } = yield* Transaction
      const before = yield* endpointFor(caller, webhookId)
      if (before.isActive) return before
      const counted = policy.attempts.isCounted === true ? yield* switched(webhookId, true, nonce) : {}
      yield* store.changeEndpoint(webhookId, { ...counted, isActive: true, updatedAtMs })
      return yield* endpointFor(caller, webhookId)
    }),
  })
})

/** An endpoint of the operator's environment, or `NOT_FOUND`. */
const endpointFor = Routine.fn(function* ({ environment }: Operator, webhookId: string) {
  const endpoint = yield* (yield* WebhookStore).endpoint(webhookId)
  if (endpoint !== null && endpoint.environment === environment) return endpoint
  return yield* new Refused({ code: "NOT_FOUND", detail: "webhook" })
})
