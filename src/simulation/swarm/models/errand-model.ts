/**
 * A small model of the courier connector: the table of tools and states, written from its contract and from the choices
 * for what it leaves open. Source: courier connector contract, states and transitions, clocks, idempotency.
 */

import { Struct } from "effect"
import { textIfGiven, textOf } from "../../scenario/language/field-values.ts"
import type { FieldValues } from "../../scenario/language/language.ts"
import type { Answered, SwarmCheck, Watched } from "../invariant.ts"
import type { Move } from "../plan.ts"
import { hasDueTimer, leafOf } from "../seen.ts"

/** Possible at any time: a limit, an outage or a call that is still under way. */
const ALWAYS = ["internal_error", "rate_limited", "idempotency_conflict"]

/** The states of a call: those of an errand, with what was held before and what the vehicle has. */
type State =
  | "quoted"
  | "held"
  | "lapsed"
  | "overdue"
  | "expired"
  | "declined"
  | "waiting"
  | "collected"
  | "cancelled"
  | "over"

type Tool = "reserve" | "confirm" | "pay" | "update" | "dropoff" | "cancel"

const RESERVED = ["taken", "timing_not_feasible", "no_capacity"]
const CONFIRMED = ["taken", "payment_failed", "timing_not_feasible"]
const NO = ["invalid_state"]
const GONE = ["quote_expired"]
const PAID = ["taken", "payment_failed", "invalid_state"]
const UPDATED = ["taken", "timing_not_feasible"]

const ALLOWED: Readonly<Record<Tool, Readonly<Record<State, readonly string[]>>>> = {
  reserve: row({ quoted: RESERVED, held: RESERVED, lapsed: RESERVED, overdue: GONE, expired: GONE }),
  confirm: row({ held: CONFIRMED, lapsed: CONFIRMED, overdue: CONFIRMED, expired: GONE }),
  pay: row({ held: PAID, lapsed: PAID, overdue: GONE, expired: GONE }),
  update: row({ held: UPDATED, lapsed: ["hold_expired"], overdue: GONE, expired: GONE, waiting: UPDATED }),
  dropoff: row({
    held: UPDATED,
    lapsed: ["hold_expired"],
    overdue: GONE,
    expired: GONE,
    waiting: UPDATED,
    collected: UPDATED,
  }),
  cancel: row({
    quoted: ["taken"],
    held: ["taken"],
    lapsed: ["taken"],
    overdue: ["taken"],
    expired: ["taken"],
    waiting: ["taken"],
    cancelled: ["taken"],
  }),
}

function row(cells: Partial<Record<State, readonly string[]>>): Readonly<Record<State, readonly string[]>> {
  return {
    quoted: NO,
    held: NO,
    lapsed: NO,
    overdue: NO,
    expired: NO,
    declined: NO,
    waiting: NO,
    collected: NO,
    cancelled: NO,
    over: NO,
    ...cells,
  }
}

const TOOL_BY_COMMAND: Readonly<Record<string, Tool>> = {
  "errand.reserve": "reserve",
  "errand.confirm": "confirm",
  "errand.pay": "pay",
  "errand.ready_at": "update",
  "errand.change_order": "update",
  "errand.choose_slot": "update",
  "errand.choose_window": "update",
  "errand.tell_check_in": "update",
  "errand.tell_requirements": "update",
  "errand.tell_contact": "update",
  "errand.report_issue": "update",
  "errand.tell_dropoff": "dropoff",
  "errand.cancel": "cancel",
}

/** A key is a user's own. */
function keyOf(values: FieldValues): string {
  return `${textIfGiven(values, "by")} ${textIfGiven(values, "idempotency_key")}`
}

/** The answers that the table of tools and states allows. */
export function errandModel(watched: Watched): SwarmCheck {
  const stateByMove = new Map<Move, State | null>()
  /** Keys of calls that began before: what such a call did is answered again, also if its first answer was lost. */
  const used = new Set<string>()
  const replays = new Set<Move>()
  return {
    onAsked: (move) => {
      stateByMove.set(move, stateOf(watched, move.act.for ?? ""))
      const key = keyOf(move.act.with)
      if (used.has(key)) replays.add(move)
      used.add(key)
      return null
    },
    onAnswered: ({ move, outcome, startedMs, endedMs }) => {
      const { act } = move
      const tool = act.verb === "do" ? TOOL_BY_COMMAND[act.command] : undefined
      if (act.verb !== "do" || tool === undefined || outcome.type === "lost" || startedMs !== endedMs)
        return null
      const code = outcome.type === "taken" ? "taken" : outcome.code
      const isReplay = code === "taken" && replays.has(move)
      const state = stateByMove.get(move) ?? null
      if (
        state === null ||
        isReplay ||
        ALWAYS.includes(code) ||
        code === "not_found" ||
        code === "invalid_token"
      )
        return null
      const allowed = ALLOWED[tool][state]
      return allowed.includes(code)
        ? null
        : `${act.command} of an errand that is ${state}: ${code}, and the contract allows ${allowed.join(", ")}`
    },
  }
}

/** Null while a request to the processor is in flight, when a call first waits. */
function stateOf({ run }: Watched, name: string): State | null {
  const { groups, time } = run.service.host
  const id = run.errandIds.get(name)
  const group = id === undefined ? null : groups.get(`courier-order/${id}`)
  if (group === null) return null
  if (hasDueTimer(group, time.nowMs)) return null
  const phase = leafOf(group, group.address)
  switch (phase) {
    case "authorizing":
    case "capturing":
      return null
    case "quoted":
    case "held":
    case "lapsed":
    case "overdue":
    case "expired":
    case "cancelled":
      return phase
    case "booked":
      return stageOf(leafOf(groups.get(`delivery/${id}`) ?? group, `delivery/${id}`))
    case "failed":
      return "over"
    default:
      return "declined"
  }
}

function stageOf(status: string): State {
  if (status === "completed" || status === "cancelled") return "over"
  return ["loaded", "en_route_to_customer", "arrived_at_customer"].includes(status) ? "collected" : "waiting"
}

/** A key of a user gives one answer: a success is stored and comes again, apart from its tracking link. */
export function oneAnswer(): SwarmCheck {
  const answerByKey = new Map<string, string>()
  return {
    onAnswered: ({ move: { act }, outcome }: Answered) => {
      if (act.verb !== "do" || outcome.type !== "taken" || act.with["idempotency_key"] === undefined)
        return null
      if (!act.command.startsWith("errand.")) return null
      const key = keyOf(act.with)
      const answer = JSON.stringify(
        Struct.omit(outcome.value as Readonly<Record<string, unknown>>, "tracking_url"),
      )
      const first = answerByKey.get(key)
      if (first === undefined) answerByKey.set(key, answer)
      return first === undefined || first === answer
        ? null
        : `the call ${key} was answered ${first} and then ${answer}`
    },
  }
}

/** Another user's errand is unknown to a caller. */
export function ownErrands({ run }: Watched): SwarmCheck {
  const ownerByName = new Map<string, string>()
  return {
    onAnswered: ({ move: { act }, outcome }: Answered) => {
      if (
        act.verb !== "do" ||
        !act.command.startsWith("errand.") ||
        textIfGiven(act.with, "by") === undefined
      )
        return null
      const by = textOf(act.with, "by")
      if (act.command === "errand.check") {
        const id = run.errandIds.get(act.as ?? "")
        if (outcome.type === "taken" && id !== undefined && !ownerByName.has(id)) ownerByName.set(id, by)
        return null
      }
      const owner = ownerByName.get(run.errandIds.get(act.for ?? "") ?? "")
      if (owner === undefined || owner === by || outcome.type !== "taken") return null
      return `${act.command} by ${by} was taken for an errand of ${owner}`
    },
  }
}
