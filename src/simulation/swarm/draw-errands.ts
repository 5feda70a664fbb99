/** Moves around errands: two users' agents, their retries under the same keys, checkout pages and operations. */

import { FAILURE_REASONS, ISSUE_CODES, PICKUP_REQUIREMENTS } from "../../model/courier.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { CommandName, FieldValues, TimeRef } from "../scenario/language/language.ts"
import { SCENARIO_USERS } from "../scenario/language/courier-words.ts"
import type { Chance } from "./chance.ts"
import { command } from "./moves.ts"
import type { Move } from "./plan.ts"

const STORES = ["Lunchbox Kitchen", "Lunchbox Kitchen", "Lunchbox Kitchen", "Slot Street Bakery"] as const
const offset = (ms: number): TimeRef => ({ type: "offset", ms })

interface Course {
  readonly chance: Chance
  readonly name: string
  readonly moves: Move[]
  readonly by: string
  atMs: number
  calls: number
}

/** One errand, from its check to its end. */
export function drawErrand(chance: Chance, name: string): readonly Move[] {
  const by = chance.of(SCENARIO_USERS)
  const course: Course = { chance, name, by, moves: [], atMs: chance.between(0, 90) * MINUTE_MS, calls: 0 }
  call(course, "errand.check", {
    store: chance.of(STORES),
    ...(chance.happens(150) ? { north_m: chance.of([300, 4_000, 60_000]) } : {}),
    ...(chance.happens(50) ? { item: chance.of(["Beer", "Burrito"]) } : {}),
    ...(chance.happens(100) ? { window: span(chance) } : {}),
  })
  const [again, late] = [chance.happens(200), chance.happens(80)]
  if (chance.happens(950)) reserve(course)
  if (again) reserve(course)
  if (late) course.atMs += chance.between(14, 70) * MINUTE_MS
  pay(course)
  if (chance.happens(800)) confirm(course)
  after(course)
  return course.moves
}

const token = (chance: Chance): string =>
  chance.weighted([
    [8, "spt_ok"],
    [2, "spt_declined"],
    [1, "spt_uncaptured"],
  ])

function reserve(course: Course): void {
  const { chance } = course
  pause(course)
  call(course, "errand.reserve", {
    ...(chance.happens(450) ? { token: token(chance) } : {}),
    ...(chance.happens(40) ? { requirements: [chance.of(PICKUP_REQUIREMENTS)] } : {}),
    ...(chance.happens(40) ? { check_in_method: "app_only" } : {}),
  })
}

function pay(course: Course): void {
  const { chance } = course
  if (chance.happens(450)) {
    pause(course)
    call(course, "errand.pay", { token: token(chance) })
  }
  if (chance.happens(250)) {
    pause(course)
    const { name, atMs } = course
    const values = { token: token(chance) }
    course.moves.push(
      command({ atMs, actor: `${name}/browser` }, "errand.pay_at_checkout", values, { for: name }),
    )
  }
}

function confirm(course: Course): void {
  const { chance } = course
  pause(course)
  const values: FieldValues = {
    ...(chance.happens(60) ? { item: "Beer" } : {}),
    ...(chance.happens(200) ? { ready_at: offset(chance.between(5, 100) * MINUTE_MS) } : {}),
  }
  call(course, "errand.confirm", values)
  if (chance.happens(200)) {
    pause(course)
    pay(course)
    call(course, "errand.confirm", values)
  }
}

/** What comes after the booking, or instead of it. */
function after(course: Course): void {
  const { chance, name } = course
  const words: readonly (readonly [number, CommandName, FieldValues])[] = [
    [120, "errand.ready_at", { time: offset(chance.between(1, 95) * MINUTE_MS) }],
    [80, "errand.change_order", { item: chance.of(["Burrito", "Beer"]) }],
    [60, "errand.tell_requirements", { requirements: [chance.of(PICKUP_REQUIREMENTS)] }],
    [60, "errand.choose_slot", { slot: span(chance) }],
    [40, "errand.tell_check_in", { instructions: "ring the bell" }],
    [60, "errand.tell_dropoff", { notes: "the side door" }],
    [60, "errand.tell_contact", { email: "ada@example.com" }],
    [60, "errand.report_issue", { issue: chance.of(ISSUE_CODES) }],
    [200, "errand.cancel", {}],
  ]
  for (const [permille, word, values] of chance.shuffled(words)) {
    if (!chance.happens(permille)) continue
    pause(course)
    call(course, word, values)
  }
  if (chance.happens(300)) {
    pause(course)
    course.moves.push(own(course, "errand.read", { by: course.by }))
  }
  const operations = { atMs: course.atMs + chance.between(0, 40) * MINUTE_MS, actor: `${name}/operations` }
  if (chance.happens(80)) {
    const values = { reason: chance.of(FAILURE_REASONS), refund: chance.happens(500) }
    course.moves.push(command(operations, "errand.fail", values, { for: name }))
    if (chance.happens(500)) course.moves.push(command(operations, "errand.refund", {}, { for: name }))
  }
}

/** A call under a key of its own. An impatient agent sends it again while the first one may still be under way. */
function call(course: Course, word: CommandName, values: FieldValues): void {
  const { chance, name } = course
  course.calls += 1
  const key = `${name}-call-${course.calls}`
  const by = chance.happens(20) ? chance.of(SCENARIO_USERS) : course.by
  const full = { ...values, by, idempotency_key: key }
  course.moves.push(own(course, word, full))
  if (!chance.happens(150)) return
  const again = { atMs: course.atMs + chance.between(0, 12) * SECOND_MS, actor: `${name}/agent-again` }
  course.moves.push(command(again, word, full, word === "errand.check" ? { as: name } : { for: name }))
}

function own({ name, atMs }: Course, word: CommandName, values: FieldValues): Move {
  return command(
    { atMs, actor: `${name}/agent` },
    word,
    values,
    word === "errand.check" ? { as: name } : { for: name },
  )
}

function span(chance: Chance): readonly [TimeRef, TimeRef] {
  const start = chance.between(0, 100)
  return [offset(start * MINUTE_MS), offset((start + 20) * MINUTE_MS)]
}

function pause(course: Course): void {
  const { chance } = course
  course.atMs += chance.weighted([
    [1, 0],
    [8, chance.between(1, 60) * SECOND_MS],
    [3, chance.between(1, 9) * MINUTE_MS],
    [1, chance.between(10, 35) * MINUTE_MS],
  ])
}
