/** Courier: the operations of an agent for one linked user. Source: courier connector contract, tools. */

import { cancel, status } from "./cancel.ts"
import { check } from "./check.ts"
import { confirm } from "./confirm.ts"
import { reserve } from "./reserve.ts"
import { update } from "./update.ts"
import { service } from "../../engine/services/service.ts"

/**
 * One method for each tool. Arguments are decoded; `userId` is the owner of the token, and deliveries of other users do
 * not exist for that user. Every answer is an envelope: success and decline without `error`, a refusal with it. Only a
 * broken invariant or a lost database is a defect, which the MCP layer answers as `internal_error`.
 */
export class Courier extends service<Courier>()("Courier", () => ({
  check,
  reserve,
  confirm,
  update,
  status,
  cancel,
})) {}
