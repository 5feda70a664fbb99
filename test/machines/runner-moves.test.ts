/** The moves that boards and phones show: in every state of the runner task exactly those that the machines take. */

import { Context, Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { machines } from "../../machines/index.ts"
import { handoffStatus } from "../../src/areas/reservations/record.ts"
import { allowedMoves, movesAhead } from "../../src/areas/reservations/runner-moves.ts"
import { layerDryRun } from "../../src/apps/composition/dry-run.ts"
import { EXCEPTION_CODES } from "../../src/model/handoff.ts"
import type { RunnerMove } from "../../src/model/requests/runner-moves.ts"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { DryRun } from "../../src/engine/services/dry-run.ts"
import { answer, book, bot, cancel, runner, unnumbered, wait } from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

const dry = Context.get(Effect.runSync(Effect.scoped(Layer.build(layerDryRun))), DryRun)

const LIMIT = { maxWeightKg: 10, maxDimensionsCm: null }

const assigned = [runner("runner.assigned", { runnerId: "run_1" })]
const atStore = [...assigned, runner("runner.at_store")]
const inHand = [...atStore, runner("order.in_hand")]
const atUnit = [...inHand, runner("runner.at_unit")]
const ready = [...atUnit, bot("READY_FOR_HANDOFF")]
const failedAttempt = (attempt: number): readonly Step[] => [
  answer("open-link-1", "failed", attempt),
  wait(20 * SECOND_MS),
]
const ALWAYS = ["exceptions", "cancel"] as const

interface Row {
  readonly state: string
  readonly given: readonly Step[]
  readonly next: RunnerMove | null
  readonly moves: readonly RunnerMove[]
  readonly ahead: readonly RunnerMove[]
}

const rows: readonly Row[] = [
  {
    state: "open.queued",
    given: [],
    next: "runner",
    moves: ["runner", ...ALWAYS],
    ahead: ["runner", "at-store", "order-in-hand", "at-unit"],
  },
  {
    state: "open.assigned",
    given: assigned,
    next: "at-store",
    moves: ["at-store", ...ALWAYS],
    ahead: ["at-store", "order-in-hand", "at-unit"],
  },
  {
    state: "open.at_store",
    given: atStore,
    next: "order-in-hand",
    moves: ["order-in-hand", "hold", "payload", "exceptions", "give-up", "cancel"],
    ahead: ["order-in-hand", "at-unit"],
  },
  {
    state: "open.held",
    given: [...atStore, runner("order.not_ready", { readyEstimateAtMs: null })],
    next: "order-in-hand",
    moves: ["order-in-hand", "ready", "payload", "exceptions", "give-up", "cancel"],
    ahead: ["order-in-hand", "at-unit"],
  },
  {
    state: "open.retrieved",
    given: inHand,
    next: "at-unit",
    moves: ["at-unit", ...ALWAYS],
    ahead: ["at-unit"],
  },
  { state: "open.at_unit", given: atUnit, next: null, moves: ALWAYS, ahead: [] },
  { state: "open.handoff_ready", given: ready, next: "load", moves: ["load", ...ALWAYS], ahead: ["load"] },
  {
    state: "loaded.unphotographed",
    given: [...ready, bot("SECURED")],
    next: "load",
    moves: ["load", "cancel"],
    ahead: ["load"],
  },
  {
    state: "loaded.photographed",
    given: [...ready, runner("load.recorded", { photoId: "pho_1" })],
    next: null,
    moves: ["cancel"],
    ahead: [],
  },
  { state: "canceled", given: [...atStore, cancel()], next: null, moves: [], ahead: [] },
  {
    state: "failed",
    given: [...atStore, runner("order.given_up")],
    next: null,
    moves: ["cancel"],
    ahead: [],
  },
]

const movesOf = (group: GroupUnderTest): readonly RunnerMove[] =>
  allowedMoves(dry, group.group, group.nowMs).moves.map(({ move }) => move)

describe("the moves of a runner task", () => {
  test("the table has every state of the machine", () => {
    const { states } = machines["runner-task@1"]
    const leaves = Object.entries(states).flatMap(([name, { states: inner }]) =>
      Object.keys(inner).length === 0 ? [name] : Object.keys(inner).map((one) => `${name}.${one}`),
    )
    expect(rows.map(({ state }) => state).toSorted()).toEqual(leaves.toSorted())
  })

  test.each(rows)("$state: next $next", ({ state, given, next, moves, ahead }) => {
    const group = book({ payloadLimit: LIMIT }).given(given)
    const before = unnumbered(group.group)
    expect(group.state("runner-task")).toBe(state)
    const allowed = allowedMoves(dry, group.group, group.nowMs)
    expect(allowed.next_move).toBe(next)
    expect(allowed.moves.map(({ move }) => move)).toEqual(moves)
    expect(allowed.raisable_exceptions.length > 0).toBe(state.startsWith("open."))
    expect(movesAhead(dry, group.group, group.nowMs).map(({ move }) => move)).toEqual(ahead)
    expect(unnumbered(group.group)).toEqual(before)
  })

  /** With everything that the event can say, so that only the state refuses. */
  const said: readonly (readonly [RunnerMove, Step])[] = [
    ["runner", runner("runner.assigned", { runnerId: "run_2" })],
    ["at-store", runner("runner.at_store")],
    ["order-in-hand", runner("order.in_hand")],
    ["at-unit", runner("runner.at_unit")],
    ["load", runner("load.recorded", { photoId: "pho_2" })],
    ["ready", runner("order.ready")],
    ["hold", runner("order.not_ready", { readyEstimateAtMs: null })],
    ["payload", runner("payload.measured", { measure: { weightKg: 3, dimensionsCm: null } })],
    ["open-link", runner("open_link.retried")],
    ["exceptions", runner("exception.raised", { code: "stall_blocked" })],
    ["give-up", runner("order.given_up")],
    ["cancel", cancel("runner")],
  ]

  test.each(rows)("$state: what is listed is taken, and what is not listed changes nothing", ({ given }) => {
    for (const [move, step] of said) {
      const group = book({ payloadLimit: LIMIT }).given(given)
      const before = unnumbered(group.group)
      const listed = allowedMoves(dry, group.group, group.nowMs).moves.find((one) => one.move === move)
      const outcome = group.take(step)
      if (listed === undefined) {
        expect(unnumbered(group.group), move).toEqual(before)
        continue
      }
      expect(outcome?.type, move).toBe("answered")
      const after = handoffStatus(group.group.actors, group.group.address)
      expect(listed.handoff_status ?? after, move).toBe(after)
    }
  })
})

describe("moves that depend on more than the state", () => {
  test("the open link is retried after it failed, beside the load", () => {
    const group = book().given(ready)
    expect(movesOf(group)).not.toContain("open-link")
    group.given([1, 2, 3].flatMap(failedAttempt))
    const { next_move, moves } = allowedMoves(dry, group.group, group.nowMs)
    expect(next_move).toBe("load")
    expect(moves.map(({ move }) => move)).toContain("open-link")
  })

  test("a bot that is ready lets the load be made ahead", () => {
    const group = book().given([bot("READY_FOR_HANDOFF"), ...inHand])
    const ahead = movesAhead(dry, group.group, group.nowMs)
    expect(ahead.map(({ move, handoff_status }) => [move, handoff_status])).toEqual([
      ["at-unit", "HANDOFF_READY"],
      ["load", "LOADED"],
    ])
  })

  test("a raised exception is not raised again, and two say that they end the task", () => {
    const group = book().given([runner("exception.raised", { code: "stall_blocked" })])
    const { raisable_exceptions } = allowedMoves(dry, group.group, group.nowMs)
    expect(raisable_exceptions).toEqual(EXCEPTION_CODES.filter((code) => code !== "stall_blocked"))
  })

  test("a move says the statuses after it", () => {
    const { moves } = allowedMoves(dry, book().given(atStore).group, 0)
    const after = (name: RunnerMove) => moves.find(({ move }) => move === name)
    expect(after("give-up")).toMatchObject({ handoff_status: "FAILED", reservation_status: "confirmed" })
    expect(after("cancel")).toMatchObject({ handoff_status: "CANCELED", reservation_status: "canceled" })
  })

  test("without runner service the reservation can only be canceled", () => {
    const group = book({ hasRunner: false })
    expect(allowedMoves(dry, group.group, group.nowMs)).toEqual({
      next_move: null,
      moves: [{ move: "cancel", handoff_status: null, reservation_status: "canceled" }],
      raisable_exceptions: [],
    })
  })
})
