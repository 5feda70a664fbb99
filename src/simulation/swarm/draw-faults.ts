/** The faults of a plan: a few kinds for each seed, each at a rate of its own. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { AnswerRef } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { fault } from "./moves.ts"
import { NO_FAULTS } from "../scenario/machine-faults.ts"
import type { Faults } from "../scenario/machine-faults.ts"
import type { Move } from "./plan.ts"

/** What a seed may draw. The names are those of the coverage. */
export const FAULT_KINDS = [
  "crashes",
  "lost nodes",
  "lost results",
  "doubled results",
  "late results",
  "late timers",
  "lost answers",
  "lost commits",
  "bodies that run twice",
  "an upgrade",
  "full mailboxes",
  "a partial restore",
  "slow receivers",
  "dead receivers",
  "bad open links",
  "payments down",
  "payments that lose answers",
  "slow payments",
  "drifting clocks",
  "host names that fail",
  "directories that fail",
  "photo signing that fails",
  "disabled phones",
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export function drawKinds(chance: Chance): ReadonlySet<FaultKind> {
  const count = chance.weighted([
    [1, 0],
    [3, 1],
    [4, 2],
    [3, 3],
    [1, 5],
  ])
  return new Set(chance.shuffled(FAULT_KINDS).slice(0, count))
}

export function drawFaults(chance: Chance, kinds: ReadonlySet<FaultKind>): Faults {
  const rate = (kind: FaultKind, from: number, to: number): number => {
    const drawn = chance.between(from, to)
    return kinds.has(kind) ? drawn : 0
  }
  return {
    ...NO_FAULTS,
    crashes: rate("crashes", 2, 60),
    nodesLost: rate("lost nodes", 2, 60),
    lostResults: rate("lost results", 20, 400),
    doubledResults: rate("doubled results", 50, 600),
    lateResults: rate("late results", 50, 600),
    lateResultMsMax: chance.of([SECOND_MS, 10 * SECOND_MS, 100 * SECOND_MS, 10 * MINUTE_MS]),
    lateTimers: rate("late timers", 50, 600),
    lateTimerMsMax: chance.of([SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]),
    lostAnswers: rate("lost answers", 50, 500),
    lostCommits: rate("lost commits", 20, 300),
    runsBodiesTwice: kinds.has("bodies that run twice"),
    upgradesAtMs: kinds.has("an upgrade") ? chance.between(0, 90) * MINUTE_MS : null,
    mailboxEntriesMax: kinds.has("full mailboxes") ? chance.between(1, 6) : null,
    ...(kinds.has("a partial restore") ? drawRestore(chance) : {}),
  }
}

/** In a few seeds receivers of webhooks have no room for some time, as the queue of a live host says it. */
export function drawDeferred(chance: Chance): Pick<Faults, "deferredCalls" | "deferredMsMax"> {
  const ofSeed = chance.happens(80)
  const deferredCalls = chance.between(50, 500)
  const deferredMsMax = chance.of([SECOND_MS, 30 * SECOND_MS, 10 * MINUTE_MS])
  return ofSeed ? { deferredCalls, deferredMsMax } : { deferredCalls: 0, deferredMsMax: 0 }
}

function drawRestore(chance: Chance): Pick<Faults, "backupAgeMs" | "heldMs" | "restoresAtMs"> {
  const restoresAtMs = chance.between(1, 120) * MINUTE_MS
  return {
    restoresAtMs,
    backupAgeMs: Math.min(restoresAtMs, chance.between(1, 3_600) * SECOND_MS),
    heldMs: chance.between(0, 1_800) * SECOND_MS,
  }
}

/** How far the clock of a vehicle is off. */
export function drawDrift(chance: Chance, kinds: ReadonlySet<FaultKind>): number {
  const driftMs = chance.weighted([
    [4, chance.between(-120, 4) * SECOND_MS],
    [2, chance.between(-30, 4) * MINUTE_MS],
    [1, -3 * HOUR_MS],
  ])
  return kinds.has("drifting clocks") ? driftMs : 0
}

interface Names {
  readonly visits: readonly string[]
  readonly hooks: readonly string[]
  readonly untilMs: number
}

/** Faults of the outside world, as the scenario language has them, each with its end. */
export function drawInjections(chance: Chance, kinds: ReadonlySet<FaultKind>, names: Names): readonly Move[] {
  const moves: Move[] = []
  const when = (): number => chance.between(0, names.untilMs)
  for (const hook of names.hooks) {
    if (kinds.has("slow receivers"))
      moves.push(fault(when(), "webhook.answers", { answers: drawAnswers(chance, "slow") }, hook))
    if (kinds.has("dead receivers")) {
      const lasts = { ms: chance.between(1, 180) * MINUTE_MS }
      moves.push(
        chance.happens(500)
          ? fault(when(), "webhook.down", { lasts }, hook)
          : fault(when(), "webhook.answers", { answers: drawAnswers(chance, "bad") }, hook),
      )
    }
  }
  if (kinds.has("bad open links")) {
    for (const visit of names.visits)
      moves.push(fault(when(), "open_link.answers", { answers: drawAnswers(chance, "bad") }, visit))
    moves.push(fault(when(), "fleet.answers", { answers: drawAnswers(chance, "bad") }))
  }
  return [...moves, ...spells(chance, kinds, names.untilMs)]
}

/** Longer than everything else takes: the receiver does not come back, and its events use up their attempts. */
export const GONE_MS = 10 * DAY_MS

/** Receivers that are gone for good, in a few seeds. The end of the faults does not bring them back. */
export function drawGoneReceivers(chance: Chance, { hooks, untilMs }: Names): readonly Move[] {
  const ofSeed = chance.happens(60)
  return hooks.flatMap((hook) => {
    const atMs = chance.between(0, untilMs)
    const isGone = chance.happens(600)
    return ofSeed && isGone ? [fault(atMs, "webhook.down", { lasts: { ms: GONE_MS } }, hook)] : []
  })
}

/** Systems that fail for some time, once or several times. */
function spells(chance: Chance, kinds: ReadonlySet<FaultKind>, untilMs: number): readonly Move[] {
  const moves: Move[] = []
  const spell = (kind: FaultKind, begin: (atMs: number) => Move, end: (atMs: number) => Move): void => {
    if (!kinds.has(kind)) return
    for (let count = chance.between(1, 3); count > 0; count -= 1) {
      const atMs = chance.between(0, untilMs)
      moves.push(begin(atMs), end(Math.min(untilMs, atMs + chance.between(1, 1_800) * SECOND_MS)))
    }
  }
  const works = (atMs: number): Move => fault(atMs, "payments.work")
  const takes = (seconds: number) => ({ time: { ms: seconds * SECOND_MS } })
  spell("payments down", (atMs) => fault(atMs, "payments.fail"), works)
  spell("payments that lose answers", (atMs) => fault(atMs, "payments.lose_answers"), works)
  spell(
    "slow payments",
    (atMs) => fault(atMs, "payments.take", takes(chance.of([1, 5, 12, 30, 70]))),
    (atMs) => fault(atMs, "payments.take", takes(0)),
  )
  for (const host of ["bots.partner.example", "hooks.partner.example"]) {
    const broken = (name: string) => (atMs: number) => fault(atMs, "host.fault", { host, fault: name })
    spell("host names that fail", broken(chance.of(["private", "unknown", "unavailable"])), broken("none"))
  }
  const directories = chance.of([
    ["store_directory.fails", "store_directory.works"],
    ["geocoder.fails", "geocoder.works"],
  ] as const)
  spell(
    "directories that fail",
    (atMs) => fault(atMs, directories[0]),
    (atMs) => fault(atMs, directories[1]),
  )
  spell(
    "photo signing that fails",
    (atMs) => fault(atMs, "photo_signing.fails"),
    (atMs) => fault(atMs, "photo_signing.works"),
  )
  return moves
}

function drawAnswers(chance: Chance, how: "bad" | "slow"): readonly AnswerRef[] {
  const one = (): AnswerRef => {
    if (how === "slow") return { type: "status", status: 200, afterMs: chance.between(50, 12_000) }
    return chance.weighted<AnswerRef>([
      [2, { type: "timeout" }],
      [1, { type: "refused" }],
      [3, { type: "status", status: chance.of([301, 404, 410, 500, 503]), afterMs: null }],
      [1, { type: "status", status: 200, afterMs: null }],
    ])
  }
  return Array.from({ length: chance.between(1, 8) }, one)
}
