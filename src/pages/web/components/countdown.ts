/** A length of time as a countdown. */

export interface Countdown {
  readonly text: string
  /** For a screen reader: whole minutes. */
  readonly spoken: string
  readonly isLate: boolean
}

/** `12:04`, from an hour on `1 h 05`; a time that is over has no minus. */
export function countdownOf(leftMs: number): Countdown {
  const seconds = Math.floor(Math.abs(leftMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  const isLate = leftMs < 0
  const text =
    minutes >= 60
      ? `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`
      : `${minutes}:${String(seconds % 60).padStart(2, "0")}`
  return { text, spoken: `${minutes} ${minutes === 1 ? "minute" : "minutes"}`, isLate }
}
