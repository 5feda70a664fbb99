/**
 * A small model of the reservations contract, written from its document alone: which answers a call may have, given what
 * the reservation was before it. Source: reservations contract, states and transitions, create, report bot status, errors.
 */

import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import { durationIfGiven, textIfGiven, textOf } from "../../scenario/language/field-values.ts"
import type { FieldValues, TimeRef } from "../../scenario/language/language.ts"
import { zoneIdAt } from "../../scenario/language/worlds.ts"
import type { Answered, SwarmCheck, Watched } from "../invariant.ts"
import type { Move } from "../plan.ts"
import { contextOf, hasDueTimer, leafOf } from "../seen.ts"

interface Before {
  readonly status: string
  readonly bot: string
  readonly revision: number
}

const ORDER = ["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED"]
const isOver = (status: string): boolean => status === "completed" || status === "canceled"

export function reservationModel({ run, plan }: Watched): SwarmCheck {
  const beforeByMove = new Map<Move, Before>()
  const idByKey = new Map<string, { readonly id: string; readonly said: string }>()
  const brokenHosts = new Map<string, string>()
  const before = (move: Move): Before | null => {
    const id = run.reservationId(move.act.for ?? "")
    const group = id === null ? null : run.service.host.groups.get(`reservation/${id}`)
    if (group === null || hasDueTimer(group, run.nowMs)) return null
    const bot = contextOf(group, `${group.address}/bot`)["status"] ?? null
    return {
      status: leafOf(group, group.address),
      bot: bot === null ? "" : String(bot),
      revision: group.revision,
    }
  }
  return {
    onAsked: (move) => {
      const known = before(move)
      if (known === null) beforeByMove.delete(move)
      else beforeByMove.set(move, known)
      return null
    },
    onAnswered: (answered) => {
      const { move, outcome, startedMs, endedMs } = answered
      const { act } = move
      if (act.verb !== "do" || outcome.type === "lost" || startedMs !== endedMs) return null
      if (act.command === "reservation.create") return created(answered, { plan, run, idByKey, brokenHosts })
      const known = beforeByMove.get(move)
      if (known === undefined) return null
      const code = outcome.type === "taken" ? "taken" : outcome.code
      const allowed = allowedFor(act.command, act.with, known, { plan, run, nowMs: startedMs })
      if (allowed === null || allowed.includes(code)) return null
      return `${act.command} of a reservation that is ${known.status}, with a bot ${known.bot || "unreported"}: ${code}, and the contract allows ${allowed.join(", ")}`
    },
  }
}

interface At extends Pick<Watched, "plan" | "run"> {
  readonly nowMs: number
}

function allowedFor(command: string, values: FieldValues, before: Before, at: At): readonly string[] | null {
  switch (command) {
    case "bot.report":
      return [botReport(textOf(values, "status"), before)]
    case "reservation.cancel":
    case "reservation.cancel_by_runner":
    case "reservation.cancel_by_operations":
      return [before.status === "completed" ? "INVALID_STATE" : "taken"]
    case "reservation.read":
      return ["taken"]
    case "reservation.move_window": {
      if (before.status !== "confirmed") return ["INVALID_STATE"]
      const wrong = windowCodes(values, at)
      return wrong.length === 0 ? ["taken"] : wrong
    }
    case "sandbox.advance":
      if (at.plan.world.environment === "production") return ["NOT_FOUND"]
      return isOver(before.status) || before.bot === "ABORTED"
        ? ["INVALID_STATE"]
        : ["taken", "INVALID_STATE"]
    default:
      return null
  }
}

function botReport(reported: string, { status, bot }: Before): string {
  if (isOver(status)) return reported === bot ? "taken" : "INVALID_STATE"
  if (bot === "" || reported === bot) return "taken"
  if (bot === "ABORTED") return "BOT_STATUS_REGRESSION"
  if (reported === "ABORTED")
    return ORDER.indexOf(bot) < ORDER.indexOf("SECURED") ? "taken" : "BOT_STATUS_REGRESSION"
  return ORDER.indexOf(reported) > ORDER.indexOf(bot) ? "taken" : "BOT_STATUS_REGRESSION"
}

/** The codes of every rule that the window breaks. */
function windowCodes(values: FieldValues, { plan, run, nowMs }: At): readonly string[] {
  const [from, to] = values["window"] as readonly [TimeRef, TimeRef]
  const startsMs = run.clock.resolve(from, nowMs)
  const widthMs = run.clock.resolve(to, nowMs) - startsMs
  const { policy } = plan.world
  const most = (name: string, usualMs: number): number => durationIfGiven(policy, name) ?? usualMs
  return [
    ...(startsMs <= nowMs ? ["WINDOW_IN_PAST"] : []),
    ...(startsMs - nowMs > most("window_ahead_max", 24 * HOUR_MS) ? ["WINDOW_TOO_FAR_OUT"] : []),
    ...(widthMs < most("window_width_min", 5 * MINUTE_MS) ? ["WINDOW_TOO_SHORT"] : []),
    ...(widthMs > most("window_width_max", 120 * MINUTE_MS) ? ["WINDOW_TOO_LONG"] : []),
  ]
}

interface Creating extends Pick<Watched, "plan" | "run"> {
  readonly idByKey: Map<string, { readonly id: string; readonly said: string }>
  readonly brokenHosts: ReadonlyMap<string, string>
}

/** One key gives one reservation; another request under it is a conflict; otherwise the booking rules decide. */
function created({ move, outcome, startedMs }: Answered, { plan, run, idByKey }: Creating): string | null {
  const { act } = move
  if (outcome.type === "lost") return null
  const code = outcome.type === "taken" ? "taken" : outcome.code
  // A booking without a key is another one each time.
  const key = textIfGiven(act.with, "idempotency_key")
  const said = JSON.stringify({ ...act.with, window: null })
  const known = key === undefined ? undefined : idByKey.get(key)
  const id = outcome.type === "taken" ? idIn(outcome.value) : ""
  if (known !== undefined) {
    if (code !== "taken") {
      const isConflict = known.said !== said && code === "IDEMPOTENCY_KEY_REUSED"
      return isConflict ? null : `a retry under ${key} was refused with ${code}`
    }
    if (known.said !== said) return `another request under ${key} was taken`
    return known.id === id ? null : `${key} gave ${known.id} and then ${id}`
  }
  if (code === "taken") {
    if (key !== undefined) idByKey.set(key, { id, said })
    const wrong = windowCodes(act.with, { plan, run, nowMs: startedMs })
    if (wrong.length > 0) return `a booking was taken that breaks ${wrong.join(", ")}`
    return hasStalls(run, act.with) ? null : "a booking was taken in a zone without stalls"
  }
  // An answer that was lost may have made the reservation: then a retry is a replay.
  if (code === "IDEMPOTENCY_KEY_REUSED") return null
  const reasons = [
    ...windowCodes(act.with, { plan, run, nowMs: startedMs }),
    ...(hasStalls(run, act.with) ? [] : ["ZONE_HAS_NO_STALLS"]),
    "INVALID_OPEN_LINK",
    "URL_VALIDATION_UNAVAILABLE",
  ]
  const names = ["zone", "retailer"].some((name) => act.with[name] !== undefined)
  if (names && ["RETAILER_NOT_FOUND", "ZONE_NOT_FOUND"].includes(code)) return null
  return reasons.includes(code) ? null : `a booking was refused with ${code}`
}

/** Whether the zone of a booking has a stall in use. */
function hasStalls({ world }: Watched["run"], booked: FieldValues): boolean {
  const site = textIfGiven(booked, "site")
  const zoneId = textIfGiven(booked, "zone") ?? (site === undefined ? world.zoneId : zoneIdAt(site))
  const zones = world.sites.flatMap((one) => one.zones)
  return zones.some((one) => one.zoneId === zoneId && one.stalls.some(({ isActive }) => isActive))
}

function idIn(value: unknown): string {
  return (value as { readonly reservation: { readonly reservation_id: string } }).reservation.reservation_id
}
