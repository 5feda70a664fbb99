/** Both days side by side: two maps of the same ground under one playhead. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { StandingPill } from "../late-pill.tsx"
import { MapView } from "../map/map-view.tsx"
import type { MapViewProps, OtherDay } from "../map/map-view.tsx"
import { countsAt } from "../seen/moment.ts"
import type { Scene } from "../seen/scene.ts"
import type { RunStatus } from "../session.ts"
import { DAYS, otherDay } from "./comparison.ts"
import type { Comparison, Day } from "./comparison.ts"
import { CountDifference, DayLetter } from "./day-letter.tsx"

interface TwoMapsProps extends Omit<MapViewProps, "name" | "other" | "scene"> {
  readonly comparison: Comparison
  /** In full: `picked` is of this one. */
  readonly day: Day
}

export function TwoMaps({ comparison, day, ...map }: TwoMapsProps): JSX.Element {
  const { scenes, numbers } = comparison
  const others = useMemo(
    (): Readonly<Record<Day, OtherDay>> => ({
      written: { scene: scenes.changed, numbers: numbers.written, hasGhosts: false, rings: null },
      changed: { scene: scenes.written, numbers: numbers.changed, hasGhosts: false, rings: "own" },
    }),
    [comparison],
  )
  return (
    <>
      {(["written", "changed"] as const).map((one) => {
        // An actor has another number on the other day.
        const isShown = one === day
        const of = (actor: number, from: Day): number | null => numbers[from].get(actor) ?? null
        const picked = isShown || map.picked === null ? map.picked : of(map.picked, day)
        return (
          <div key={one} class="day-map">
            <DayCaption day={one} scenes={scenes} ms={map.ms} />
            <MapView
              {...map}
              name={`Map of ${DAYS[one].letter}, ${DAYS[one].name.toLowerCase()}`}
              scene={scenes[one]}
              other={others[one]}
              picked={picked}
              isFollowing={map.isFollowing && isShown}
              onPick={(actor) => map.onPick(isShown || actor === null ? actor : of(actor, one))}
            />
          </div>
        )
      })}
    </>
  )
}

/** Its letter, its name, its counters, and how many were late in the end. */
function DayCaption({
  day,
  scenes,
  ms,
}: Pick<TwoMapsProps, "day" | "ms"> & { readonly scenes: Readonly<Record<Day, Scene>> }): JSX.Element {
  const scene = scenes[day]
  const counts = countsAt(scene, ms)
  const before = day === "changed" ? countsAt(scenes[otherDay(day)], ms) : null
  const cells = [
    { words: "open", value: counts.open, was: before?.open, isFault: false },
    { words: "late", value: counts.late, was: before?.late, isFault: true },
    { words: "on board", value: counts.onBoard, was: before?.onBoard, isFault: false },
    ...(counts.free === null
      ? []
      : [{ words: "free", value: counts.free.free, was: before?.free?.free, isFault: false }]),
  ]
  return (
    <header class="day-caption">
      <DayLetter letter={DAYS[day].letter} />
      <strong>{DAYS[day].name}</strong>
      <ul>
        {cells.map(({ words, value, was, isFault }) => (
          <li key={words}>
            <span class={isFault && value > 0 ? "value bad" : "value"}>{value}</span> {words}{" "}
            {was !== undefined && was !== value && (
              <CountDifference value={value} before={was} isFault={isFault} />
            )}
          </li>
        ))}
      </ul>
      <span class="grow" />
      <StandingPill scene={scene} status={DONE} />
    </header>
  )
}

/** Days are compared when they are computed. */
const DONE: RunStatus = { is: "done", digest: "", turns: 0 }
