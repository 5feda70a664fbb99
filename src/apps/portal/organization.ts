/** The organization for its people: profile, API keys, and the recipient of notices. */

import type { Environment } from "../../model/caller.ts"
import { TurnedAway } from "../../model/values/errors.ts"
import { API_KEYS_MAX } from "../../model/values/limits.ts"
import type { ChangeProfileRequest, MakeKeyRequest } from "../../model/requests/portal.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ApiKeys, isValid, lockOf } from "../../http/access/api-keys.ts"
import type { ApiKeyRecord, MadeApiKey, RolledApiKey } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { requireEnvironment, requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { noteMilestone } from "./milestones.ts"
import { notFound } from "./refusals.ts"
import { PortalRows, ProfileRows } from "./rows.ts"

/** A key as people of its organization read it. */
export interface KeyView extends ApiKeyRecord {
  /** The name of the member who made it; null for keys of operations and of people who have left. */
  readonly createdByName: string | null
  readonly usedAtMs: EpochMs | null
}

export interface MadeKeyView extends Pick<MadeApiKey, "value"> {
  readonly key: KeyView
}

export interface ProfileView {
  readonly organization: Organization
  readonly contactEmail: string | null
}

export class PortalOrganization extends service<PortalOrganization>()("PortalOrganization", () => ({
  profile: (caller: PortalCaller) => profileOf(caller.organization),
  changeProfile,
  keys,
  makeKey,
  labelKey,
  rollKey,
  revokeKey,
})) {}

const profileOf = Routine.fn(function* (organization: Organization) {
  const rows = yield* ProfileRows
  const profile = yield* rows.profile(organization.organizationId)
  return { organization, contactEmail: profile?.contactEmail ?? null } satisfies ProfileView
})

const changeProfile = Routine.fn(function* (caller: PortalCaller, change: ChangeProfileRequest) {
  yield* requireOwner(caller)
  const host = yield* ActorHost
  const access = yield* AccessRows
  const profiles = yield* ProfileRows
  const { organizationId } = caller.organization
  return yield* host.run({
    name: "change an organization's profile",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const { name, contact_email: contactEmail } = change
      if (name !== undefined) yield* access.changeOrganization(organizationId, { name, updatedAtMs: nowMs })
      if (contactEmail !== undefined) {
        yield* profiles.putProfile({ organizationId, contactEmail, updatedAtMs: nowMs })
        yield* noteMilestone({ organizationId, environment: "sandbox" }, "profile_set")
      }
      const organization = yield* access.organization(organizationId)
      return yield* profileOf(organization ?? caller.organization)
    }),
  })
})

/** The contact, or without one the oldest owner; null without either. Notices about an organization are sent there. */
export const contactOf = Routine.fn(function* (organizationId: string) {
  const profiles = yield* ProfileRows
  const rows = yield* PortalRows
  const profile = yield* profiles.profile(organizationId)
  if (profile !== null) return profile.contactEmail
  const accounts = yield* rows.accounts(organizationId)
  return accounts.find(({ role }) => role === "owner")?.email ?? null
})

/** Oldest first, including revoked ones. */
const keys = Routine.fn(function* (caller: PortalCaller, environment: Environment) {
  const { organizationId } = caller.organization
  return yield* shown(caller, yield* (yield* ApiKeys).list({ organizationId, environment }))
})

/** With the names of those who made them, and their last uses. */
const shown = Routine.fn(function* (
  { organization: { organizationId } }: PortalCaller,
  records: readonly ApiKeyRecord[],
) {
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const uses = yield* (yield* AccessRows).keyUses(organizationId)
  const nameById = new Map(members.map(({ accountId, name }) => [accountId, name]))
  const usedAtMsById = new Map(uses.map(({ keyId, usedAtMs }) => [keyId, usedAtMs]))
  return records.map((record): KeyView => ({
    ...record,
    createdByName: record.createdBy === null ? null : (nameById.get(record.createdBy) ?? null),
    usedAtMs: usedAtMsById.get(record.keyId) ?? null,
  }))
})

const shownOne = Routine.fn(function* (caller: PortalCaller, record: ApiKeyRecord) {
  const [view] = yield* shown(caller, [record])
  return view ?? { ...record, createdByName: null, usedAtMs: null }
})

/** A production key moves real vehicles and costs money, so only owners create, change and revoke them. */
const makeKey = Routine.fn(function* (
  caller: PortalCaller,
  environment: Environment,
  { permissions, label = null, expires_at: expiresAtMs = null }: MakeKeyRequest,
) {
  if (environment === "production") yield* requireOwner(caller)
  yield* requireEnvironment(caller, environment)
  yield* requireRoom(caller)
  const { organizationId } = caller.organization
  const createdBy = caller.account.accountId
  const request = { organizationId, environment, permissions, label, createdBy, expiresAtMs }
  const { key, value } = yield* (yield* ApiKeys).make(request)
  return { key: yield* shownOne(caller, key), value } satisfies MadeKeyView
})

const requireRoom = Routine.fn(function* ({ organization }: PortalCaller) {
  const nowMs = yield* Routine.nowMs
  const known = yield* (yield* AccessRows).keys(organization.organizationId)
  if (known.filter((key) => isValid(key, nowMs)).length >= API_KEYS_MAX) {
    return yield* new TurnedAway({ code: "LIMIT_REACHED" })
  }
})

/** A key of the caller's organization that the caller may change. */
const ownKey = Routine.fn(function* (caller: PortalCaller, keyId: string) {
  const own = yield* (yield* AccessRows).keys(caller.organization.organizationId)
  const key = own.find((one) => one.keyId === keyId)
  if (key === undefined) return yield* notFound()
  if (key.environment === "production") yield* requireOwner(caller)
  return key
})

const labelKey = Routine.fn(function* (caller: PortalCaller, change: Pick<ApiKeyRecord, "keyId" | "label">) {
  const { environment } = yield* ownKey(caller, change.keyId)
  return yield* shownOne(caller, yield* (yield* ApiKeys).label(environment, change))
})

/** Makes a key that replaces another one, which stays valid for the overlap. */
const rollKey = Routine.fn(function* (
  caller: PortalCaller,
  { keyId, overlapMs }: Pick<RolledApiKey, "keyId" | "overlapMs">,
) {
  const { environment } = yield* ownKey(caller, keyId)
  // Without an overlap the number of valid keys stays the same.
  if (overlapMs > 0) yield* requireRoom(caller)
  const createdBy = caller.account.accountId
  const rolled = yield* (yield* ApiKeys).roll({ environment, keyId, overlapMs, createdBy })
  return {
    key: yield* shownOne(caller, rolled.key),
    value: rolled.value,
    old: yield* shownOne(caller, rolled.old),
  }
})

const revokeKey = Routine.fn(function* (caller: PortalCaller, keyId: string) {
  const { environment } = yield* ownKey(caller, keyId)
  return yield* shownOne(caller, yield* (yield* ApiKeys).revoke(environment, keyId))
})
