/** What runners' phones sent about a reservation: also what was refused, and what was pressed while a phone had no network. */

import type { JSX } from "preact"
import type { RunnerMove } from "../../../../model/requests/runner-moves.ts"
import { useResource } from "../../resource.ts"
import { readPhoneMoves } from "./calls.ts"
import { DrawerPart } from "./drawer-parts.tsx"
import { useRevision } from "./follow-revision.ts"
import type { CardRecord, PhoneMoveRecord } from "./records.ts"
import { TimelineEntry } from "./timeline.tsx"
import { clockSeconds } from "./times.ts"

const WORDS: Readonly<Record<RunnerMove, string>> = {
  runner: "Took the task",
  "at-store": "At the store",
  "order-in-hand": "Order in hand",
  "at-unit": "At the bot",
  load: "Loaded",
  ready: "The order is ready",
  hold: "The order is not ready",
  payload: "Measured the order",
  "open-link": "Tried the door again",
  exceptions: "Reported a problem",
  "give-up": "Gave up the order",
  cancel: "Canceled the reservation",
}

/** ms; a move that waited longer was made without network. */
const LATE_MS = 5_000

interface PhoneMovesProps {
  /** Of the reservation. */
  readonly id: string
  /** Of its group; the moves are read again when it changes. */
  readonly revision: number | null
  readonly card: CardRecord | null
  readonly timezone: string | null
  readonly nowMs: number
}

export function PhoneMoves({ id, revision, card, timezone, nowMs }: PhoneMovesProps): JSX.Element | null {
  const made = useResource(() => readPhoneMoves(id), [id])
  useRevision([made], revision)
  const moves = made.data ?? []
  const nameOf = (runnerId: string): string =>
    runnerId === card?.runner_id ? (card.runner_name ?? runnerId) : runnerId
  if (moves.length === 0) return null
  return (
    <DrawerPart title="From the runner's phone">
      <ol class="timeline">
        {moves.toReversed().map((one, at) => (
          <TimelineEntry
            key={moves.length - at}
            kind="runner"
            at={one.at}
            timezone={timezone}
            nowMs={nowMs}
            title={WORDS[one.move]}
            under={underOf(one, nameOf(one.runner_id), timezone)}
            isFailure={one.outcome !== "done"}
          />
        ))}
      </ol>
    </DrawerPart>
  )
}

function underOf(
  { outcome, at, phone_at: pressed }: PhoneMoveRecord,
  name: string,
  zone: string | null,
): string {
  const waited = pressed !== null && Date.parse(at) - Date.parse(pressed) > LATE_MS
  return [
    name,
    ...(outcome === "done" ? [] : [`refused: ${outcome}`]),
    ...(waited ? [`pressed at ${clockSeconds(pressed, zone)}, sent later`] : []),
  ].join(", ")
}
