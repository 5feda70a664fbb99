/** What runners' phones sent about a reservation: also what was refused, and what was pressed while a phone had no network. */

import type { JSX } from "preact"
import type { RunnerMove } from "../../../model/runner-moves.ts"
import { DrawerPart } from "./drawer-parts.tsx"
import type { PhoneMoveRecord } from "./records.ts"
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
  readonly moves: readonly PhoneMoveRecord[]
  /** Names of runners with a phone, by their ids. */
  readonly nameOf: (runnerId: string) => string
  readonly timezone: string | null
}

export function PhoneMoves({ moves, nameOf, timezone }: PhoneMovesProps): JSX.Element | null {
  if (moves.length === 0) return null
  return (
    <DrawerPart title="From the runner's phone">
      <ol class="timeline">
        {moves.toReversed().map((one, at) => (
          <li key={moves.length - at} class={one.outcome === "done" ? "" : "failed"}>
            <span class="square runner" aria-hidden="true" />
            <span class="grow">
              <strong>{WORDS[one.move]}</strong>
              <span class="under">{underOf(one, nameOf(one.runner_id), timezone)}</span>
            </span>
            <time class="number" dateTime={one.at}>
              {clockSeconds(one.at, timezone)}
            </time>
          </li>
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
