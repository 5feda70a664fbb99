/**
 * The tools and the checkout page for the test users of organizations: the same commands as in production, under the settings, the
 * stores and the clock of the user's organization.
 */

import { Effect, Layer } from "effect"
import { cancel, status } from "../courier/cancel.ts"
import { check } from "../courier/check.ts"
import { CourierCheckout, pay, view } from "../courier/checkout.ts"
import { confirm } from "../courier/confirm.ts"
import { Courier } from "../courier/courier.ts"
import { reserve } from "../courier/reserve.ts"
import { CourierRows } from "../courier/rows.ts"
import { CourierSettings, purposesOf, settingsIn } from "../courier/settings.ts"
import { StoreDirectory } from "../courier/directory/store-directory.ts"
import { update } from "../courier/update.ts"
import { SandboxClock } from "../clock/sandbox-clock.ts"
import type { TrackingLinks } from "../direct-delivery/tracking-links.ts"
import { LinkedUsers } from "../linking/linked-users.ts"
import { inTimeOf } from "../../engine/services/organization-clock.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { readToken } from "../../engine/services/signed-links.ts"
import { testDirectory } from "./test-stores.ts"

/** Runs with the settings and the stores of an organization's sandbox. */
export function inSandboxOf<A, E, R>(
  organizationId: string,
  effect: Effect.Effect<A, E, R>,
): Routine<A, E, CourierSettings | TrackingLinks | Exclude<Exclude<R, StoreDirectory>, CourierSettings>> {
  return Routine.flatMap(settingsIn(organizationId), (settings) => {
    const directory = testDirectory(organizationId, settings.timeZone)
    const withStores = Routine.provideService(effect, StoreDirectory, directory)
    return Routine.provideService(withStores, CourierSettings, settings)
  })
}

/** The same on the organization's clock, which the sandbox's own API has set already. */
function onClockOf<A, E, R>(organizationId: string, effect: Effect.Effect<A, E, R>) {
  return Routine.gen(function* () {
    const clock = yield* (yield* SandboxClock).state(organizationId)
    return yield* inTimeOf(clock, inSandboxOf(organizationId, effect))
  })
}

function ofUser<A, E, R>(userId: string, effect: Effect.Effect<A, E, R>) {
  return Routine.gen(function* () {
    const organizationId = yield* (yield* LinkedUsers).organizationOf(userId)
    // Its token was admitted a moment ago, so the number was removed meanwhile.
    if (organizationId === null) return yield* Routine.dieMessage(`${userId} is no test user any more`)
    return yield* onClockOf(organizationId, effect)
  })
}

function ofLink<A, E, R>(token: string, effect: Effect.Effect<A, E, R>) {
  return Routine.gen(function* () {
    const { linkKey } = yield* CourierSettings
    const link = readToken(SANDBOX_LINKS.pay, token, linkKey)
    const row = link === null ? null : yield* (yield* CourierRows).byId(link.deliveryId)
    const organizationId = row?.organizationId ?? null
    return organizationId === null ? UNKNOWN : yield* onClockOf(organizationId, effect)
  })
}

const UNKNOWN = { type: "unknown" } as const

/** The purpose does not depend on the organization. */
const SANDBOX_LINKS = purposesOf({ organizationId: "" })

type Tools = Layer.Layer.Context<typeof Courier.layer>

type Around = CourierSettings | LinkedUsers | SandboxClock | TrackingLinks

export const layerSandboxCourier: Layer.Layer<Courier, never, Around | Exclude<Tools, StoreDirectory>> =
  Layer.effect(
    Courier,
    Effect.gen(function* () {
      const context = yield* Effect.context<Around | Exclude<Tools, StoreDirectory>>()
      return {
        check: (userId, args) => provided(ofUser(userId, check(userId, args)), context),
        reserve: (userId, args) => provided(ofUser(userId, reserve(userId, args)), context),
        confirm: (userId, args) => provided(ofUser(userId, confirm(userId, args)), context),
        update: (userId, args) => provided(ofUser(userId, update(userId, args)), context),
        status: (userId, args) => provided(ofUser(userId, status(userId, args)), context),
        cancel: (userId, args) => provided(ofUser(userId, cancel(userId, args)), context),
      }
    }),
  )

type Pages = CourierRows | Layer.Layer.Context<typeof CourierCheckout.layer>

export const layerSandboxCheckout: Layer.Layer<CourierCheckout, never, Around | Pages> = Layer.effect(
  CourierCheckout,
  Effect.gen(function* () {
    const context = yield* Effect.context<Around | Pages>()
    return {
      view: (token) => provided(ofLink(token, view(token)), context),
      pay: (token, instrument) => provided(ofLink(token, pay(token, instrument)), context),
    }
  }),
)
