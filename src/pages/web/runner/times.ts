/** Times on the site's clock. */

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
