/** The clock of the demo's organization in the sandbox, which may have been moved: windows of examples count from it. */

let aheadMs = 0

/** Reads the clock; without an answer the last one stays. Returns by how many ms it is ahead of real time. */
export async function readDemoClock(key: string): Promise<number> {
  try {
    const response = await fetch("/sandbox/v1/clock", { headers: { Authorization: `Bearer ${key}` } })
    const { data } = (await response.json()) as {
      readonly data?: { readonly clock?: { readonly now: string } }
    }
    const now = data?.clock?.now
    if (now !== undefined) aheadMs = Date.parse(now) - Date.now()
  } catch {
    // The request that follows says what is wrong.
  }
  return aheadMs
}

/** The demo's present instant, by the last answer. */
export function demoNowMs(): number {
  return Date.now() + aheadMs
}
