/**
 * Courses that chance alone seldom makes, each in a few seeds and from a stream of its own: a slow kitchen, a bot that reports late, a stranger at a
 * compartment, a fleet that does not open, a vehicle that reports little, a user who changes their mind or takes another window, a
 * processor that is gone for a day, calls to runners.
 */

import { SCENARIO_USERS } from "../scenario/language/courier-words.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { AnswerRef, CommandName, FieldValues } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { clockAt } from "./draw-people.ts"
import { command, fault } from "./moves.ts"
import type { Move, World } from "./plan.ts"

type Draw = (chance: Chance, known: Known) => readonly Move[]

interface Known {
  readonly orders: readonly string[]
  readonly errands: readonly string[]
  readonly vehicles: readonly string[]
  readonly hasRunners: boolean
  readonly untilMs: number
}

/** Of a thousand seeds, and what is drawn in them. */
const RARE: Readonly<Record<string, readonly [permille: number, draw: Draw]>> = {
  "slow kitchen": [80, slowKitchen],
  "late bot": [60, lateBot],
  doors: [220, doors],
  "silent vehicle": [40, silentVehicle],
  "changed mind": [80, changedMind],
  "late errand": [60, lateErrand],
  "another window": [60, anotherWindow],
  "gone processor": [50, goneProcessor],
  "calls to runners": [500, callsToRunners],
}

export function drawRare(
  chance: (part: string) => Chance,
  world: World,
  own: readonly Move[],
): readonly Move[] {
  const namesOf = (made: CommandName): readonly string[] => [
    ...new Set(own.flatMap(({ act }) => (act.verb === "do" && act.command === made ? [act.as ?? ""] : []))),
  ]
  const known: Known = {
    orders: namesOf("delivery.quote"),
    errands: namesOf("errand.check"),
    vehicles: (world.delivery?.vehicles ?? []).map(({ as }) => as),
    hasRunners: world.runners !== undefined,
    untilMs: Math.max(0, ...own.map(({ atMs }) => atMs)),
  }
  return Object.entries(RARE).flatMap(([name, [permille, draw]]) => {
    const stream = chance(`rare/${name}`)
    return stream.happens(permille) ? draw(stream, known) : []
  })
}

const offset = (ms: number) => ({ type: "offset", ms }) as const

/** Commands of several actors about one subject, each some time after the one before. */
type Words = readonly (readonly [
  pauseMs: number,
  actor: string,
  name: CommandName,
  values?: FieldValues,
  makes?: true,
])[]

function courseOf(subject: string, startMs: number, words: Words): readonly Move[] {
  let atMs = startMs
  return words.map(([pauseMs, actor, name, values = {}, makes]) => {
    atMs += pauseMs
    const names = makes === true ? { as: subject } : { for: subject }
    return command({ atMs, actor: `${subject}/${actor}` }, name, values, names)
  })
}

function booked(chance: Chance, subject: string): Words[number] {
  const startMs = chance.between(1, 5) * MINUTE_MS
  const window = [offset(startMs), offset(startMs + 30 * MINUTE_MS)] as const
  return [0, "partner", "reservation.create", { window, idempotency_key: `key-${subject}` }, true]
}

/** The order is not ready: the runner waits at the counter, and gives up or not; the partner may move the window meanwhile. */
function slowKitchen(chance: Chance): readonly Move[] {
  const pause = (): number => chance.between(1, 120) * SECOND_MS
  const fromMs = chance.between(5, 20) * MINUTE_MS
  return courseOf("kitchen", chance.between(0, 60) * MINUTE_MS, [
    booked(chance, "kitchen"),
    [pause(), "runner", "runner.assign"],
    [pause(), "runner", "runner.at_store"],
    [pause(), "runner", "runner.hold", chance.happens(500) ? { ready_at: offset(8 * MINUTE_MS) } : {}],
    ...(chance.happens(600)
      ? ([
          [
            pause(),
            "partner",
            "reservation.move_window",
            { window: [offset(fromMs), offset(fromMs + 40 * MINUTE_MS)] },
          ],
        ] as const)
      : []),
    ...(chance.happens(600) ? ([[pause(), "runner", "runner.give_up"]] as const) : []),
  ])
}

/** Its first report says more than that it is on its way. */
function lateBot(chance: Chance): readonly Move[] {
  const status = chance.of(["SECURED", "DEPARTED", "ABORTED", "READY_FOR_HANDOFF"])
  return courseOf("late-bot", chance.between(0, 60) * MINUTE_MS, [
    booked(chance, "late-bot"),
    [chance.between(0, 600) * SECOND_MS, "bot", "bot.report", { status }],
    [chance.between(0, 600) * SECOND_MS, "bot", "bot.report", { status: chance.of(["DEPARTED", "ABORTED"]) }],
  ])
}

/** How a fleet that is asked to open answers: at once, late, beyond the lease of a call, or never. */
function openingAnswer(chance: Chance): AnswerRef {
  const status = chance.of([500, 503, 404, 200])
  const afterMs = chance.of([null, null, 2_000, 8_000, 20_000])
  return chance.happens(150) ? { type: "timeout" } : { type: "status", status, afterMs }
}

/** People who try other digits at each door, a fleet that does not open, nodes that are lost meanwhile, and operations that try again. */
function doors(chance: Chance, { orders, untilMs }: Known): readonly Move[] {
  const opens = { open_url: "https://fleet.example/open" }
  const moves = [command({ atMs: 0, actor: "doors" }, "fleet.change", opens)]
  const isBad = chance.happens(600)
  if (isBad) {
    const answers = Array.from({ length: chance.between(1, 8) }, () => openingAnswer(chance))
    moves.push(fault(chance.between(0, Math.floor(untilMs / 2)), "fleet.answers", { answers }))
  }
  for (const subject of orders) {
    const isForced = chance.happens(400)
    const actor = `${subject}/door`
    let atMs = chance.between(0, untilMs)
    const tries = chance.between(20, 60)
    for (let count = 0; count < tries; count += 1) {
      atMs += chance.between(5, 90) * SECOND_MS
      const isGranted = chance.happens(isForced ? 80 : 500)
      const name = isGranted ? "compartment.grant" : "compartment.open"
      const values = isForced && !isGranted ? { digits: "9999" } : {}
      moves.push(command({ atMs, actor }, name, values, { for: subject }))
      if (isBad && chance.happens(60)) moves.push(fault(atMs + SECOND_MS, "node.lost"))
    }
  }
  return moves
}

type Leap = readonly [northM: number, load: "loaded" | "unloaded" | null]

/** Metres north of the store, with what is on board: at the store, and at doors or on the way to them. */
const AT_STORE: readonly [Leap, ...Leap[]] = [
  [10, null],
  [10, "loaded"],
  [110, null],
]
const AWAY: readonly [Leap, ...Leap[]] = [
  [110, "unloaded"],
  [600, "loaded"],
  [600, null],
  [1_990, "loaded"],
  [1_990, null],
  [1_990, "unloaded"],
  [-2_000, null],
]

/** Reports of places that are far apart, as after a radio that failed: between two of them much has happened. */
function silentVehicle(chance: Chance, { vehicles, untilMs }: Known): readonly Move[] {
  const [first, ...others] = vehicles
  if (first === undefined) return []
  const vehicle = chance.of([first, ...others])
  let atMs = chance.between(0, 30) * MINUTE_MS
  const moves: Move[] = []
  while (atMs < untilMs && moves.length < 80) {
    const [north, load] = chance.of(moves.length % 2 === 0 ? AT_STORE : AWAY)
    const values = { north_m: north, ...(load === null ? {} : { load }) }
    moves.push(command({ atMs, actor: `${vehicle}/radio` }, "vehicle.report", values, { for: vehicle }))
    atMs += chance.between(5, 120) * SECOND_MS
  }
  return moves
}

/** An errand is cancelled while its payment is under way, which takes long. */
function changedMind(chance: Chance, { untilMs }: Known): readonly Move[] {
  const by = chance.of(SCENARIO_USERS)
  const startMs = chance.between(0, untilMs)
  const token = chance.weighted([
    [3, "spt_ok"],
    [2, "spt_declined"],
    [1, "spt_uncaptured"],
  ])
  const key = (call: string): FieldValues => ({ by, idempotency_key: `changed-mind-${call}` })
  const agent = courseOf("changed-mind", startMs, [
    [0, "agent", "errand.check", { store: "Lunchbox Kitchen", ...key("check") }, true],
    [5 * SECOND_MS, "agent", "errand.reserve", key("reserve")],
    [5 * SECOND_MS, "agent", "errand.pay", { token, ...key("pay") }],
    ...(chance.happens(500) ? ([[20 * SECOND_MS, "agent", "errand.confirm", key("confirm")]] as const) : []),
  ])
  const cancelAfterMs = (agent.at(-1)?.atMs ?? startMs) - startMs + chance.between(0, 15) * SECOND_MS
  return [
    fault(startMs, "payments.take", { time: { ms: chance.between(1, 9) * SECOND_MS } }),
    ...agent,
    ...courseOf("changed-mind", startMs, [[cancelAfterMs, "second-agent", "errand.cancel", key("cancel")]]),
    fault(startMs + 5 * MINUTE_MS, "payments.take", { time: { ms: 0 } }),
  ]
}

/** Calls about an errand whose hold, or whose quote, has ended. */
function lateErrand(chance: Chance, { untilMs }: Known): readonly Move[] {
  const by = chance.of(SCENARIO_USERS)
  const key = (call: string): FieldValues => ({ by, idempotency_key: `late-errand-${call}` })
  const lateMs = chance.between(14, 50) * MINUTE_MS
  const beer = chance.happens(500) ? { item: "Beer" } : {}
  return courseOf("late-errand", chance.between(0, untilMs), [
    [0, "agent", "errand.check", { store: "Lunchbox Kitchen", ...key("check") }, true],
    [5 * SECOND_MS, "agent", "errand.reserve", key("reserve")],
    ...(chance.happens(500)
      ? ([[9 * SECOND_MS, "agent", "errand.pay", { token: "spt_ok", ...key("pay") }]] as const)
      : []),
    [
      lateMs,
      "agent",
      "errand.reserve",
      { ...key("reserve-again"), ...(chance.happens(500) ? { requirements: ["id_required"] } : {}) },
    ],
    [chance.between(1, 60) * SECOND_MS, "agent", "errand.confirm", { ...beer, ...key("confirm") }],
  ])
}

/** An agent reserves, and then chooses a pickup window, which is one of the offered ones or not. */
function anotherWindow(chance: Chance, { untilMs }: Known): readonly Move[] {
  const by = chance.of(SCENARIO_USERS)
  const key = (call: string): FieldValues => ({ by, idempotency_key: `another-window-${call}` })
  const atMs = chance.between(0, untilMs)
  // Windows are offered by quarters of an hour, as a plan's clock shows them.
  const quarter = Math.floor(atMs / (15 * MINUTE_MS)) + chance.between(0, 8)
  const window = [clockAt(15 * quarter), clockAt(15 * (quarter + 1))]
  return courseOf("another-window", atMs, [
    [0, "agent", "errand.check", { store: "Lunchbox Kitchen", ...key("check") }, true],
    [5 * SECOND_MS, "agent", "errand.reserve", key("reserve")],
    [chance.between(1, 90) * SECOND_MS, "agent", "errand.choose_window", { window, ...key("window") }],
    [chance.between(1, 90) * SECOND_MS, "agent", "errand.confirm", key("confirm")],
  ])
}

/** The processor fails for longer than fees are given back; then operations ask for them again. */
function goneProcessor(chance: Chance, { errands, untilMs }: Known): readonly Move[] {
  const atMs = chance.between(0, untilMs)
  const backMs = atMs + chance.between(26, 30) * HOUR_MS
  const takes = (ms: number): FieldValues => ({ time: { ms } })
  const [fails, works] = chance.of([
    [fault(atMs, "payments.fail"), fault(backMs, "payments.work")],
    [fault(atMs, "payments.lose_answers"), fault(backMs, "payments.work")],
    [fault(atMs, "payments.take", takes(5 * MINUTE_MS)), fault(backMs, "payments.take", takes(0))],
  ])
  return [
    fails,
    ...errands.flatMap((errand) =>
      courseOf(errand, 0, [
        [
          atMs + chance.between(1, 60) * MINUTE_MS,
          "refunds",
          "errand.fail",
          { reason: "store_no_handover", refund: true },
        ],
        [backMs - atMs, "refunds", "errand.refund"],
      ]),
    ),
    works,
  ]
}

/** Operations call the runners of the site, who answer or not; some calls are taken back. */
function callsToRunners(chance: Chance, { hasRunners, untilMs }: Known): readonly Move[] {
  if (!hasRunners) return []
  return Array.from({ length: chance.between(1, 6) }, () => {
    let atMs = chance.between(0, untilMs)
    const calls = [command({ atMs, actor: "calls/operations" }, "runners.call", {})]
    for (const name of ["runners.answer", "runners.answer", "runners.withdraw"] as const) {
      atMs += chance.between(0, 90) * SECOND_MS
      const actor = name === "runners.answer" ? "calls/runner" : "calls/operations"
      if (chance.happens(450)) calls.push(command({ atMs, actor }, name, {}))
    }
    return calls
  }).flat()
}
