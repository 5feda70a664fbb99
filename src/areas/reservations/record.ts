/**
 * The reservation as callers and webhooks see it, composed from its rows and from the actors at one moment.
 * Source: reservations contract, resources and their fields.
 */

import type { Address } from "../../model/address.ts"
import type { BotStatus } from "../../model/bot.ts"
import type { HandoffStatus } from "../../model/handoff.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Context, State } from "../../../machines/contracts.ts"
import type { Actor } from "../../engine/kernel/group.ts"
import { actorAt, rootOf } from "../../engine/services/actors.ts"
import type { ReservationRow, SentPayloadLimit } from "./rows.ts"

export type ReservationRecord = {
  readonly reservation_id: string
  readonly status: ReservationStatus
  readonly zone_id: string
  readonly stall_id: string
  readonly stall_label: string | null
  readonly retailer_id: string
  readonly order_number: string
  readonly end_user_name: string
  readonly end_user_phone: string
  readonly arrival_window_start: string
  readonly arrival_window_end: string
  readonly open_link_url: string
  readonly canceled_by: string | null
  readonly cancel_reason: string | null
  readonly retailer_pickup_ref: string | null
  readonly payload_limit: SentPayloadLimit | null
  readonly bot: BotBlock | null
  readonly handoff: HandoffBlock | null
  readonly created_at: string
  readonly updated_at: string
}

export type BotBlock = {
  readonly status: BotStatus
  readonly label: string | null
  readonly eta: string | null
  readonly asserted_at: string | null
}

export type HandoffBlock = {
  readonly status: HandoffStatus
  readonly task_started_at: string | null
  readonly order_in_hand_at: string | null
  readonly runner_at_unit_at: string | null
  readonly handoff_completed_at: string | null
  readonly ready_estimate: string | null
  readonly load_photo_url: string | null
  readonly load_photo_skipped: boolean | null
  readonly runner_delay_seconds: number | null
}

/** The actors of one reservation. */
export type ReservationActors = ReadonlyMap<Address, Actor>

export interface Composition {
  readonly row: ReservationRow
  readonly actors: ReservationActors
  readonly nowMs: EpochMs
  /** The signed link, in the event of the photo and in the answer of the sandbox's load; null elsewhere. */
  readonly photoUrl: string | null
}

export const HANDOFF_BY_STATE: Readonly<Record<State<"runner-task">, HandoffStatus>> = {
  queued: "QUEUED",
  assigned: "ASSIGNED",
  at_store: "AT_STORE",
  held: "HELD",
  retrieved: "RETRIEVED",
  at_unit: "AT_UNIT",
  handoff_ready: "HANDOFF_READY",
  unphotographed: "LOADED",
  photographed: "LOADED",
  canceled: "CANCELED",
  failed: "FAILED",
}

/** Statuses in which the record shows that the runner is late. */
const DELAYABLE: readonly HandoffStatus[] = ["QUEUED", "ASSIGNED", "AT_STORE", "HELD"]

/** Statuses after which the runner has nothing to do. */
const ENDED: readonly HandoffStatus[] = ["LOADED", "CANCELED", "FAILED"]

/** The whole record. Cost: a few microseconds. */
export function composeReservation({ row, actors, nowMs, photoUrl }: Composition): ReservationRecord {
  const group = `reservation/${row.reservationId}`
  const reservation = actorAt("reservation", actors, group)?.context ?? null
  return {
    reservation_id: row.reservationId,
    status: reservationStatus(actors, group),
    zone_id: row.zoneId,
    stall_id: row.stallId,
    stall_label: row.stallLabel,
    retailer_id: row.retailerId,
    order_number: row.orderNumber,
    end_user_name: row.endUserName,
    end_user_phone: row.endUserPhone,
    arrival_window_start: isoMs(reservation?.startsAtMs ?? row.startsAtMs),
    arrival_window_end: isoMs(reservation?.endsAtMs ?? row.endsAtMs),
    open_link_url: row.openLinkUrl,
    canceled_by: reservation?.canceledBy ?? null,
    cancel_reason: cancelReason(row, reservation),
    retailer_pickup_ref: row.retailerPickupRef,
    payload_limit: row.payloadLimit,
    bot: composeBot(row, actorAt("bot", actors, `${group}/bot`)?.context ?? null),
    handoff: composeHandoff(actors, group, { nowMs, photoUrl }),
    created_at: isoMs(row.createdAtMs),
    updated_at: isoMs(row.updatedAtMs),
  }
}

/** The reservation's status from its root actor's state. */
export function reservationStatus(actors: ReservationActors, group: Address): ReservationStatus {
  return rootOf("reservation", { actors, address: group }).state
}

/** The runner task's status, or null without runner service. */
export function handoffStatus(actors: ReservationActors, group: Address): HandoffStatus | null {
  const task = actorAt("runner-task", actors, `${group}/runner-task`)
  if (task === null) return null
  return HANDOFF_BY_STATE[task.state]
}

/** The bot's last status, or null before the first report. */
export function botStatus(actors: ReservationActors, group: Address): BotStatus | null {
  return actorAt("bot", actors, `${group}/bot`)?.context.status ?? null
}

/** The runner task's context, or null without runner service. */
export function runnerTaskOf(actors: ReservationActors, group: Address): Context<"runner-task"> | null {
  return actorAt("runner-task", actors, `${group}/runner-task`)?.context ?? null
}

/** When the runner of an open task should be ready; null without an open task. */
export function openTaskStagingAtMs(actors: ReservationActors, group: Address): EpochMs | null {
  const status = handoffStatus(actors, group)
  const task = runnerTaskOf(actors, group)
  if (status === null || task === null) return null
  return ENDED.includes(status) ? null : stagingAtMs(task)
}

/** When the runner should be ready: before the bot's estimate if there is one, else before the window's start. */
export function stagingAtMs(task: Context<"runner-task">): EpochMs {
  return (task.etaMs ?? task.windowStartsAtMs) - task.policy.stagingLeadMs
}

function composeBot(row: ReservationRow, bot: Context<"bot"> | null): BotBlock | null {
  if (bot === null || bot.status === null) return null
  return {
    status: bot.status,
    label: row.botLabel,
    eta: isoMs(bot.etaMs),
    asserted_at: isoMs(bot.assertedAtMs),
  }
}

function composeHandoff(
  actors: ReservationActors,
  group: Address,
  { nowMs, photoUrl }: { nowMs: EpochMs; photoUrl: string | null },
): HandoffBlock | null {
  const status = handoffStatus(actors, group)
  const task = runnerTaskOf(actors, group)
  if (status === null || task === null) return null
  const lateMs = DELAYABLE.includes(status) ? nowMs - stagingAtMs(task) : 0
  const lateSeconds = Math.floor(Math.max(0, lateMs) / 1000)
  return {
    status,
    task_started_at: isoMs(task.startedAtMs),
    order_in_hand_at: isoMs(task.orderInHandAtMs),
    runner_at_unit_at: isoMs(task.atUnitAtMs),
    handoff_completed_at: isoMs(task.completedAtMs),
    ready_estimate: isoMs(task.readyEstimateAtMs),
    load_photo_url: photoUrl,
    load_photo_skipped: task.isPhotoSkipped,
    runner_delay_seconds: lateSeconds === 0 ? null : lateSeconds,
  }
}

function cancelReason(row: ReservationRow, reservation: Context<"reservation"> | null): string | null {
  if (reservation === null || reservation.canceledBy === null) return null
  return reservation.canceledBy === "system" ? "window_expired" : row.cancelReason
}
