/** Permissions: the check that every command of a partner makes first. */

import type { Caller, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { Routine } from "./routine.ts"

/** Refuses a partner whose key lacks the permission. Operators have tokens of their own. */
export function requirePermission(caller: Caller, permission: Permission): Routine<void, Refused> {
  if (caller.type === "operator" || caller.permissions.includes(permission)) return Routine.void
  return Routine.fail(new Refused({ code: "PERMISSION_DENIED", detail: `needs ${permission}` }))
}
