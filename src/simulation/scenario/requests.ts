/** Facts about the requests that a receiver got: how many there were, how many it accepted, and when they came. */

import { listed } from "../../model/values/listed.ts"
import { isAccepted } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import { counted } from "./language/counted.ts"
import { numberIfGiven, textIfGiven, timesIfGiven } from "./language/field-values.ts"
import type { Finding } from "./finding.ts"
import type { FieldValues } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"

type Timed = Pick<RunContext, "clock" | "stepMs">

interface Requests {
  /** The event and its receiver. */
  readonly what: string
  /** Those that fit the step's fields; `previous_status` is compared here. */
  readonly requests: readonly ReceivedRequest[]
  /** The same for every attempt of one event. */
  readonly idOf: (request: ReceivedRequest) => string | undefined
  /** Null for what has just been booked, undefined for events that have none. */
  readonly previousOf: (request: ReceivedRequest) => string | null | undefined
}

/** Counts the requests about an event. */
export function countRequests(
  run: Timed,
  fields: FieldValues,
  { what, requests, idOf, previousOf }: Requests,
): Finding {
  const previous = fields["previous_status"]
  const fitting =
    previous === undefined ? requests : requests.filter((request) => previousOf(request) === previous)
  const accepted = new Set(fitting.filter(isAccepted).map(idOf))
  const times = numberIfGiven(fields, "times")
  const attempts = numberIfGiven(fields, "attempts")
  const attempted = compareTimes(run, fields, fitting)
  const isCounted = attempts !== undefined || attempted !== null
  const holds =
    (times === undefined ? isCounted || accepted.size > 0 : accepted.size === times) &&
    (attempts === undefined || fitting.length === attempts) &&
    attempted?.holds !== false
  const wanted = [
    ...(times === undefined ? [] : [`accepted ${counted(times, "time")}`]),
    ...(attempts === undefined ? [] : [`requested ${counted(attempts, "time")}`]),
    ...(attempted === null ? [] : [`requested ${attempted.expected}`]),
  ]
  const befores = new Map(requests.map((request) => [idOf(request), previousText(previousOf(request))]))
  const isAsked = previous !== undefined
  const only = isAsked
    ? ` with ${previousText(previous === null ? null : textIfGiven(fields, "previous_status"))}`
    : ""
  const found = isAsked ? `, ${beforesText([...befores.values()])}` : ""
  const requested = `requested ${counted(fitting.length, "time")}`
  return {
    holds,
    expected: `${what}${only} is ${wanted.length === 0 ? "accepted" : listed(wanted)}`,
    actual: `it was accepted ${counted(accepted.size, "time")} and ${requested}${attempted === null || fitting.length === 0 ? "" : ` ${attempted.actual}`}${found}`,
    group: null,
    isLost:
      (times !== undefined && accepted.size > times) ||
      (attempts !== undefined && fitting.length > attempts) ||
      attempted?.isLost === true,
  }
}

function previousText(status: string | null | undefined): string {
  return status === null || status === undefined ? "no previous_status" : `previous_status ${status}`
}

function beforesText(befores: readonly string[]): string {
  if (befores.length === 0) return "and no such event came"
  return `and ${befores.length === 1 ? "its event" : "its events"} had ${listed(befores)}`
}

interface ComparedTimes extends Pick<Finding, "actual" | "expected" | "holds"> {
  /** True when a request came at another time, which no later one can mend. */
  readonly isLost: boolean
}

/** The times of requests beside `attempted_at`; null when the step does not give it. */
export function compareTimes(
  run: Timed,
  fields: FieldValues,
  requests: readonly ReceivedRequest[],
): ComparedTimes | null {
  const times = timesIfGiven(fields, "attempted_at")
  if (times === undefined) return null
  const wanted = times.map((time) => run.clock.showToSecond(run.clock.resolve(time, run.stepMs)))
  const found = requests.map(({ atMs, instantMs }) => run.clock.showToSecond(instantMs ?? atMs))
  const isLost = found.some((shown, index) => shown !== wanted[index])
  return {
    holds: !isLost && found.length === wanted.length,
    isLost,
    expected: atTimes(wanted),
    actual: atTimes(found),
  }
}

function atTimes(times: readonly string[]): string {
  return times.length === 0 ? "at no time" : `at ${listed(times)}`
}
