/** Courier: the operations of an agent for one linked user. Source: courier connector contract, tools. */

import { Context, Effect, Layer } from "effect"
import type {
  CancelDeliveryArguments,
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  GetDeliveryStatusArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../../model/requests/courier-requests.ts"
import type { CourierEnvelope } from "../../model/courier.ts"
import type { RateCounter } from "../../http/access/rate-limits.ts"
import type { VehicleRows } from "../dispatch/rows.ts"
import type { Dispatch } from "../dispatch/dispatch-policy.ts"
import type { Runs } from "../dispatch/runs.ts"
import type { DeliveryRows } from "../direct-delivery/rows.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import type { LinkedUsers } from "../linking/linked-users.ts"
import type { DigestKey } from "../../engine/services/digest-key.ts"
import { cancel, status } from "./cancel.ts"
import { check } from "./check.ts"
import { confirm } from "./confirm.ts"
import { reserve } from "./reserve.ts"
import type { CourierClaims, CourierRows } from "./rows.ts"
import type { ErrandMemory } from "./errand-memory.ts"
import type { CourierSettings } from "./settings.ts"
import type { StoreDirectory } from "./directory/store-directory.ts"
import { update } from "./update.ts"
import { provided } from "../../engine/services/provided.ts"

/**
 * One method for each tool. Arguments are decoded; `userId` is the owner of the token, and deliveries of other users do
 * not exist for that user. Every answer is an envelope: success and decline without `error`, a refusal with it. Only a
 * broken invariant or a lost database is a defect, which the MCP layer answers as `internal_error`.
 */
export class Courier extends Context.Tag("Courier")<
  Courier,
  {
    readonly check: (userId: string, args: CheckDeliveryArguments) => Effect.Effect<CourierEnvelope>
    readonly reserve: (userId: string, args: ReserveDeliveryArguments) => Effect.Effect<CourierEnvelope>
    readonly confirm: (userId: string, args: ConfirmDeliveryArguments) => Effect.Effect<CourierEnvelope>
    readonly update: (userId: string, args: UpdateDeliveryArguments) => Effect.Effect<CourierEnvelope>
    /** Takes no idempotency key and changes nothing. */
    readonly status: (userId: string, args: GetDeliveryStatusArguments) => Effect.Effect<CourierEnvelope>
    readonly cancel: (userId: string, args: CancelDeliveryArguments) => Effect.Effect<CourierEnvelope>
  }
>() {}

type Needs =
  | ActorHost
  | CourierClaims
  | CourierRows
  | CourierSettings
  | DeliveryRows
  | DigestKey
  | Dispatch
  | ErrandMemory
  | Geocoder
  | LinkedUsers
  | RateCounter
  | StoreDirectory
  | Runs
  | VehicleRows

export const layerCourier: Layer.Layer<Courier, never, Needs> = Layer.effect(
  Courier,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const provide = <A, E>(effect: Effect.Effect<A, E, Needs>): Effect.Effect<A, E> =>
      provided(effect, context)
    return {
      check: (userId, args) => provide(check(userId, args)),
      reserve: (userId, args) => provide(reserve(userId, args)),
      confirm: (userId, args) => provide(confirm(userId, args)),
      update: (userId, args) => provide(update(userId, args)),
      status: (userId, args) => provide(status(userId, args)),
      cancel: (userId, args) => provide(cancel(userId, args)),
    }
  }),
)
