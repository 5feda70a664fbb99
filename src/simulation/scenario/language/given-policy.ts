/** The policy of a scenario: the contract's defaults, and what the file changes. */

import { DEFAULT_RATE_LIMITS } from "../../../http/access/rate-limits.ts"
import type { RateLimits } from "../../../http/access/rate-limits.ts"
import { DEFAULT_POLICY } from "../../../engine/services/policies.ts"
import type { EnvironmentPolicy } from "../../../engine/services/policies.ts"
import { durationIfGiven, numberIfGiven } from "./field-values.ts"
import type { GivenPolicy } from "./language.ts"

export function policyOf(given: GivenPolicy): EnvironmentPolicy {
  const ms = (name: string, usual: number): number => durationIfGiven(given, name) ?? usual
  const { window, reservation } = DEFAULT_POLICY
  return {
    ...DEFAULT_POLICY,
    window: {
      aheadMsMax: ms("window_ahead_max", window.aheadMsMax),
      widthMsMin: ms("window_width_min", window.widthMsMin),
      widthMsMax: ms("window_width_max", window.widthMsMax),
    },
    reservation: {
      ...reservation,
      windowGraceMs: ms("window_grace", reservation.windowGraceMs),
      botWaitMs: ms("bot_wait", reservation.botWaitMs),
      stagingLeadMs: ms("staging_lead", reservation.stagingLeadMs),
      openLinkAttemptsMax: numberIfGiven(given, "open_link_attempts") ?? reservation.openLinkAttemptsMax,
    },
    announcesHandoffs: given["announces_handoffs"] !== false,
  }
}

/** The contract's rate limits, and what the file changes. */
export function rateLimitsOf(given: GivenPolicy): RateLimits {
  const usual = DEFAULT_RATE_LIMITS.perMinute
  return {
    perMinute: {
      ...usual,
      requests: numberIfGiven(given, "requests_per_minute") ?? usual.requests,
      "bot-reports": numberIfGiven(given, "bot_reports_per_minute") ?? usual["bot-reports"],
    },
  }
}
