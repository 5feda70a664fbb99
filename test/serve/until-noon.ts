/** For `CLOCK_OFF_MS`: how far the clock of a service is set ahead, so that stores in Austin are open. */

const HOUR_MS = 3_600_000

/** How far the next noon in Austin is, to the hour. */
export function untilNoonMs(): number {
  const hourIn = (atMs: number): string =>
    new Date(atMs).toLocaleString("en-US", { timeZone: "America/Chicago", hour: "numeric", hour12: false })
  const hours = Array.from({ length: 24 }, (_, at) => at).find(
    (at) => hourIn(Date.now() + at * HOUR_MS) === "12",
  )
  return (hours ?? 0) * HOUR_MS
}
