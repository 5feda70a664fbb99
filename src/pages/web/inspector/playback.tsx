/** Moves the playhead: buttons, its time, its entry, and the scale of the strip. */

import type { JSX } from "preact"
import { durationText } from "../../inspection/durations.ts"
import { at } from "../../inspection/run-index.ts"
import { preciseTimeOfDay, siteDate } from "../../inspection/shown-value.ts"
import { PlayControls, Speeds } from "../components/play-controls.tsx"
import type { PlayStep } from "../components/play-controls.tsx"
import { Choice, Toggle } from "../components/toggle.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import { changeBy, firstFailure, playedOrPaused } from "./navigation.ts"
import type { Move } from "./navigation.ts"
import type { Scene } from "./scene.ts"

const BEFORE: readonly (readonly [move: Move, icon: IconName, name: string])[] = [
  ["first", "chevron-first", "First entry"],
  ["before", "chevron-left", "Entry before"],
]
const AFTER: typeof BEFORE = [
  ["next", "chevron-right", "Next entry"],
  ["last", "chevron-last", "Last entry"],
]

export function Playback(scene: Scene): JSX.Element {
  const { run, view, s, t, go } = scene
  const { head } = run.packed
  const move = (to: Move): void => go({ ...changeBy(run, view, to), isPlaying: false })
  const step = ([to, icon, label]: (typeof BEFORE)[number]): PlayStep => ({
    label,
    icon,
    onPress: () => move(to),
  })
  return (
    <div class="bar playback">
      <PlayControls
        isPlaying={view.isPlaying}
        hasKey
        before={BEFORE.map(step)}
        after={AFTER.map(step)}
        onToggle={() => go(playedOrPaused(run, view))}
      />
      <Speeds speed={view.speed} onChoose={(speed) => go({ speed })} />
      <strong class="mono" id="clock">
        {preciseTimeOfDay(head.clock0Ms + t, head.zone)}
      </strong>
      <span class="quiet">
        <span id="place">
          entry {s} of {run.index.s.at(-1) ?? 0}
        </span>{" "}
        · {durationText(t - at(run.index.t, 0))} after the start · {siteDate(head.clock0Ms + t, head.zone)},{" "}
        {head.zone}
      </span>
      <span class="grow" />
      <button type="button" disabled={firstFailure(run) === null} onClick={() => move("failure")}>
        <Icon name="cross" /> First failure
      </button>
      {view.scale === "linear" && (
        <Toggle isOn={view.isFolding} onToggle={() => go({ isFolding: !view.isFolding })}>
          Fold quiet time
        </Toggle>
      )}
      <Choice
        label="Scale of the strip"
        value={view.scale}
        options={[
          ["rank", "Rank"],
          ["log", "Log"],
          ["linear", "Linear"],
        ]}
        onChoose={(scale) => go({ scale })}
      />
    </div>
  )
}
