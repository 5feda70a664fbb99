/**
 * The moves that a runner task takes now. Each move is tried on the machines, so that neither boards nor phones repeat
 * their rules; only the order of the moves without exceptions is known here.
 */

import { EXCEPTION_CODES } from "../../model/handoff.ts"
import { HAPPY_MOVES, RUNNER_MOVES } from "../../model/requests/runner-moves.ts"
import type { AllowedMove, AllowedMoves, MoveAhead, RunnerMove } from "../../model/requests/runner-moves.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { isTaken } from "../../engine/services/dry-run.ts"
import type { DryResult, DryRun, DryTurn } from "../../engine/services/dry-run.ts"
import { handoffStatus, reservationStatus } from "./record.ts"

type Dry = DryRun["Type"]
type TaskEvent = Turn<"runner-task">["event"]

/** The runner and the photo of a trial; they reach no row. */
const SOME_RUNNER = "runner"
const SOME_PHOTO = "photo"

/** An event of each move. What it says does not decide whether its state takes it. */
const EVENTS: Readonly<Record<Exclude<RunnerMove, "cancel" | "exceptions">, TaskEvent>> = {
  runner: { type: "runner.assigned", runnerId: SOME_RUNNER },
  "at-store": { type: "runner.at_store" },
  hold: { type: "order.not_ready", readyEstimateAtMs: null },
  ready: { type: "order.ready" },
  "order-in-hand": { type: "order.in_hand" },
  payload: { type: "payload.measured", measure: { weightKg: null, dimensionsCm: null } },
  "give-up": { type: "order.given_up" },
  "at-unit": { type: "runner.at_unit" },
  load: { type: "load.recorded", photoId: SOME_PHOTO },
  "open-link": { type: "open_link.retried" },
}

/** Cost: a dozen turns in memory, each of some ten microseconds. */
export function allowedMoves(dry: Dry, group: Group, atMs: EpochMs): AllowedMoves {
  const raisable_exceptions = EXCEPTION_CODES.filter((code) => {
    const result = tried(dry, group, toTask(group, { type: "exception.raised", code }, atMs))
    return result !== null && isTaken(result)
  })
  const moves = RUNNER_MOVES.flatMap((move): readonly AllowedMove[] => {
    if (move === "exceptions") return raisable_exceptions.length === 0 ? [] : [{ move, ...UNKNOWN }]
    const result = tried(dry, group, turnOf(group, move, atMs))
    if (result !== null && isUnmeasured(result)) return [{ move, ...UNKNOWN }]
    return result !== null && isTaken(result) ? [{ move, ...statusesOf(result.group) }] : []
  })
  const next_move = HAPPY_MOVES.find((happy) => moves.some(({ move }) => move === happy)) ?? null
  return { next_move, moves, raisable_exceptions }
}

/** The moves without exceptions from here on, one after the other, as far as the machines would take them now. */
export function movesAhead(dry: Dry, group: Group, atMs: EpochMs): readonly MoveAhead[] {
  const ahead: MoveAhead[] = []
  let at = group
  let { next_move: move } = allowedMoves(dry, at, atMs)
  // A move that leads to itself would repeat for ever.
  while (move !== null && ahead.every((known) => known.move !== move)) {
    const result = tried(dry, at, turnOf(at, move, atMs))
    if (result === null || !isTaken(result)) return ahead
    at = result.group
    const handoff_status = handoffStatus(at.actors, at.address)
    if (handoff_status === null) return ahead
    const allowed = allowedMoves(dry, at, atMs)
    ahead.push({ move, handoff_status, ...allowed })
    move = allowed.next_move
  }
  return ahead
}

const UNKNOWN = { handoff_status: null, reservation_status: null }

function turnOf(group: Group, move: Exclude<RunnerMove, "exceptions">, atMs: EpochMs): DryTurn {
  if (move !== "cancel") return toTask(group, EVENTS[move], atMs)
  return { to: group.address, event: { type: "cancel.requested", by: "runner" }, atMs }
}

function toTask({ address }: Group, event: TaskEvent, atMs: EpochMs): DryTurn {
  return { to: `${address}/runner-task`, event, atMs }
}

/** Null for a move of the runner task without runner service. */
function tried(dry: Dry, group: Group, turn: DryTurn): DryResult | null {
  return group.actors.has(turn.to) ? dry.take(group, turn) : null
}

/** The state takes the move, but wants to be told the measures. */
function isUnmeasured({ outcome }: DryResult): boolean {
  return outcome.type === "refused" && outcome.code === "VALIDATION_ERROR"
}

function statusesOf({ actors, address }: Group): Pick<AllowedMove, "handoff_status" | "reservation_status"> {
  return {
    handoff_status: handoffStatus(actors, address),
    reservation_status: reservationStatus(actors, address),
  }
}
