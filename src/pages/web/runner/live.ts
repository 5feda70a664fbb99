/**
 * When to read again: when the stream of the site says that a reservation or a call changed, and when the network or the page comes back.
 * While the stream is lost, a page that is seen asks each few seconds; a hidden one waits for the stream, so that it can ring.
 */

import { followStream } from "../event-stream.ts"
import { repeatedRead } from "../repeated-read.ts"

/** ms between reads without a stream */
const ALONE_MS = 4000
/** ms between reads beside an open stream, for what no group says */
const BESIDE_STREAM_MS = 30_000
/** ms between two reads, however much changes */
const APART_MS = 300

/** Calls `read` until the answer is called; never two reads at a time. */
export function follow(read: () => Promise<void>): () => void {
  let readAtMs = 0
  const { soon, stop } = repeatedRead(async () => {
    await read()
    readAtMs = Date.now()
  }, APART_MS)
  const stream = followStream("/runner/api/stream", {
    changed: (group) => {
      if (group.startsWith("reservation/") || group.startsWith("runner-call/")) soon()
    },
    missed: soon,
    opened: soon,
    // The pairing may have ended.
    lost: soon,
  })
  const timer = window.setInterval(() => {
    if (document.visibilityState === "hidden") return
    if (!stream.isOpen() || Date.now() - readAtMs >= BESIDE_STREAM_MS) soon()
  }, ALONE_MS)
  window.addEventListener("online", soon)
  const onVisible = (): void => {
    if (document.visibilityState === "visible") soon()
  }
  document.addEventListener("visibilitychange", onVisible)
  soon()
  return () => {
    stop()
    stream.stop()
    window.clearInterval(timer)
    window.removeEventListener("online", soon)
    document.removeEventListener("visibilitychange", onVisible)
  }
}
