/** Which of the two days is shown, and what the change comes to, in one line above the map. */

import type { JSX } from "preact"
import { Icon } from "../../design/icon.tsx"
import type { RunStatus } from "../session.ts"
import { differenceHeadline } from "../what-if/difference-words.ts"
import { DAYS, pointAt } from "./comparison.ts"
import type { Comparison, Day } from "./comparison.ts"
import type { Days } from "./use-days.ts"

interface CompareBarProps {
  readonly days: Days
  /** Null until both days are computed. */
  readonly comparison: Comparison | null
  /** Of the changed day. */
  readonly status: RunStatus | null
  /** Two maps have room beside each other. */
  readonly canBeside: boolean
  readonly ms: number
}

const EACH: readonly Day[] = ["written", "changed"]

export function CompareBar({ days, comparison, status, canBeside, ms }: CompareBarProps): JSX.Element {
  const { day, isBoth, isBeside } = days
  return (
    <section class="compare-bar" aria-label="Two days">
      <div class="joined" role="group" aria-label="Which day is shown">
        {EACH.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={!isBoth && one === day}
            title={`${DAYS[one].name} (D for the next)`}
            onClick={() => days.showOne(one)}
          >
            {DAYS[one].name}
          </button>
        ))}
        <button type="button" aria-pressed={isBoth} title="Both (D for the next)" onClick={days.showBoth}>
          Both
        </button>
      </div>
      {isBoth && (
        <div class="joined letters" role="group" aria-label="Day in full">
          {EACH.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === day}
              aria-label={`${DAYS[one].name} in full`}
              title={`${DAYS[one].name} in full, the other as a ghost`}
              onClick={() => one !== day && days.swap()}
            >
              {DAYS[one].letter}
            </button>
          ))}
        </div>
      )}
      {isBoth && canBeside && (
        <button type="button" class="beside" aria-pressed={isBeside} onClick={days.toggleBeside}>
          <Icon name="columns" /> Side by side
        </button>
      )}
      <p class="headline" role="status">
        {comparison !== null ? (
          <>
            <strong>{differenceHeadline(comparison.difference)}</strong>{" "}
            {isBoth && <span class="quiet">{pointAt(comparison.difference.points, ms)}</span>}
          </>
        ) : status?.is === "failed" ? (
          <span class="bad">The changed day stopped: {status.mistake.message}</span>
        ) : (
          <span class="quiet">Computing the changed day…</span>
        )}
      </p>
    </section>
  )
}
