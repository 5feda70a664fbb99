/**
 * What operators can do with a reservation, in words. The service says which moves its machines take now and how the reservation
 * stands after each; nothing here decides that.
 */

import { EXCEPTION_MESSAGES } from "../../../../model/handoff.ts"
import type { ExceptionCode } from "../../../../model/handoff.ts"
import type { AllowedMove, RunnerMove } from "../../../../model/requests/runner-moves.ts"
import { TROUBLE_WORDS } from "./words.ts"

interface MoveWords {
  /** On the button. */
  readonly name: string
  /** What will happen, before it does. */
  readonly happens: string
  /** On the button that confirms it. */
  readonly confirm: string
  /** What was done. */
  readonly done: string
  readonly isDanger?: boolean
}

/** A measured payload is told by the runner who holds the order. */
export type OperatorMove = Exclude<RunnerMove, "payload">

export const MOVE_WORDS: Readonly<Record<OperatorMove, MoveWords>> = {
  runner: {
    name: "Give to…",
    happens: "The runner sees the task as theirs. A task keeps its runner.",
    confirm: "Give the task",
    done: "The task is given",
  },
  "open-link": {
    name: "Try the door again",
    happens: "The service calls the partner's open link with a new attempt, up to three times.",
    confirm: "Try the door again",
    done: "The open link is called",
  },
  hold: {
    name: "Hold…",
    happens: "The runner waits at the counter, and the partner is notified that the order is not ready.",
    confirm: "Hold the order",
    done: "The order is held",
  },
  ready: {
    name: "The order is ready",
    happens: "The hold ends; the runner can take the order.",
    confirm: "Say that it is ready",
    done: "The order is ready",
  },
  exceptions: {
    name: "Flag…",
    happens:
      "The partner is notified. The next step of the runner clears the flag, except where it ends the task.",
    confirm: "Raise the flag",
    done: "The flag is raised",
  },
  "at-store": {
    name: "The runner is at the store",
    happens: "The partner is notified that the task has started, as if the runner had pressed the button.",
    confirm: "Record this step",
    done: "Recorded: at the store",
  },
  "order-in-hand": {
    name: "The runner has the order",
    happens: "The partner is notified that the order is in hand, as if the runner had pressed the button.",
    confirm: "Record this step",
    done: "Recorded: order in hand",
  },
  "at-unit": {
    name: "The runner is at the bot",
    happens: "The partner is notified; when the bot is ready, the open link is called.",
    confirm: "Record this step",
    done: "Recorded: at the bot",
  },
  load: {
    name: "Loaded, without a photo",
    happens: "The handoff is complete. The partner sees that it has no photo.",
    confirm: "Record the load",
    done: "Recorded: loaded",
  },
  "give-up": {
    name: "Give up the order…",
    happens: "The task ends as failed, and the partner is notified that the order was not ready.",
    confirm: "Give up the order",
    done: "The order is given up",
    isDanger: true,
  },
  cancel: {
    name: "Cancel…",
    happens:
      "The reservation ends, its stall is free again, and the partner and the runner are notified. This cannot be undone.",
    confirm: "Cancel the reservation",
    done: "The reservation is canceled",
    isDanger: true,
  },
}

/** The first of these that is allowed is the primary button. */
const PRIMARY: readonly OperatorMove[] = ["open-link", "runner", "ready"]
const BESIDE: readonly OperatorMove[] = ["runner", "ready", "hold", "exceptions", "cancel"]
/** In the name of the runner, or rare. */
const MORE: readonly OperatorMove[] = ["at-store", "order-in-hand", "at-unit", "load", "give-up"]

export interface OfferedMoves {
  readonly primary: OperatorMove | null
  readonly beside: readonly OperatorMove[]
  readonly more: readonly OperatorMove[]
}

export function offered(moves: readonly AllowedMove[]): OfferedMoves {
  const isAllowed = (move: OperatorMove): boolean => moves.some((allowed) => allowed.move === move)
  const primary = PRIMARY.find(isAllowed) ?? null
  return {
    primary,
    beside: BESIDE.filter((move) => move !== primary && isAllowed(move)),
    more: MORE.filter(isAllowed),
  }
}

/** `Then the handoff is ASSIGNED.`; null when that depends on what is said. */
export function afterWords(allowed: AllowedMove | undefined): string | null {
  if (allowed === undefined) return null
  const { handoff_status: handoff, reservation_status: reservation } = allowed
  if (handoff === null && reservation === null) return null
  const parts = [
    ...(handoff === null ? [] : [`the handoff is ${handoff}`]),
    ...(reservation === null ? [] : [`the reservation is ${reservation}`]),
  ]
  return `Then ${parts.join(", and ")}.`
}

export function exceptionWords(code: ExceptionCode): string {
  return TROUBLE_WORDS[code]
}

export function exceptionAbout(code: ExceptionCode): string {
  return EXCEPTION_MESSAGES[code]
}
