/** Times on the site's clock, and countdowns. */

import { useEffect, useState } from "preact/hooks"

let zone: string | undefined

/** All clock times are those of the site. */
export function useSiteZone(timezone: string | null): void {
  zone = timezone ?? undefined
}

export function clockTime(instant: number | string): string {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  return new Intl.DateTimeFormat("en", { ...time, ...(zone === undefined ? {} : { timeZone: zone }) }).format(
    new Date(instant),
  )
}

/** `12:01:55`, on the phone's clock in the site's zone. */
export function clockSeconds(instant: number | string): string {
  const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const
  return new Intl.DateTimeFormat("en", { ...time, ...(zone === undefined ? {} : { timeZone: zone }) }).format(
    new Date(instant),
  )
}

/** The time now, each second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}

export interface Countdown {
  readonly text: string
  /** For a screen reader: whole minutes. */
  readonly spoken: string
  readonly isLate: boolean
}

export function countdown(dueAt: string, nowMs: number): Countdown {
  const leftMs = Date.parse(dueAt) - nowMs
  const seconds = Math.floor(Math.abs(leftMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  const isLate = leftMs < 0
  const text =
    minutes >= 60
      ? `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`
      : `${minutes}:${String(seconds % 60).padStart(2, "0")}`
  return { text, spoken: `${minutes} minutes ${isLate ? "late" : "left"}`, isLate }
}
