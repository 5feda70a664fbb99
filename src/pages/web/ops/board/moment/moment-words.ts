/** Words about the search for the moment of a case. */

import type { MomentRecord } from "../records.ts"

type Progress = NonNullable<MomentRecord["progress"]>

export function progressWords(progress: Progress | null): string {
  switch (progress?.step) {
    case "reading":
      return "The journal of the site is read."
    case "simulating":
      return progress.futures === 0
        ? "The service learns from the weeks before."
        : `${progress.futures} futures simulated so far.`
    default:
      return "Another one is made first."
  }
}

type Reason = NonNullable<MomentRecord["reason"]>

const REASONS: Readonly<Record<Reason, string>> = {
  busy: "The service looks into others at the moment. Ask again in a minute.",
  stopped: "It was stopped.",
  took_too_long: "It took too long.",
  too_much: "More happened at the site than the service reads for this.",
  left_out: "What the service learned from the weeks before has no place for it.",
  failed: "It failed. The log of the service says why.",
}

export function failureWords({ reason, answer }: MomentRecord): string {
  return answer?.outcome ?? REASONS[reason ?? "failed"]
}

export function historyWords({ history }: MomentRecord): string {
  const { reservations = 0, reservations_wanted: wanted = 0, hours_wanted: hours = 0 } = history ?? {}
  const first = `the first of them ${hours} h before`
  return `Too little happened before to learn from: ${reservations} reservations in the 28 days before it, and ${wanted} are needed, ${first}.`
}

/** What the figures stand on. */
export function footWords({ figures }: NonNullable<MomentRecord["answer"]>): string {
  if (figures === null) return ""
  const { futures, drawn_from: from, is_cut: isCut, calibration } = figures
  const known = calibration === null ? "not calibrated yet" : `calibrated at ${calibration.moments} moments`
  const cut = isCut ? " The search was stopped before its end: the curve is coarse." : ""
  return `${futures} futures, drawn from ${from}; ${known}.${cut}`
}

export function percent(value: number): string {
  return `${Math.round(value * 100)}%`
}
