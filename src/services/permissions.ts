/** Permissions: the check that every command of a partner makes first. */

import { Effect } from "effect"
import type { Caller, Permission } from "../model/caller.ts"
import { Refused } from "../model/errors.ts"

/** Refuses a partner whose key lacks the permission. Operators have tokens of their own. */
export function requirePermission(caller: Caller, permission: Permission): Effect.Effect<void, Refused> {
  if (caller.type === "operator" || caller.permissions.includes(permission)) return Effect.void
  return Effect.fail(new Refused({ code: "PERMISSION_DENIED", detail: `needs ${permission}` }))
}
