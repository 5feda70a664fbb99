/**
 * Why sessions ended, so that the sign-in page can say it. Only the browser that has a session's cookie learns the reason: rows are
 * found by the hash of its value alone. Operators' sessions have their rows here, too.
 */

import { SESSION_END_KNOWN_MS } from "../../../model/values/limits.ts"
import { choice, epochMs, text } from "../../../engine/services/tables/columns.ts"
import { table } from "../../../engine/services/tables/table.ts"
import type { RowOf } from "../../../engine/services/tables/table.ts"

/** A sign-out is none: its person knows. */
export type SessionEnd =
  | "deactivated"
  | "ended-elsewhere"
  | "factor-off"
  | "factor-on"
  | "organization-inactive"
  /** After its time. */
  | "over"
  | "password-changed"
  | "removed"
  | "role-changed"
  | "token-revoked"
  | "too-many"
  /** After too long a pause. */
  | "unused"

export const endedSessions = table("ended_sessions", {
  one: "an ended session",
  many: "ended sessions",
  columns: {
    /** SHA-256 of the session's value. */
    tokenHash: text(),
    reason: choice<SessionEnd>(),
    endedAtMs: epochMs(),
  },
  key: ["tokenHash"],
  retention: { from: "endedAtMs", keepMs: SESSION_END_KNOWN_MS },
  indexes: [{ name: "ended_sessions_age", by: ["endedAtMs"] }],
})

export type EndedSession = RowOf<typeof endedSessions>
