/** The card over the map while the run is computed. */

import type { JSX } from "preact"
import { Button } from "../design/button.tsx"
import type { Scene } from "./seen/scene.ts"

interface Computing {
  readonly scene: Scene | null
  readonly turns: number
  /** ms of wall time since the run began. */
  readonly wallMs: number
}

interface CardProps extends Computing {
  readonly onPlay: () => void
  readonly onStop: () => void
}

/** ms; a run that is done before shows no card. */
export const CARD_AFTER_MS = 400

export function ComputingCard({ scene, turns, wallMs, onPlay, onStop }: CardProps): JSX.Element {
  const untilMs = scene?.untilMs ?? 0
  const horizonMs = scene?.head.horizonMs ?? 0
  const share = horizonMs === 0 ? 0 : Math.min(1, untilMs / horizonMs)
  const leftMs = share === 0 ? null : (wallMs / share) * (1 - share)
  return (
    <section class="computing-card" aria-label="Computing">
      <h2>Computing this run in your browser</h2>
      <p class="quiet">
        {scene === null || untilMs === 0
          ? "The model is read."
          : `${scene.clock.minute(untilMs)} of ${scene.clock.minute(horizonMs)} is done, ${Math.round(untilMs / Math.max(1, wallMs)).toLocaleString("en-US")} times as fast as the day itself.`}
      </p>
      <progress max={1} value={share} aria-label="Share of the run that is computed" />
      <dl class="facts-list">
        <dt>Left</dt>
        <dd>{leftMs === null ? "not known yet" : `${(leftMs / 1000).toFixed(1)} s`}</dd>
        <dt>Turns of machines</dt>
        <dd class="number">
          {turns.toLocaleString("en-US")}
          {share > 0.05 && `, of about ${roundedTurns(turns / share).toLocaleString("en-US")}`}
        </dd>
        <dt>Digest</dt>
        <dd class="quiet">known at the end; the command prints the same</dd>
      </dl>
      <div class="row">
        <Button look="primary" icon="play" isDisabled={untilMs === 0} onPress={onPlay}>
          Play what is done
        </Button>
        <Button onPress={onStop}>Stop</Button>
      </div>
    </section>
  )
}

/** To two digits: it is a guess. */
function roundedTurns(turns: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, turns))) - 1)
  return Math.round(turns / step) * step
}
