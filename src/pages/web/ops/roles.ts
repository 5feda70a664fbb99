/** The roles of operators, in words. */

import type { Role } from "./session.ts"

export const ROLE_OPTIONS: readonly (readonly [Role, string])[] = [
  ["viewer", "Viewer: reads, personal data masked"],
  ["dispatcher", "Dispatcher: tasks, runs, phones"],
  ["manager", "Manager: sites, prices, approvals"],
  ["admin", "Administrator: accounts, tokens, connector"],
]
