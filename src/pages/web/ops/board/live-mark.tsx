/** Whether the board is live, with the service's clock; else how old it is. */

import type { JSX } from "preact"
import { Icon } from "../../design/icon.tsx"
import type { LiveBoard } from "./live.ts"
import { clockSeconds, lengthOf, zoneName } from "./times.ts"

interface LiveMarkProps {
  readonly live: LiveBoard
  readonly nowMs: number
  readonly timezone: string | null
}

export function LiveMark({ live, nowMs, timezone }: LiveMarkProps): JSX.Element {
  const { connection, readAtMs, aheadMs } = live
  if (connection === "lost") {
    const age = readAtMs === null ? 0 : nowMs - aheadMs - readAtMs
    return (
      <p class="live-mark lost">
        <Icon name="wifi-off" />
        <span>
          Last update {lengthOf(age)} ago<span class="wide-only">. Trying again</span>
        </span>
        <span class="visually-hidden" role="alert">
          The connection is lost. The page tries again.
        </span>
      </p>
    )
  }
  return (
    <p class={`live-mark ${connection}`}>
      <span class="dot" aria-hidden="true" /> <span>{connection === "live" ? "Live" : "Every 4 s"}</span>{" "}
      <span class="number wide-only">
        {clockSeconds(nowMs, timezone)} {zoneName(nowMs, timezone)}
      </span>
    </p>
  )
}
