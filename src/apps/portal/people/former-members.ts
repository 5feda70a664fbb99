/**
 * People who have left: their names for audit logs, and the accounts that ended with their last membership. Only who gives
 * the right password of such an account learns why it cannot sign in.
 */

import { Effect } from "effect"
import { KEEP_AUDIT_MS, KEEP_ENDED_ACCOUNTS_MS } from "../../../model/values/limits.ts"
import { AccessRows } from "../../../http/access/rows.ts"
import { Transaction } from "../../../engine/services/host.ts"
import { epochMs, text } from "../../../engine/services/tables/columns.ts"
import { purgeOf } from "../../../engine/services/tables/purge.ts"
import { table } from "../../../engine/services/tables/table.ts"
import type { RowOf } from "../../../engine/services/tables/table.ts"
import { Tables } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { repository } from "../../../engine/services/service.ts"
import type { Account } from "../rows.ts"

export const formerMembers = table("portal_former_members", {
  one: "a former member",
  many: "former members",
  columns: {
    accountId: text(),
    organizationId: text(),
    name: text(),
    leftAtMs: epochMs(),
  },
  key: ["accountId", "organizationId"],
  retention: { from: "leftAtMs", keepMs: KEEP_AUDIT_MS },
  indexes: [
    { name: "portal_former_members_organization", by: ["organizationId"] },
    { name: "portal_former_members_age", by: ["leftAtMs"] },
  ],
})

export const endedAccounts = table("portal_ended_accounts", {
  one: "an account that ended",
  many: "accounts that ended",
  columns: {
    email: text(),
    /** Argon2id in the PHC string format. */
    passwordHash: text(),
    /** The last organization. */
    organizationId: text(),
    endedAtMs: epochMs(),
  },
  key: ["email"],
  retention: { from: "endedAtMs", keepMs: KEEP_ENDED_ACCOUNTS_MS },
  indexes: [{ name: "portal_ended_accounts_age", by: ["endedAtMs"] }],
})

export type EndedAccount = RowOf<typeof endedAccounts>

export class FormerRows extends repository<FormerRows>()(
  "FormerRows",
  Effect.map(Tables, (tables) => {
    const members = tables.of(formerMembers)
    const accounts = tables.of(endedAccounts)
    return {
      noteMember: members.upsert,
      members: (organizationId: string) => members.list({ organizationId }, { order: ["accountId"] }),
      noteAccount: accounts.upsert,
      account: (email: string) => accounts.get({ email }),
      /** A new account of the address takes its place. */
      forgetAccount: (email: string) => accounts.delete({ email }),
      purgeMembers: purgeOf(formerMembers, members),
      purgeAccounts: purgeOf(endedAccounts, accounts),
    }
  }),
) {}

/** Inside the transaction that ends a membership. */
export const noteLeft = Routine.fn(function* ({ accountId, organizationId, name }: Account) {
  const { nowMs: leftAtMs } = yield* Transaction
  yield* (yield* FormerRows).noteMember({ accountId, organizationId, name, leftAtMs })
})

/** Inside the transaction that deletes an account. */
export const noteEnded = Routine.fn(function* ({ email, passwordHash, organizationId }: Account) {
  const { nowMs: endedAtMs } = yield* Transaction
  yield* (yield* FormerRows).noteAccount({ email, passwordHash, organizationId, endedAtMs })
})

/** The name of the organization in which an account ended. */
export const lastOrganizationOf = Routine.fn(function* ({ organizationId }: EndedAccount) {
  const organization = yield* (yield* AccessRows).organization(organizationId)
  return organization?.name ?? "its last organization"
})
