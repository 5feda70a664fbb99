/** Linked users: the people behind the tokens, for the rest of the service. */

import { LinkedUserRows } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class LinkedUsers extends service<LinkedUsers>()("LinkedUsers", () => ({
  /** The verified number in E.164; null when there is no such user, or when the number was blanked. */
  phoneOf: (userId: string) => Routine.map(user(userId), (found) => found?.phone ?? null),
  /** The organization whose test user it is; null in production and for an unknown user. */
  organizationOf: (userId: string) => Routine.map(user(userId), (found) => found?.organizationId ?? null),
  /** False once an operator has disabled the number, and for an unknown user. */
  isEnabled: (userId: string) => Routine.map(user(userId), (found) => found?.isEnabled === true),
})) {}

function user(userId: string) {
  return Routine.flatMap(LinkedUserRows, (rows) => rows.user(userId))
}
