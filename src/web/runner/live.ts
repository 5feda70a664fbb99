/**
 * When to read again. The page asks each few seconds while it is shown, and at once when the network or the page comes
 * back. A stream of the site's changes would call `read` from here, and nothing else would change.
 */

/** ms */
const INTERVAL_MS = 4000

/** Calls `read` until the answer is called; never two reads at a time. */
export function follow(read: () => Promise<void>): () => void {
  let isStopped = false
  let isReading = false
  const now = async (): Promise<void> => {
    if (isStopped || isReading || document.visibilityState === "hidden") return
    isReading = true
    try {
      await read()
    } finally {
      isReading = false
    }
  }
  const soon = (): void => void now()
  const timer = window.setInterval(soon, INTERVAL_MS)
  window.addEventListener("online", soon)
  document.addEventListener("visibilitychange", soon)
  soon()
  return () => {
    isStopped = true
    window.clearInterval(timer)
    window.removeEventListener("online", soon)
    document.removeEventListener("visibilitychange", soon)
  }
}
