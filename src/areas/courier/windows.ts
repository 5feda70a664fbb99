/**
 * Pickup windows: when a vehicle can be at a store, which of the store's slots fits, and what the agent should select.
 * Pure. Source: courier connector contract, timing; choices K5 to K8, R6, R7, R14; that a check uses the slots is ours (src/DECISIONS.md §389).
 */

import type { ChosenWindow, RequestedTiming, RetailerSlot } from "../../model/requests/courier-requests.ts"
import {
  PICKUP_WINDOWS_MAX,
  PICKUP_WINDOW_MS,
  SERVICE_CLOSES_AT_MINUTE,
  SERVICE_OPENS_AT_MINUTE,
} from "../../model/values/limits.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MINUTES, DAY_MS, MINUTE_MS, isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { OfferedWindow, PickupTime, TimingProblem } from "./rows.ts"
import type { OpeningHours } from "./directory/store-directory.ts"

/** A time interval, half-open. */
export interface Span {
  readonly startMs: EpochMs
  readonly endMs: EpochMs
}

/** The inputs of windows. */
export interface WindowFacts {
  readonly nowMs: EpochMs
  readonly horizonMs: number
  readonly leadTimeMs: number
  readonly hours: readonly OpeningHours[]
  readonly timeZone: string
  readonly timing: RequestedTiming
  readonly slots: readonly RetailerSlot[]
}

/** Windows on quarter hours, best first: with a slot, then near the requested time, then early. */
export function windowsFor(facts: WindowFacts): readonly OfferedWindow[] {
  const wanted = wantedSpan(facts)
  return possibleWindows(facts)
    .toSorted(
      (one, other) =>
        Number(other.slot !== null) - Number(one.slot !== null) ||
        overlapMs(other, wanted) - overlapMs(one, wanted) ||
        one.startMs - other.startMs,
    )
    .slice(0, PICKUP_WINDOWS_MAX)
}

/** The window that the agent chose of those that are possible; null if it is none of them. */
export function chosenWindow(chosen: ChosenWindow, facts: WindowFacts): OfferedWindow | null {
  const isChosen = ({ startMs, endMs }: Span) => startMs === chosen.start && endMs === chosen.end
  return possibleWindows(facts).find(isChosen) ?? null
}

function possibleWindows(facts: WindowFacts): readonly OfferedWindow[] {
  const { nowMs, horizonMs, leadTimeMs, slots } = facts
  const first = Math.ceil((nowMs + leadTimeMs) / PICKUP_WINDOW_MS) * PICKUP_WINDOW_MS
  const windows: OfferedWindow[] = []
  for (let startMs = first; startMs <= nowMs + horizonMs; startMs += PICKUP_WINDOW_MS) {
    const span = { startMs, endMs: startMs + PICKUP_WINDOW_MS }
    if (isInHours(span, facts)) windows.push({ ...span, slot: slotFor(span, slots) })
  }
  return windows
}

/** False when no part of the requested window within the horizon allows a handover. */
export function isOpenThen({ timing, ...facts }: WindowFacts): boolean {
  if (timing.type === "asap") return true
  const endMs = Math.min(timing.end, facts.nowMs + facts.horizonMs + 1)
  // Begins at now: an agent may send any start, and the past is skipped at no cost.
  const first = Math.floor(Math.max(timing.start, facts.nowMs) / PICKUP_WINDOW_MS) * PICKUP_WINDOW_MS
  for (let startMs = first; startMs < endMs; startMs += PICKUP_WINDOW_MS) {
    if (isInHours({ startMs, endMs: startMs + PICKUP_WINDOW_MS }, facts)) return true
  }
  return false
}

/** True when the requested window begins beyond the horizon or is over. */
export function isOutOfReach(timing: RequestedTiming, nowMs: EpochMs, horizonMs: number): boolean {
  return timing.type === "window" && (timing.start > nowMs + horizonMs || timing.end <= nowMs)
}

/**
 * Why neither the requested window nor the store's slots allow a pickup; null if they do. Slots count only if the agent
 * reported some.
 */
export function timingProblemOf(facts: WindowFacts): TimingProblem | null {
  const { timing, nowMs, horizonMs, leadTimeMs, slots } = facts
  if (isOutOfReach(timing, nowMs, horizonMs)) return "out_of_reach"
  if (!isOpenThen(facts)) return "closed"
  if (timing.type === "window" && timing.end <= nowMs + leadTimeMs) return "before_lead_time"
  if (slots.length === 0) return null
  const inReach = slotsInReach(facts)
  if (inReach.length === 0) return "slots_out_of_reach"
  return inReach.some((slot) => isOpenFor(slot, facts)) ? null : "closed"
}

/** Slots that end after the lead time and begin within the horizon, the earliest first. */
function slotsInReach({ nowMs, horizonMs, leadTimeMs, slots }: WindowFacts): readonly RetailerSlot[] {
  return slots
    .filter(({ start, end }) => start <= nowMs + horizonMs && end > nowMs + leadTimeMs)
    .toSorted((one, other) => one.start - other.start)
}

function isOpenFor(slot: RetailerSlot, facts: WindowFacts): boolean {
  return firstPickupIn(slot, facts) !== null
}

/**
 * When a vehicle can first be at the store in one of its slots: at its beginning or, if the store or the service is closed
 * then, in its first window; null if it has none within the horizon.
 */
export function firstPickupIn({ start, end }: RetailerSlot, facts: WindowFacts): EpochMs | null {
  const { nowMs, horizonMs, leadTimeMs } = facts
  const startMs = Math.max(start, nowMs + leadTimeMs)
  if (isInHours({ startMs, endMs: Math.min(end, startMs + PICKUP_WINDOW_MS) }, facts)) return startMs
  const endMs = Math.min(end, nowMs + horizonMs + 1)
  return firstWindowIn({ startMs, endMs }, facts)?.startMs ?? null
}

/**
 * The slot to select when no window matches one. Null while the store has a slot in reach from the window on, because
 * the agent then selects the earliest of those.
 */
export function slotInstead(best: OfferedWindow | null, facts: WindowFacts): RetailerSlot | null {
  const open = slotsInReach(facts).filter((slot) => isOpenFor(slot, facts))
  const isLater = best !== null && open.some(({ start }) => start >= best.startMs)
  return isLater ? null : (open[0] ?? null)
}

/**
 * The first window on quarter hours within opening hours, after the lead time and not before the requested start, and
 * in one of the store's slots if any of them allows a pickup; null when there is none within a week. It can be booked
 * once it is within the horizon.
 */
export function firstWindowAfter({ slots = [], ...facts }: NextFacts): Span | null {
  const { nowMs, leadTimeMs, timing } = facts
  const wantedMs = timing.type === "window" && timing.end > nowMs ? timing.start : nowMs
  const fromMs = Math.max(nowMs + leadTimeMs, wantedMs)
  for (const { start, end } of slots.toSorted((one, other) => one.start - other.start)) {
    // The first day of a slot is enough, and bounds the search.
    const found = firstWindowIn(
      { startMs: Math.max(start, fromMs), endMs: Math.min(end, start + DAY_MS) },
      facts,
    )
    if (found !== null) return found
  }
  return firstWindowIn({ startMs: fromMs, endMs: nowMs + WEEK_MS }, facts)
}

type NextFacts = Omit<WindowFacts, "horizonMs" | "slots"> & Partial<Pick<WindowFacts, "slots">>

/** The first window that begins in the span. */
function firstWindowIn(
  { startMs: fromMs, endMs: untilMs }: Span,
  facts: Pick<WindowFacts, "hours" | "timeZone">,
): Span | null {
  const first = Math.ceil(fromMs / PICKUP_WINDOW_MS) * PICKUP_WINDOW_MS
  for (let startMs = first; startMs < untilMs; startMs += PICKUP_WINDOW_MS) {
    const span = { startMs, endMs: startMs + PICKUP_WINDOW_MS }
    if (isInHours(span, facts)) return span
  }
  return null
}

const WEEK_MS = 7 * DAY_MS

/** True when it is completely inside the store's hours and the service's, in the store's local time. */
function isInHours(span: Span, { hours, timeZone }: Pick<WindowFacts, "hours" | "timeZone">): boolean {
  const startWall = wallClockAt(span.startMs, timeZone)
  const length = (span.endMs - span.startMs) / MINUTE_MS
  const midnight = Math.floor(startWall / DAY_MS) * DAY_MS
  const minute = (startWall - midnight) / MINUTE_MS
  if (minute < SERVICE_OPENS_AT_MINUTE || minute + length > SERVICE_CLOSES_AT_MINUTE) return false
  const weekday = new Date(midnight).getUTCDay()
  return hours.some(
    (open) =>
      (open.weekday === weekday && open.opensAtMinute <= minute && minute + length <= open.closesAtMinute) ||
      // The previous evening's hours, if they continue past midnight.
      ((open.weekday + 1) % 7 === weekday &&
        open.opensAtMinute <= minute + DAY_MINUTES &&
        minute + DAY_MINUTES + length <= open.closesAtMinute),
  )
}

/**
 * A slot that the vehicle can keep: it begins within the horizon, has not ended, and its first window from now on is
 * within the hours.
 */
export function isFeasibleSlot(
  slot: RetailerSlot,
  facts: Pick<WindowFacts, "horizonMs" | "hours" | "nowMs" | "timeZone">,
): boolean {
  const { nowMs, horizonMs } = facts
  if (slot.start > nowMs + horizonMs || slot.end <= nowMs) return false
  const startMs = Math.max(slot.start, nowMs)
  return isInHours({ startMs, endMs: Math.min(slot.end, startMs + PICKUP_WINDOW_MS) }, facts)
}

/** A slot that contains the window or lies in it; of several the one that begins first. */
function slotFor(span: Span, slots: readonly RetailerSlot[]): RetailerSlot | null {
  const fitting = slots.filter(
    ({ start, end }) =>
      (start <= span.startMs && end >= span.endMs) || (start >= span.startMs && end <= span.endMs),
  )
  return fitting.toSorted((one, other) => one.start - other.start)[0] ?? null
}

/** The `slot_id`: the slot's id, else its label, else its start. */
export function slotIdOf(slot: RetailerSlot): string {
  return filled(slot.id) ?? filled(slot.label) ?? isoMs(slot.start)
}

/** The choice at checkout: the slot's label, else its id, else both ends. */
function slotSelection(slot: RetailerSlot): string {
  return filled(slot.label) ?? filled(slot.id) ?? `${isoMs(slot.start)}/${isoMs(slot.end)}`
}

function filled(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" ? null : text
}

function wantedSpan({ timing, nowMs, leadTimeMs }: WindowFacts): Span {
  if (timing.type === "window") return { startMs: timing.start, endMs: timing.end }
  return { startMs: nowMs + leadTimeMs, endMs: nowMs + leadTimeMs + PICKUP_WINDOW_MS }
}

function overlapMs(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs))
}

/** Facts for the agent's order at the store. */
interface PickupFacts {
  readonly kitchenStarts: "on_check_in" | "scheduled"
  readonly intendedSlot: RetailerSlot | null
  readonly best: OfferedWindow | null
  /** True when the user requested or chose a window, so that the vehicle does not come before it. */
  readonly isWindowRequested: boolean
  readonly earliestMs: EpochMs
  /** No pickup may begin after it. Absent when a slot is chosen. */
  readonly latestMs?: EpochMs
}

/** The three kinds of `pickup_time`. */
export function pickupTimeFor(facts: PickupFacts): PickupTime {
  const { kitchenStarts, intendedSlot, best, isWindowRequested, earliestMs, latestMs } = facts
  const slot = intendedSlot ?? best?.slot ?? null
  // The store decides: where the kitchen starts at check-in a slot only says when the vehicle comes.
  if (kitchenStarts === "on_check_in") {
    const wantedMs = intendedSlot?.start ?? (isWindowRequested ? best?.startMs : undefined)
    const atMs = Math.max(wantedMs ?? earliestMs, earliestMs)
    const when = atMs > earliestMs ? `, and the vehicle checks in at ${isoMs(atMs)}` : ""
    return {
      select: "asap",
      instruction: `Place the store order now for pickup as soon as possible: the kitchen starts at check-in${when}.`,
      atMs,
    }
  }
  if (slot !== null) {
    const select = slotSelection(slot)
    return {
      select,
      instruction: `Select the store's pickup slot "${select}" at checkout.`,
      atMs: Math.max(slot.start, earliestMs),
    }
  }
  const atMs = best?.startMs ?? earliestMs
  const select = isoMs(atMs)
  const until =
    latestMs === undefined
      ? ""
      : ` and until ${isoMs(latestMs)}; if it offers none, do not place the store order, and call cancel_delivery`
  return {
    select,
    instruction: `Select the earliest pickup slot that the store offers at or after ${select}${until}.`,
    atMs,
  }
}
