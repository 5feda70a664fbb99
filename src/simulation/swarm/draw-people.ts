/** Runners and operators with shifts, in some seeds; what runners and operations do is then done by them. */

import { OPERATOR_ROLES } from "../../model/caller.ts"
import { DAY_MS, MINUTE_MS } from "../../model/values/time.ts"
import { isDoneByPeople } from "../scenario/language/people-words.ts"
import type { FieldValues, GivenCaller, TimeRef } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { NOWHERE } from "./nowhere.ts"
import type { Move, World } from "./plan.ts"

type People = Pick<World, "operators" | "runners">

const RUNNERS = ["ana", "ben", "cleo"] as const
const OPERATORS = ["olga", "omar"] as const

/** Plans begin at this time of the day, 11:30. */
const START_OF_DAY_MS = 690 * MINUTE_MS

/** People of a run; none in most. */
export function drawPeople(chance: Chance): People {
  if (!chance.happens(250)) return {}
  const given = <T extends string>(as: T, fields: FieldValues): GivenCaller => ({
    as,
    fields: { ...fields, ...drawShift(chance), ...(chance.happens(50) ? { known: false } : {}) },
    place: NOWHERE,
  })
  const runners = RUNNERS.slice(0, chance.between(1, 3)).map((as) =>
    given(as, chance.happens(80) ? { site: "elsewhere" } : {}),
  )
  const operators = OPERATORS.slice(0, chance.between(0, 2)).map((as) =>
    given(as, {
      role: chance.of(OPERATOR_ROLES),
      ...(chance.happens(400) ? { site: chance.of(["here", "here", "elsewhere"]) } : {}),
    }),
  )
  return { runners, ...(operators.length === 0 ? {} : { operators }) }
}

/** A shift around the time of the plan's moves, with a break in some. */
function drawShift(chance: Chance): FieldValues {
  const from = chance.happens(500) ? chance.between(-60, 60) : null
  const to = chance.happens(500) ? Math.max(0, from ?? 0) + chance.between(10, 120) : null
  const begins = Math.max(0, from ?? 0) + chance.between(1, 5)
  const ends = begins + chance.between(1, 30)
  const hasBreak = chance.happens(200) && ends < (to ?? Number.POSITIVE_INFINITY)
  return {
    ...(from === null ? {} : { from: clockAt(from) }),
    ...(to === null ? {} : { to: clockAt(to) }),
    ...(hasBreak ? { breaks: [{ from: clockAt(begins), to: clockAt(ends) }] } : {}),
  }
}

/** A time on the site's clock, so many minutes after the plan begins. */
export function clockAt(minutes: number): TimeRef {
  const ms = START_OF_DAY_MS + minutes * MINUTE_MS
  return { type: "clock", dayOffset: Math.floor(ms / DAY_MS), msOfDay: ms % DAY_MS }
}

/** The moves of runners and of operations, each by a person: a visit has a runner of its own, now and then another one helps. */
export function byPeople(
  chance: Chance,
  { runners = [], operators = [] }: People,
  moves: readonly Move[],
): readonly Move[] {
  const [runner, ...others] = runners.map(({ as }) => as)
  const [operator, ...more] = operators.map(({ as }) => as)
  if (runner === undefined) return moves
  const usual = new Map<string, string>()
  const runnerOf = (subject: string): string => {
    const known = usual.get(subject) ?? chance.of([runner, ...others])
    usual.set(subject, known)
    return chance.happens(100) ? chance.of([runner, ...others]) : known
  }
  return moves.map((move): Move => {
    const { act } = move
    if (act.verb !== "do" || !isDoneByPeople(act.command)) return move
    const { command, for: subject } = act
    const isOfRunner =
      command.startsWith("runner.") ||
      command === "reservation.cancel_by_runner" ||
      command === "runners.answer" ||
      (command === "exception.raise" && chance.happens(500))
    const mayBeOperator = command !== "runners.answer" && operator !== undefined
    const isOfOperator = mayBeOperator && (!isOfRunner || chance.happens(60))
    if (!isOfRunner && !isOfOperator) return move
    const by =
      isOfOperator && operator !== undefined ? chance.of([operator, ...more]) : runnerOf(subject ?? "")
    return { ...move, act: { ...act, by } }
  })
}
