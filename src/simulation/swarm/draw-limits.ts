/** Limits of calls, in some seeds: so few a minute that calls of a plan meet them. */

import type { GivenPolicy } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"

/** In most seeds no limit: then the plan's own calls go to the services directly, without a key. */
export function drawLimits(chance: Chance): GivenPolicy {
  const ofSeed = chance.happens(120)
  const requests = chance.between(1, 4)
  const reports = chance.between(1, 3)
  const which = chance.of(["both", "requests", "reports"])
  if (!ofSeed) return {}
  return {
    ...(which === "reports" ? {} : { requests_per_minute: requests }),
    ...(which === "requests" ? {} : { bot_reports_per_minute: reports }),
  }
}
