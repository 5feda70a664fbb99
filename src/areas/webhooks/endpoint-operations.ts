/** Endpoints as operations change them: one that its failures or its owner switched off is switched on again. */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"
import { POLICIES } from "./webhook-policy.ts"
import { locksOf, switched } from "./webhooks.ts"
import { Routine } from "../../engine/services/routine.ts"
import { provided } from "../../engine/services/provided.ts"

export class EndpointOperations extends Context.Tag("EndpointOperations")<
  EndpointOperations,
  {
    /** The same as the owner's change. Its failures are counted from 0; what it missed is not sent. A repeat changes nothing. */
    readonly switchOn: (caller: Operator, webhookId: string) => Routine<WebhookEndpoint, Refused>
  }
>() {}

type Needs = ActorHost | WebhookStore

export const layerEndpointOperations: Layer.Layer<EndpointOperations, never, Needs> = Layer.effect(
  EndpointOperations,
  Effect.map(Effect.context<Needs>(), (context): EndpointOperations["Type"] => ({
    switchOn: (caller, webhookId) => provided(switchOn(caller, webhookId), context),
  })),
)

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
