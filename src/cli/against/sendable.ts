/** What of a scenario a service can be asked over HTTP: why the whole of it cannot run, and which of its checks are left out. */

import { isDeepStrictEqual } from "node:util"
import { instantsOf, midnightOf, wallClockAt, wallClockOf } from "../../model/values/local-time.ts"
import { PERMISSIONS } from "../../model/caller.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { policyOf, rateLimitsOf } from "../../simulation/scenario/language/given-policy.ts"
import type {
  CommandName,
  FieldValues,
  LocalStart,
  Place,
  Scenario,
  Step,
} from "../../simulation/scenario/language/language.ts"
import { SEND } from "./commands.ts"
import { SEE } from "./facts.ts"
import type { Seen } from "./facts.ts"
import { INJECT } from "./faults.ts"

export interface NotSent {
  readonly what: string
  readonly why: string
  /** Null when it is about the head of the file. */
  readonly place: Place | null
}

export interface Means {
  readonly hasOperator: boolean
  /** True when the organization is the key's own, as it is. */
  readonly isOwnOrganization: boolean
  readonly hasDeliverySite: boolean
}

const TOKEN = "it needs an operator's token in CURBLINE_OPERATOR_TOKEN"
const OF_PRODUCTION = "the scenario is about production, where it is refused"

/** Commands that production refuses. */
const SANDBOX_COMMANDS: ReadonlySet<CommandName> = new Set(["delivery.advance", "sandbox.advance"])

/** The first thing without which the rest of the scenario has no meaning; null when it can run. */
export function whyNotRun(scenario: Scenario, means: Means): NotSent | null {
  return givenNotSent(scenario, means) ?? stepNotSent(scenario, means)
}

function givenNotSent(scenario: Scenario, { isOwnOrganization, hasDeliverySite }: Means): NotSent | null {
  const {
    policy,
    keys = [],
    partners = [],
    runners = [],
    operators = [],
    site,
    sites = [],
    delivery,
  } = scenario
  const head = (what: string, why: string): NotSent => ({ what, why, place: null })
  if ((scenario.machineFaults ?? null) !== null)
    return head("machine_faults", "the machines of a running service cannot be made to fail")
  const isUsual =
    isDeepStrictEqual(policyOf(policy), policyOf({})) &&
    isDeepStrictEqual(rateLimitsOf(policy), rateLimitsOf({}))
  if (!isUsual) return head("given: policy", "a running service keeps its policy")
  const other = keys.find(({ fields }) => (fields["environment"] ?? "sandbox") !== "sandbox")
  if (other !== undefined)
    return { what: `the key ${other.as}`, why: "a key of production is never used", place: other.place }
  const [person] = [...runners, ...operators]
  if (person !== undefined) {
    const why = "phones and sessions of a service last in real time"
    return { what: `the shift of ${person.as}`, why, place: person.place }
  }
  if (hasClockChange(scenario))
    return head("clock", "the scenario needs the night in which clocks are put forward or back")
  const foreign = scenario.pickupWebhooks.find(({ of }) => of !== undefined)
  if (foreign !== undefined) {
    const why = "a partner registers endpoints at sites of its own alone"
    return { what: `the endpoint ${foreign.as}`, why, place: foreign.place }
  }
  if (!isOwnOrganization) return null
  if (partners.length + keys.length > 0) return head("given: partners and keys", TOKEN)
  if (sites.length > 0) return head("given: sites", `sites are made for the run; ${TOKEN}`)
  if (site.builtIn !== "domain-north" && site.builtIn !== "sandbox-test")
    return head("given: site", `the site is the service's own; ${TOKEN}`)
  if (delivery !== null && !hasDeliverySite)
    return head("deliveries", "CURBLINE_SITE_ID does not say from which site they start")
  if (delivery !== null && (delivery.vehicles.length > 0 || Object.keys(delivery.fields).length > 0))
    return head("given: delivery_site and vehicles", TOKEN)
  return scenario.permissions.length < PERMISSIONS.length
    ? head("permissions", `the key is the given one; ${TOKEN}`)
    : null
}

function stepNotSent({ steps, environment }: Scenario, means: Means): NotSent | null {
  for (const step of steps) {
    if (step.verb === "refuse" && step.code === "RATE_LIMITED") {
      const why = "limits count in real time, and the run's own calls count too"
      return { what: `refuse ${step.command} with RATE_LIMITED`, why, place: step.place }
    }
    if (step.verb === "inject") {
      const fault = INJECT[step.fault]
      if (typeof fault === "string") return { what: `inject ${step.fault}`, why: fault, place: step.place }
    }
    if (step.verb !== "do") continue
    const why = whyNotSent(step, environment, means)
    if (why !== null) return { what: `do ${step.command}`, why, place: step.place }
  }
  return null
}

/** Why a command cannot be sent; null when it can. */
export function whyNotSent(
  { command, with: fields }: { readonly command: CommandName; readonly with: FieldValues },
  environment: Scenario["environment"],
  { hasOperator }: Pick<Means, "hasOperator">,
): string | null {
  const sendable = SEND[command]
  if (typeof sendable === "string") return sendable
  if (sendable.needsOperator && !hasOperator) return TOKEN
  if (environment === "production" && SANDBOX_COMMANDS.has(command)) return OF_PRODUCTION
  if (command === "key.create" && fields["lasts"] !== undefined) return "keys expire in real time"
  return null
}

/** How a fact is seen, with the fields that are left; or why it is not seen. */
export function seenOf(
  { fact, fields }: Extract<Step, { readonly verb: "at_most" | "expect" | "never" }>,
  { hasOperator }: Pick<Means, "hasOperator">,
):
  | { readonly seen: Seen; readonly fields: FieldValues; readonly left: Readonly<Record<string, string>> }
  | string {
  const seen = SEE[fact]
  if (typeof seen === "string") return seen
  const left: Record<string, string> = {}
  for (const name of Object.keys(fields)) {
    const why = seen.unseen?.[name]
    if (why !== undefined) left[name] = why
    else if (!hasOperator && seen.operated?.includes(name) === true) left[name] = TOKEN
  }
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => left[name] === undefined))
  const isEmpty = Object.keys(kept).every((name) => name === fact || name === "at" || name === "within")
  const [why] = Object.values(left)
  return isEmpty && why !== undefined ? why : { seen, fields: kept, left }
}

/** The same weekday and time of day, at or after an instant, with no change of clocks on the days of the scenario. */
export function startAfter({ clock }: Pick<Scenario, "clock">, nowMs: EpochMs): LocalStart {
  const { timeZone } = clock
  const wall = wallClockOf(clock.local) ?? 0
  const today = midnightOf(wallClockAt(nowMs, timeZone))
  const week = 7 * DAY_MS
  const sinceMidnight = wall - midnightOf(wall)
  const days = (((midnightOf(wall) - today) % week) + week) % week
  for (let midnight = today + days; ; midnight += week) {
    const local = new Date(midnight + sinceMidnight).toISOString().slice(0, 19)
    const [startMs] = instantsOf(midnight + sinceMidnight, timeZone)
    if (startMs === undefined || startMs < nowMs || changesClocks(midnight, timeZone)) continue
    return { local, timeZone }
  }
}

/** A scenario rarely lasts longer. */
const DAYS_LOOKED_AT = 4

function changesClocks(midnight: number, timeZone: string): boolean {
  const offsets = Array.from({ length: DAYS_LOOKED_AT }, (_, day) => {
    const wall = midnight + day * DAY_MS
    return wall - (instantsOf(wall, timeZone)[0] ?? 0)
  })
  return new Set(offsets).size > 1
}

function hasClockChange({ clock }: Scenario): boolean {
  return (
    clock.occurrence !== undefined || changesClocks(midnightOf(wallClockOf(clock.local) ?? 0), clock.timeZone)
  )
}
