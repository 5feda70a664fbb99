/**
 * Booking rules: the decision functions that a turn runs when a reservation is created or its window moved.
 * Source: reservations contract, create reservation. Limits are inclusive; refusals come in a fixed order.
 */

import { Refused } from "../../model/errors.ts"
import type { RefusalCode } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { MINUTE_MS, isoMs } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Decided } from "../../kernel/program.ts"
import type { WindowLimits } from "../policies.ts"

/** What booking reads outside the group. */
export type BookingFacts = {
  readonly zone: "known" | "unknown"
  readonly retailer: "supported" | "unsupported"
  readonly limits: { readonly [K in keyof WindowLimits]: number }
  readonly openLinkText: "fine" | "refused"
  readonly openLinkHost: "public" | "refused" | "unavailable"
  readonly stalls: readonly StallLoad[]
}

/** An active stall and how many open reservations overlap the window. */
export type StallLoad = {
  readonly stallId: string
  readonly label: string | null
  readonly overlapping: number
}

type Window = { readonly startsAtMs: EpochMs; readonly endsAtMs: EpochMs }

/** Chooses the stall, or says which rule the booking breaks first. */
export function book(facts: JsonObject, asked: JsonObject, atMs: EpochMs): Decided {
  const { zone, retailer, limits, openLinkText, openLinkHost, stalls } = facts as unknown as BookingFacts
  if (zone === "unknown") return { refusal: "ZONE_NOT_FOUND" }
  if (retailer === "unsupported") return { refusal: "RETAILER_NOT_SUPPORTED_IN_ZONE" }
  const broken = brokenWindowRule(asked as unknown as Window, limits, atMs)
  if (broken !== null) return { refusal: broken }
  if (openLinkText === "refused") return { refusal: "INVALID_OPEN_LINK" }
  const stall = leastLoaded(stalls)
  if (stall === null) return { refusal: "ZONE_HAS_NO_STALLS" }
  if (openLinkHost === "refused") return { refusal: "INVALID_OPEN_LINK" }
  if (openLinkHost === "unavailable") return { refusal: "URL_VALIDATION_UNAVAILABLE" }
  return { stallId: stall.stallId }
}

/** The new bounds, and the rule that they break if one does. The stall stays. */
export function moveWindow(facts: JsonObject, asked: JsonObject, atMs: EpochMs): Decided {
  const { limits } = facts as unknown as { readonly limits: WindowLimits }
  const { startsAtMs, endsAtMs } = asked as unknown as Window
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

/** A refusal of a window with the bound that it breaks, and what was asked for; any other refusal as it is. */
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
