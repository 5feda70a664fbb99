/** The organization for its people: profile, API keys, and the recipient of notices. */

import { Clock, Context, Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { TurnedAway } from "../model/errors.ts"
import { API_KEYS_MAX } from "../model/limits.ts"
import type { ChangeProfileRequest, MakeKeyRequest } from "../model/portal.ts"
import { ApiKeys, lockOf } from "../areas/access/api-keys.ts"
import type { ApiKeyRecord, MadeApiKey } from "../areas/access/api-keys.ts"
import { AccessRows } from "../areas/access/rows.ts"
import type { Organization } from "../areas/access/rows.ts"
import { ActorHost, Transaction } from "../services/host.ts"
import { requireEnvironment, requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { notFound } from "./refusals.ts"
import type { PortalRefusal } from "./refusals.ts"
import { PortalRows, ProfileRows } from "./rows.ts"

export interface ProfileView {
  readonly organization: Organization
  readonly contactEmail: string | null
}

export class PortalOrganization extends Context.Tag("PortalOrganization")<
  PortalOrganization,
  {
    readonly profile: (caller: PortalCaller) => Effect.Effect<ProfileView>
    readonly changeProfile: (
      caller: PortalCaller,
      change: ChangeProfileRequest,
    ) => Effect.Effect<ProfileView, PortalRefusal>
    /** Oldest first, including revoked ones. */
    readonly keys: (
      caller: PortalCaller,
      environment: Environment,
    ) => Effect.Effect<readonly ApiKeyRecord[], PortalRefusal>
    readonly makeKey: (
      caller: PortalCaller,
      environment: Environment,
      request: MakeKeyRequest,
    ) => Effect.Effect<MadeApiKey, PortalRefusal>
    readonly revokeKey: (caller: PortalCaller, keyId: string) => Effect.Effect<ApiKeyRecord, PortalRefusal>
  }
>() {}

type Needs = AccessRows | ActorHost | ApiKeys | PortalRows | ProfileRows

export const layerPortalOrganization: Layer.Layer<PortalOrganization, never, Needs> = Layer.effect(
  PortalOrganization,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      profile: (caller) => Effect.provide(profileOf(caller.organization), context),
      changeProfile: (caller, change) => Effect.provide(changeProfile(caller, change), context),
      keys: (caller, environment) => Effect.provide(keys(caller, environment), context),
      makeKey: (caller, environment, request) =>
        Effect.provide(makeKey(caller, environment, request), context),
      revokeKey: (caller, keyId) => Effect.provide(revokeKey(caller, keyId), context),
    }
  }),
)

const profileOf = Effect.fnUntraced(function* (organization: Organization) {
  const rows = yield* ProfileRows
  const profile = yield* rows.profile(organization.organizationId)
  return { organization, contactEmail: profile?.contactEmail ?? null } satisfies ProfileView
})

const changeProfile = Effect.fnUntraced(function* (caller: PortalCaller, change: ChangeProfileRequest) {
  yield* requireOwner(caller)
  const host = yield* ActorHost
  const access = yield* AccessRows
  const profiles = yield* ProfileRows
  const { organizationId } = caller.organization
  return yield* host.run({
    name: "change an organization's profile",
    locks: { key: lockOf(organizationId) },
    body: Effect.fnUntraced(function* () {
      const { nowMs } = yield* Transaction
      const { name, contact_email: contactEmail } = change
      if (name !== undefined) yield* access.changeOrganization(organizationId, { name, updatedAtMs: nowMs })
      if (contactEmail !== undefined) {
        yield* profiles.putProfile({ organizationId, contactEmail, updatedAtMs: nowMs })
      }
      const organization = yield* access.organization(organizationId)
      return yield* profileOf(organization ?? caller.organization)
    }),
  })
})

/** The contact, or without one the oldest owner; null without either. Notices about an organization are sent there. */
export const contactOf = Effect.fnUntraced(function* (organizationId: string) {
  const profiles = yield* ProfileRows
  const rows = yield* PortalRows
  const profile = yield* profiles.profile(organizationId)
  if (profile !== null) return profile.contactEmail
  const accounts = yield* rows.accounts(organizationId)
  return accounts.find(({ role }) => role === "owner")?.email ?? null
})

const keys = Effect.fnUntraced(function* ({ organization }: PortalCaller, environment: Environment) {
  return yield* (yield* ApiKeys).list({ organizationId: organization.organizationId, environment })
})

/** A production key moves real vehicles and costs money, so only owners create and revoke them. */
const makeKey = Effect.fnUntraced(function* (
  caller: PortalCaller,
  environment: Environment,
  { permissions, expires_at: expiresAtMs = null }: MakeKeyRequest,
) {
  if (environment === "production") yield* requireOwner(caller)
  yield* requireEnvironment(caller, environment)
  const nowMs = yield* Clock.currentTimeMillis
  const { organizationId } = caller.organization
  const alive = (yield* (yield* AccessRows).keys(organizationId)).filter(
    (key) => key.revokedAtMs === null && (key.expiresAtMs === null || nowMs < key.expiresAtMs),
  )
  if (alive.length >= API_KEYS_MAX) return yield* new TurnedAway({ code: "LIMIT_REACHED" })
  return yield* (yield* ApiKeys).make({ organizationId, environment, permissions, expiresAtMs })
})

const revokeKey = Effect.fnUntraced(function* (caller: PortalCaller, keyId: string) {
  const own = yield* (yield* AccessRows).keys(caller.organization.organizationId)
  const key = own.find((one) => one.keyId === keyId)
  if (key === undefined) return yield* notFound()
  if (key.environment === "production") yield* requireOwner(caller)
  return yield* (yield* ApiKeys).revoke(key.environment, keyId)
})
