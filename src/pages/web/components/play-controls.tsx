/** Moves a playhead: play and pause, the steps before and after it, the speed. The same wherever a run is played. */

import type { JSX } from "preact"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import { SPEEDS } from "./speeds.ts"
import type { Speed } from "./speeds.ts"

export interface PlayStep {
  readonly label: string
  readonly icon: IconName
  /** The page's key for it. */
  readonly shortcut?: string
  /** Cannot be pressed for now, and keeps the focus that it has. */
  readonly isAtEnd?: boolean
  readonly isOn?: boolean
  readonly onPress: () => void
}

interface PlayControlsProps {
  readonly isPlaying: boolean
  /** The page has the space bar for it. */
  readonly hasKey?: boolean
  readonly before?: readonly PlayStep[]
  readonly after?: readonly PlayStep[]
  readonly onToggle: () => void
}

export function PlayControls(props: PlayControlsProps): JSX.Element {
  const { isPlaying, hasKey = false, before = [], after = [], onToggle } = props
  const word = isPlaying ? "Pause" : "Play"
  return (
    <span class="play-controls">
      {before.map((step) => (
        <StepButton key={step.label} {...step} />
      ))}
      <button
        type="button"
        class="play"
        aria-label={word}
        title={hasKey ? `${word} (space)` : word}
        onClick={onToggle}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      {after.map((step) => (
        <StepButton key={step.label} {...step} />
      ))}
    </span>
  )
}

export function StepButton({ label, icon, shortcut, isAtEnd = false, isOn, onPress }: PlayStep): JSX.Element {
  return (
    <button
      type="button"
      class="key"
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-pressed={isOn}
      aria-disabled={isAtEnd ? "true" : undefined}
      onClick={() => {
        if (!isAtEnd) onPress()
      }}
    >
      <Icon name={icon} />
    </button>
  )
}

interface SpeedsProps {
  readonly speed: Speed
  readonly speeds?: readonly Speed[]
  /** The page has the keys 1 to 5 for them. */
  readonly hasKeys?: boolean
  readonly onChoose: (speed: Speed) => void
}

export function Speeds({ speed, speeds = SPEEDS, hasKeys = false, onChoose }: SpeedsProps): JSX.Element {
  return (
    <span class="joined speeds" role="group" aria-label="Speed">
      {speeds.map((one, at) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === speed}
          title={`${one} times real time${hasKeys ? ` (${at + 1})` : ""}`}
          onClick={() => onChoose(one)}
        >
          ×{one}
        </button>
      ))}
    </span>
  )
}
