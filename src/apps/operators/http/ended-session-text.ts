/** What the sign-in pages of operations and the inspector say about a session that has ended. */

import { OPERATOR_SESSION_MS } from "../../../model/values/limits.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import type { SessionEnd } from "../../portal/people/ended-sessions.ts"

const TEXTS = {
  deactivated: "You were signed out because your account is deactivated. An administrator can activate it.",
  "factor-off": "An administrator switched your second factor off. That ended your sessions.",
  "factor-on": "Your second factor was switched on. That ended your other sessions.",
  over: `You were signed out because a session lasts ${OPERATOR_SESSION_MS / HOUR_MS} hours.`,
  "password-changed": "Your password was changed. That ended your sessions.",
  "token-revoked": "You were signed out because the operator token with which you signed in is revoked.",
} as const satisfies Partial<Record<SessionEnd, string>>

/** Null without a sentence of operations'. */
export function operatorEndText(end: SessionEnd | null): string | null {
  const texts: Partial<Record<SessionEnd, string>> = TEXTS
  return end === null ? null : (texts[end] ?? null)
}
