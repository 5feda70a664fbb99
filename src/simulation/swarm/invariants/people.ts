/**
 * What runners and operators may do, written from the words of their shifts and roles: who is on shift is computed from the plan, not
 * from any session.
 */

import { RUNNER_SHIFT_MS } from "../../../model/values/limits.ts"
import type { RunnerCall } from "../../../areas/runner-phones/runner-calls.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { textIfGiven, timeIfGiven } from "../../scenario/language/field-values.ts"
import type { GivenCaller, Pause } from "../../scenario/language/language.ts"
import { siteIdOf } from "../../scenario/language/worlds.ts"
import type { Answered, SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Plan } from "../plan.ts"
import { contextOf } from "../seen.ts"

const hasPeople = ({ world: { runners = [], operators = [] } }: Plan): boolean =>
  runners.length + operators.length > 0

/** A sign-in or a sign-out whose commit is lost has not happened; a restored backup has the sessions of its time. */
const isSignedInOnTime = (plan: Plan): boolean =>
  hasPeople(plan) && plan.faults.lostCommits === 0 && plan.faults.restoresAtMs === null

const ONLY_WITH_PEOPLE = "only with runners or operators"

export const PEOPLE_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "people outside of their shift do nothing, and are asked to sign in",
    holdsFor: isSignedInOnTime,
    where: "only with runners or operators; not with lost commits or a restored backup",
    check: offShift,
  },
  {
    sentence: "people on their shift are not asked to sign in",
    holdsFor: isSignedInOnTime,
    where: "only with runners or operators; not with lost commits or a restored backup",
    check: onShift,
  },
  {
    sentence: "a task is taken only by a runner who is on shift at its site",
    holdsFor: isSignedInOnTime,
    where: "only with runners or operators; not with lost commits or a restored backup",
    check: takenOnShift,
  },
  {
    sentence: "a phone moves only the tasks of its runner",
    holdsFor: hasPeople,
    where: ONLY_WITH_PEOPLE,
    check: ownTasks,
  },
  {
    sentence: "a call to runners belongs to the first who answers, and to no other",
    holdsFor: hasPeople,
    where: ONLY_WITH_PEOPLE,
    check: () => firstAnswer(),
  },
  {
    sentence: "an operator does what the role allows, at the sites of the operator, and nothing else",
    holdsFor: hasPeople,
    where: ONLY_WITH_PEOPLE,
    check: withinRights,
  },
]

/** Nothing is said of the very instants at which a shift or a break begins or ends. */
type Standing = "at an end" | "off shift" | "on shift"

type Standings = (person: GivenCaller, atMs: EpochMs) => Standing

function standings({ run: { clock } }: Watched): Standings {
  const { startMs } = clock
  return ({ fields }, atMs) => {
    if (fields["known"] === false) return "off shift"
    const from = timeIfGiven(fields, "from")
    const to = timeIfGiven(fields, "to")
    const fromMs = from === undefined ? startMs : clock.resolve(from, startMs)
    const toMs = to === undefined ? Number.POSITIVE_INFINITY : clock.resolve(to, startMs)
    const pauses = ((fields["breaks"] as readonly Pause[] | undefined) ?? []).map(
      (one) => [clock.resolve(one.from, startMs), clock.resolve(one.to, startMs)] as const,
    )
    const signedInMs = Math.max(
      ...[startMs, fromMs, ...pauses.map(([, endMs]) => endMs)].filter((ms) => ms <= atMs),
    )
    const sessionMs = signedInMs + RUNNER_SHIFT_MS
    const ends = [fromMs, toMs, sessionMs, ...pauses.flat()]
    if (atMs !== startMs && ends.includes(atMs)) return "at an end"
    const isIn = atMs >= fromMs && atMs < toMs && atMs < sessionMs
    const isOut = pauses.some(([beginMs, endMs]) => beginMs <= atMs && atMs < endMs)
    return isIn && !isOut ? "on shift" : "off shift"
  }
}

const ASKED_TO_SIGN_IN: readonly string[] = ["INVALID_OPERATOR_TOKEN", "SIGN_IN_REQUIRED"]

function codeOf({ outcome }: Answered): string {
  return outcome.type === "refused" ? outcome.code : outcome.type
}

function personIn({ world: { runners = [], operators = [] } }: Plan, name: string): GivenCaller | undefined {
  return [...runners, ...operators].find(({ as }) => as === name)
}

/** Calls of people that were answered within the instant at which they came. */
function onPersonsCall(
  watched: Watched,
  check: (call: {
    readonly person: GivenCaller
    readonly code: string
    readonly command: string
    readonly standing: Standing
  }) => string | null,
): SwarmCheck {
  const standingOf = standings(watched)
  return {
    onPerson: (answered) => {
      const { act } = answered.move
      const person = act.verb === "do" ? personIn(watched.plan, act.by ?? "") : undefined
      const code = codeOf(answered)
      if (act.verb !== "do" || person === undefined || code === "lost") return null
      if (answered.startedMs !== answered.endedMs) return null
      const standing = standingOf(person, answered.startedMs)
      return check({ person, code, command: act.command, standing })
    },
  }
}

function offShift(watched: Watched): SwarmCheck {
  return onPersonsCall(watched, ({ person, code, command, standing }) =>
    standing !== "off shift" || ASKED_TO_SIGN_IN.includes(code)
      ? null
      : `${command} by ${person.as}, who is off shift, was answered ${code}`,
  )
}

function onShift(watched: Watched): SwarmCheck {
  return onPersonsCall(watched, ({ person, code, command, standing }) =>
    standing === "on shift" && ASKED_TO_SIGN_IN.includes(code)
      ? `${command} by ${person.as}, who is on shift, was answered ${code}`
      : null,
  )
}

/** Runners that operations assign have other names than those with a phone. */
function takenOnShift(watched: Watched): SwarmCheck {
  const standingOf = standings(watched)
  const runnerByGroup = new Map<string, unknown>()
  return {
    onTurn: ({ group }, { atMs }) => {
      const { runnerId } = contextOf(group, `${group.address}/runner-task`)
      if (runnerId === undefined || runnerId === null) return null
      if (runnerByGroup.get(group.address) === runnerId) return null
      runnerByGroup.set(group.address, runnerId)
      const runner = watched.plan.world.runners?.find(({ as }) => as === runnerId)
      if (runner === undefined) return null
      const zoneId = contextOf(group, group.address)["zoneId"]
      const site = watched.run.world.sites.find(({ zones }) => zones.some((zone) => zone.zoneId === zoneId))
      const own = siteIdOf(watched.run, textIfGiven(runner.fields, "site"))
      if (site?.siteId !== own) return `${runner.as}, who works at ${own}, has a task at ${site?.siteId}`
      return standingOf(runner, atMs) === "off shift" ? `${runner.as}, who is off shift, took a task` : null
    },
  }
}

function ownTasks({ plan, run }: Watched): SwarmCheck {
  const { groups } = run.service.host
  return {
    onPerson: ({ move: { act }, outcome }) => {
      if (act.verb !== "do" || outcome.type !== "taken") return null
      const { by, command, for: subject } = act
      if (subject === null || plan.world.runners?.some(({ as }) => as === by) !== true) return null
      const group = groups.get(`reservation/${run.reservationId(subject) ?? ""}`)
      if (group === null) return `${command} by ${by} was taken for a task that does not exist`
      const { runnerId } = contextOf(group, `${group.address}/runner-task`)
      return runnerId === by ? null : `${command} by ${by} was taken for a task of ${String(runnerId)}`
    },
  }
}

function firstAnswer(): SwarmCheck {
  const firstByCall = new Map<string, string>()
  return {
    onPerson: ({ move: { act }, outcome }) => {
      if (act.verb !== "do" || act.command !== "runners.answer" || outcome.type !== "taken") return null
      const { by = "" } = act
      const { callId, answeredBy } = outcome.value as RunnerCall
      const first = firstByCall.get(callId) ?? by
      firstByCall.set(callId, first)
      const named = answeredBy?.runnerId
      return first === by && named === by
        ? null
        : `${by} has the call of ${first}, which names ${String(named)}`
    },
  }
}

/** What operators of each role may do, beside what the roles before may. */
const ADDED_BY_ROLE: readonly (readonly [role: string, commands: readonly string[]])[] = [
  ["viewer", []],
  [
    "dispatcher",
    ["delivery.", "errand.fail", "exception.", "reservation.", "runner.", "runners.", "vehicle."],
  ],
  ["manager", ["errand.refund"]],
  ["admin", ["fleet.change"]],
]

/** What concerns no one site. */
const OF_ALL_SITES: readonly string[] = ["errand.fail", "errand.refund", "fleet.change"]

/** What is at a further site: reservations, calls to runners and, where it has a store, orders and vehicles. `sites.ts` says at which one. */
function isAtFurtherSite({ world: { sites = [] } }: Plan, site: string, command: string): boolean {
  const delivers = sites.find(({ as }) => as === site)?.fields["delivers"] === true
  const ofStore = delivers ? ["delivery.", "vehicle."] : []
  return ["exception.", "reservation.", "runner.", "runners.", ...ofStore].some((prefix) =>
    command.startsWith(prefix),
  )
}

function withinRights(watched: Watched): SwarmCheck {
  return onPersonsCall(watched, ({ person: { as, fields }, code, command }) => {
    const isOperator = watched.plan.world.operators?.some((one) => one.as === as) === true
    if (!isOperator || ASKED_TO_SIGN_IN.includes(code)) return null
    const role = textIfGiven(fields, "role") ?? "dispatcher"
    const rank = ADDED_BY_ROLE.findIndex(([name]) => name === role)
    const mayDo = ADDED_BY_ROLE.slice(0, rank + 1).flatMap(([, commands]) => commands)
    const site = textIfGiven(fields, "site") ?? "everywhere"
    const isInRole = mayDo.some((prefix) => command.startsWith(prefix))
    const isAllowed = isInRole && (site === "everywhere" || !OF_ALL_SITES.includes(command))
    const said = `${command} by ${as}, a ${role} who sees the sites ${site}, was answered ${code}`
    if (isAllowed === (code === "PERMISSION_DENIED")) return said
    const isHidden =
      site !== "everywhere" &&
      site !== "here" &&
      (site === "elsewhere" || !isAtFurtherSite(watched.plan, site, command))
    return isAllowed && isHidden && code !== "NOT_FOUND" ? said : null
  })
}
