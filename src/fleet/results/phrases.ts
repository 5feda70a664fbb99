/** Words for cases and sentences. */

import { counted } from "../../simulation/scenario/counted.ts"
import type { FleetCase } from "../language/cases.ts"
import { RESOURCES } from "../language/metrics.ts"

/** `5 runners`, `1 runner and 4 stalls`, `dispatch first_booked`. */
export function casePhrase(settings: FleetCase): string {
  if (settings.length === 0) return "the model as written"
  return settings
    .map(([setting, value]) => {
      if (RESOURCES.some((one) => one === setting)) return counted(Number(value), setting.slice(0, -1))
      if (setting === "vehicle_dispatch") return `policy ${value}`
      return setting === "demand" ? `${value} times the demand` : `${setting} ${value}`
    })
    .join(" and ")
}

/**
 * From one case to the next, a line for each setting: `3 to 4` where one setting is swept, and with more `cooks 3 to 4`
 * and `stalls 2`, because another pair may change the same setting in the same way.
 */
export function stepLines(from: FleetCase, to: FleetCase): readonly string[] {
  return to.map(([setting, value], at) => {
    const before = from[at]?.[1]
    const change = before === value ? String(value) : `${before} to ${value}`
    const isNamed = to.length > 1 && !POLICIES.has(setting)
    return isNamed ? `${setting} ${change}` : change
  })
}

/** Settings whose values are words that say what they are. */
const POLICIES: ReadonlySet<string> = new Set(["dispatch", "vehicle_dispatch"])

/** A verb whose subject is a case: `keep` for 5 runners, `keeps` for one. */
export function verb(settings: FleetCase, word: string): string {
  const [first] = settings
  const isMany =
    settings.length > 1 ||
    (first !== undefined && RESOURCES.some((one) => one === first[0]) && first[1] !== 1)
  return isMany ? word : `${word}s`
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
