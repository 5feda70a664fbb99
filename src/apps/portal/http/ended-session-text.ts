/** What the sign-in page says about a session that has ended. */

import { SESSIONS_MAX, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from "../../../model/values/limits.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import type { SessionEnd } from "../people/ended-sessions.ts"

const TEXTS = {
  "ended-elsewhere": "You were signed out here from another browser.",
  "factor-off": "The second factor of your account was switched off. That ended its other sessions.",
  "factor-on": "The second factor of your account was switched on. That ended its other sessions.",
  "organization-inactive": "You were signed out because your organization is deactivated.",
  over: `You were signed out because a session lasts ${SESSION_LIFETIME_MS / DAY_MS} days.`,
  "password-changed": "The password of your account was changed. That ended its other sessions.",
  removed:
    "You were signed out because you are no longer a member of the organization in which you were signed in.",
  "role-changed": "Your role in the organization was changed. Sign in to go on with the new one.",
  "too-many": `You were signed out because your account is used in more than ${SESSIONS_MAX} browsers, and this one was unused for the longest time.`,
  unused: `You were signed out because the portal was not used here for ${SESSION_IDLE_MS / HOUR_MS} hours.`,
} as const satisfies Partial<Record<SessionEnd, string>>

/** Null without a sentence of the portal's. */
export function portalEndText(end: SessionEnd | null): string | null {
  const texts: Partial<Record<SessionEnd, string>> = TEXTS
  return end === null ? null : (texts[end] ?? null)
}
