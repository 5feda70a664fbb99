/** Moves around reservations: partners, their bots, runners and operations, each with a course of its own. */

import { BOT_STATUSES } from "../../model/bot.ts"
import { EXCEPTION_CODES } from "../../model/handoff.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { CommandName, FieldValues, TimeRef } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { at, command } from "./moves.ts"
import type { Timed } from "./moves.ts"
import type { Move } from "./plan.ts"

type Word = readonly [CommandName, FieldValues]

/** One visit of a bot: everything that its partner, bot, runner and operations do. */
export function drawVisit(
  chance: Chance,
  name: string,
  options: { readonly isSandbox: boolean },
): readonly Move[] {
  const startMs = chance.between(0, 90) * MINUTE_MS
  const made = booking(chance, name)
  const moves: Move[] = [
    command({ atMs: startMs, actor: `${name}/partner` }, "reservation.create", made, { as: name }),
  ]
  // A caller that got no answer, or is impatient, sends the same booking again under its key.
  if (chance.happens(200))
    moves.push(
      command(
        { atMs: startMs + chance.between(0, 3) * SECOND_MS, actor: `${name}/partner-again` },
        "reservation.create",
        chance.happens(200) ? { ...made, order_number: "another" } : made,
        { as: name },
      ),
    )
  if (options.isSandbox && chance.happens(500)) return [...moves, ...walk(chance, name, startMs)]
  const rest = [
    ...at(`${name}/partner`, startMs, partnerWords(chance), chance, name),
    ...at(`${name}/operations`, startMs, operationsWords(chance), chance, name),
  ]
  if (chance.happens(600)) return [...moves, ...meeting(chance, name, startMs), ...rest]
  return [
    ...moves,
    ...at(`${name}/bot`, startMs, botWords(chance), chance, name),
    ...at(`${name}/runner`, startMs, runnerWords(chance), chance, name),
    ...rest,
  ]
}

/** Bot and runner who meet at the stall: one course for both, with slips. */
function meeting(chance: Chance, name: string, startMs: number): readonly Move[] {
  const status = (one: (typeof BOT_STATUSES)[number]): Word => ["bot.report", report(chance, one)]
  const ready = status("READY_FOR_HANDOFF")
  const words: readonly Word[] = [
    ["runner.assign", {}],
    ["runner.at_store", {}],
    ...(chance.happens(200)
      ? ([
          ["runner.hold", {}],
          ["runner.ready", {}],
        ] as const)
      : []),
    ["runner.order_in_hand", {}],
    status("ARRIVED"),
    ...(chance.happens(500)
      ? [["runner.at_unit", {}] as const, ready]
      : [ready, ["runner.at_unit", {}] as const]),
    ...(chance.happens(200) ? ([["runner.retry_open_link", {}]] as const) : []),
    ...(chance.happens(800) ? ([["runner.load", { photo: chance.happens(700) }]] as const) : []),
    status("SECURED"),
    ...(chance.happens(250) ? ([["runner.load", { photo: true }]] as const) : []),
    status("DEPARTED"),
  ]
  let atMs = startMs + chance.between(1, 60) * SECOND_MS
  return words.flatMap((word) => {
    atMs += chance.weighted([
      [8, chance.between(1, 90) * SECOND_MS],
      [2, chance.between(1, 8) * MINUTE_MS],
      [1, 0],
    ])
    const actor = word[0] === "bot.report" ? `${name}/bot` : `${name}/runner`
    return chance.happens(40) ? [] : [command({ atMs, actor }, word[0], word[1], { for: name })]
  })
}

const offset = (ms: number): TimeRef => ({ type: "offset", ms })

function windowOf(chance: Chance): readonly [TimeRef, TimeRef] {
  const start = chance.weighted([
    [12, chance.between(1, 30)],
    [2, chance.between(31, 180)],
    [1, chance.between(-2, 1_450)],
  ])
  const width = chance.weighted([
    [12, chance.between(5, 60)],
    [2, chance.between(60, 125)],
  ])
  return [offset(start * MINUTE_MS), offset((start + width) * MINUTE_MS)]
}

function booking(chance: Chance, name: string): FieldValues {
  return {
    window: windowOf(chance),
    idempotency_key: `key-${name}`,
    ...(chance.happens(250) ? { max_weight_kg: chance.between(1, 40) } : {}),
    ...(chance.happens(150) ? { max_dimensions_cm: [40, 40, chance.between(20, 60)] as const } : {}),
    ...(chance.happens(150) ? { retailer_pickup_ref: `ref ${name}` } : {}),
  }
}

/** The statuses of a bot in order, some skipped; now and then one again, one out of order, or an abort. */
function botWords(chance: Chance): readonly Timed<Word>[] {
  const order = BOT_STATUSES.filter((status) => status !== "ABORTED")
  const words: Timed<Word>[] = []
  for (const status of order) {
    if (chance.happens(120)) continue
    if (status === "DEPARTED" && chance.happens(150)) continue
    words.push([gap(chance), ["bot.report", report(chance, status)]])
    if (chance.happens(80))
      words.push([chance.between(0, 2) * SECOND_MS, ["bot.report", report(chance, status)]])
    if (chance.happens(60)) words.push([gap(chance), ["bot.report", report(chance, chance.of(BOT_STATUSES))]])
  }
  return words
}

function report(chance: Chance, status: (typeof BOT_STATUSES)[number]): FieldValues {
  return {
    status,
    ...(chance.happens(200) ? { label: `robot ${chance.between(1, 3)}` } : {}),
    ...(chance.happens(200) ? { eta: offset(chance.between(-10, 40) * MINUTE_MS) } : {}),
    ...(chance.happens(200) ? { occurred_at: offset(chance.between(-240, 240) * SECOND_MS) } : {}),
  }
}

function runnerWords(chance: Chance): readonly Timed<Word>[] {
  const words: Word[] = [
    ["runner.assign", { runner: chance.of(["run_1", "run_2"]) }],
    ["runner.at_store", {}],
  ]
  if (chance.happens(250))
    words.push(["runner.hold", chance.happens(500) ? { ready_at: offset(8 * MINUTE_MS) } : {}])
  if (chance.happens(250)) words.push(chance.happens(800) ? ["runner.ready", {}] : ["runner.give_up", {}])
  if (chance.happens(350))
    words.push([
      "runner.measure",
      { weight_kg: chance.between(1, 45), dimensions_cm: [30, 30, chance.between(15, 50)] },
    ])
  words.push(["runner.order_in_hand", {}], ["runner.at_unit", {}])
  if (chance.happens(250)) words.push(["runner.retry_open_link", {}])
  words.push(["runner.load", { photo: chance.happens(700) }])
  if (chance.happens(300)) words.push(["runner.load", { photo: true }])
  const kept = words.filter(() => !chance.happens(50))
  return kept.map((word): Timed<Word> => [gap(chance), word])
}

function partnerWords(chance: Chance): readonly Timed<Word>[] {
  const words: Timed<Word>[] = []
  if (chance.happens(250))
    words.push([gap(chance), ["reservation.move_window", { window: windowOf(chance) }]])
  if (chance.happens(300)) words.push([gap(chance), ["reservation.read", {}]])
  if (chance.happens(150)) {
    words.push([chance.between(0, 60) * MINUTE_MS, ["reservation.cancel", { reason: "no longer hungry" }]])
    if (chance.happens(300)) words.push([gap(chance), ["reservation.cancel", {}]])
  }
  return words
}

function operationsWords(chance: Chance): readonly Timed<Word>[] {
  const words: Timed<Word>[] = []
  const codes = EXCEPTION_CODES as unknown as readonly [string, ...string[]]
  while (chance.happens(200) && words.length < 4) {
    const code = chance.of(codes)
    words.push([gap(chance), ["exception.raise", { code }]])
    if (chance.happens(400)) words.push([gap(chance), ["exception.clear", { code }]])
  }
  if (chance.happens(60))
    words.push([gap(chance), ["reservation.cancel_by_operations", { reason: "site closed" }]])
  if (chance.happens(60)) words.push([gap(chance), ["reservation.cancel_by_runner", {}]])
  return words
}

function walk(chance: Chance, name: string, startMs: number): readonly Move[] {
  const words = Array.from({ length: chance.between(1, 10) }, (): Timed<Word> => [
    chance.between(1, 240) * SECOND_MS,
    ["sandbox.advance", chance.happens(80) ? { reason_code: chance.of(EXCEPTION_CODES as never) } : {}],
  ])
  return at(`${name}/walk`, startMs, words, chance, name)
}

/** Pauses from nothing to many minutes, on and around the limits of the machines. */
function gap(chance: Chance): number {
  return chance.weighted([
    [2, 0],
    [6, chance.between(1, 240) * SECOND_MS],
    [3, chance.between(4, 15) * MINUTE_MS],
    [1, chance.between(10, 45) * MINUTE_MS],
  ])
}
