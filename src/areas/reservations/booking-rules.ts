/**
 * Booking rules: the decision functions that a turn runs when a reservation is created or its window is moved. Source:
 * reservations contract, create reservation. Limits are inclusive; refusals have a fixed order.
 */

import { Refused } from "../../model/values/errors.ts"
import type { RefusalCode } from "../../model/values/errors.ts"
import { MINUTE_MS, isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Decided, Facts } from "../../../machines/contracts.ts"
import type { StallLoad } from "../../../machines/reservation-contract.ts"
import type { WindowLimits } from "../../model/reservation.ts"

type Window = { readonly startsAtMs: EpochMs; readonly endsAtMs: EpochMs }

/** Chooses the stall, or returns the first rule that the booking breaks. */
export function book(facts: Facts<"book@1">, asked: Window, atMs: EpochMs): Decided<"book@1"> {
  const { zone, retailer, limits, openLinkText, openLinkHost, stalls } = facts
  if (zone === "unknown") return { refusal: "ZONE_NOT_FOUND" }
  if (retailer === "unsupported") return { refusal: "RETAILER_NOT_SUPPORTED_IN_ZONE" }
  const broken = brokenWindowRule(asked, limits, atMs)
  if (broken !== null) return { refusal: broken }
  if (openLinkText === "refused") return { refusal: "INVALID_OPEN_LINK" }
  const stall = leastLoaded(stalls)
  if (stall === null) return { refusal: "ZONE_HAS_NO_STALLS" }
  if (openLinkHost === "refused") return { refusal: "INVALID_OPEN_LINK" }
  if (openLinkHost === "unavailable") return { refusal: "URL_VALIDATION_UNAVAILABLE" }
  return { stallId: stall.stallId }
}

/** The new bounds, and the rule that they break, if any. The stall stays. */
export function moveWindow(
  { limits }: Facts<"move-window@1">,
  { startsAtMs, endsAtMs }: Window,
  atMs: EpochMs,
): Decided<"move-window@1"> {
  const broken = brokenWindowRule({ startsAtMs, endsAtMs }, limits, atMs)
  return broken === null ? { startsAtMs, endsAtMs } : { startsAtMs, endsAtMs, refusal: broken }
}

/** The stall with the fewest overlapping reservations; ties go to the lowest label, then the lowest id. */
export function leastLoaded(stalls: readonly StallLoad[]): StallLoad | null {
  let best: StallLoad | null = null
  for (const stall of stalls) if (best === null || comesBefore(stall, best)) best = stall
  return best
}

function comesBefore(stall: StallLoad, other: StallLoad): boolean {
  if (stall.overlapping !== other.overlapping) return stall.overlapping < other.overlapping
  const label = stall.label ?? ""
  const otherLabel = other.label ?? ""
  return label === otherLabel ? stall.stallId < other.stallId : label < otherLabel
}

/** A refusal of a window with the broken bound and the requested value; any other refusal unchanged. */
export function withBound(refused: Refused, window: Window, limits: WindowLimits): Refused {
  const { startsAtMs, endsAtMs } = window
  const minutes = (ms: number) => `${ms / MINUTE_MS} minutes`
  const width = endsAtMs - startsAtMs
  const [start, end] = ["arrival_window_start", "arrival_window_end"]
  const problem = {
    WINDOW_IN_PAST: [start, `must be in the future, is ${isoMs(startsAtMs)}`],
    WINDOW_TOO_FAR_OUT: [
      start,
      `must be at most ${minutes(limits.aheadMsMax)} ahead, is ${isoMs(startsAtMs)}`,
    ],
    WINDOW_TOO_SHORT: [
      end,
      `must be at least ${minutes(limits.widthMsMin)} after the start, is ${minutes(width)}`,
    ],
    WINDOW_TOO_LONG: [
      end,
      `must be at most ${minutes(limits.widthMsMax)} after the start, is ${minutes(width)}`,
    ],
  } as const satisfies Partial<Record<RefusalCode, readonly [string | undefined, string]>>
  const { code } = refused
  if (!(code in problem)) return refused
  const [field = "", message] = problem[code as keyof typeof problem]
  return new Refused({ code, problems: [{ field, message }] })
}

function brokenWindowRule(window: Window, limits: WindowLimits, atMs: EpochMs): RefusalCode | null {
  const width = window.endsAtMs - window.startsAtMs
  if (window.startsAtMs <= atMs) return "WINDOW_IN_PAST"
  if (window.startsAtMs > atMs + limits.aheadMsMax) return "WINDOW_TOO_FAR_OUT"
  if (width < limits.widthMsMin) return "WINDOW_TOO_SHORT"
  if (width > limits.widthMsMax) return "WINDOW_TOO_LONG"
  return null
}
