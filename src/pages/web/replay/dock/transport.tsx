/** Play, step, speed, the clock, and the ways to what broke. Every button names its key. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { PlayControls, Speeds, StepButton } from "../../components/play-controls.tsx"
import { Icon } from "../../design/icon.tsx"
import { pointsSoFar } from "../compare/comparison.ts"
import type { Comparison } from "../compare/comparison.ts"
import { isWaiting } from "../playback.ts"
import type { Playing } from "../playback.ts"
import type { Player } from "../player.ts"
import type { Actions } from "../actions.ts"
import type { Scene } from "../seen/scene.ts"
import { inWords } from "../seen/times.ts"

interface TransportProps {
  readonly scene: Scene
  readonly player: Player
  readonly playing: Playing
  readonly actions: Actions
  /** Null while one day is shown. */
  readonly comparison: Comparison | null
  /** True while the playhead goes on with the present. */
  readonly isNow?: boolean
}

export function Transport({
  scene,
  player,
  playing,
  actions,
  comparison,
  isNow = false,
}: TransportProps): JSX.Element {
  const { isPlaying, repeat, ms } = playing
  return (
    <div class="transport" role="toolbar" aria-label="Playing">
      <PlayControls
        isPlaying={isPlaying}
        hasKey
        before={[
          { label: "Event before", shortcut: ",", icon: "chevron-left", onPress: () => actions.step(-1) },
        ]}
        after={[
          { label: "Next event", shortcut: ".", icon: "chevron-right", onPress: () => actions.step(1) },
        ]}
        onToggle={() => player.toggle()}
      />
      <Speeds speed={playing.speed} hasKeys onChoose={(speed) => player.choose(speed)} />
      <Clock scene={scene} player={player} />
      <p class="day">
        {scene.clock.day(ms)}
        {ms > 0 && scene.head.isRecord !== true && <span> · {inWords(ms)} after the start</span>}
        {isWaiting(playing) && <span> · waits for the computing</span>}
      </p>
      <span class="grow" />
      {comparison === null ? (
        <ToBreaks {...{ scene, playing, actions }} />
      ) : (
        <ToDifferences {...{ comparison, playing, actions }} />
      )}
      <ToNow {...{ actions, isNow }} />
      <button
        type="button"
        class="worst"
        title="Worst minute (M): most orders late at once"
        onClick={actions.toWorst}
      >
        <Icon name="trending-up" /> <span>Worst minute</span>
      </button>
      <StepButton
        label={
          repeat === null
            ? "Mark where to repeat from"
            : repeat.untilMs === null
              ? "Mark where to repeat to"
              : "Repeat no more"
        }
        shortcut="L"
        icon="repeat"
        isOn={repeat !== null}
        onPress={() => player.mark()}
      />
      <StepButton label="Keys" shortcut="?" icon="keyboard" onPress={actions.showKeys} />
    </div>
  )
}

function ToNow({
  actions,
  isNow,
}: Pick<TransportProps, "actions"> & { readonly isNow: boolean }): JSX.Element | null {
  if (actions.toNow === undefined) return null
  return (
    <button
      type="button"
      class="to-now"
      aria-pressed={isNow}
      title="Now, and on with it (T)"
      onClick={actions.toNow}
    >
      Now
    </button>
  )
}

function ToBreaks({
  scene,
  playing,
  actions,
}: Pick<TransportProps, "actions" | "playing" | "scene">): JSX.Element {
  const soFar = scene.breaks.filter(({ atMs }) => atMs <= playing.ms).length
  return (
    <>
      <p class="so-far">
        {scene.breaks.length === 0 ? "Nothing broke" : `${soFar} of ${scene.breaks.length} breaks so far`}
      </p>
      <div class="joined">
        <button type="button" title="Break before (P)" onClick={() => actions.toBreak(-1)}>
          <Icon name="chevron-left" /> Break
        </button>
        <button type="button" title="Next break (N)" onClick={() => actions.toBreak(1)}>
          Next break <Icon name="chevron-right" />
        </button>
      </div>
    </>
  )
}

function ToDifferences({
  comparison,
  playing,
  actions,
}: Pick<TransportProps, "actions" | "playing"> & { readonly comparison: Comparison }): JSX.Element {
  return (
    <>
      <p class="so-far">{pointsSoFar(comparison.difference.points, playing.ms)}</p>
      <div class="joined">
        <button type="button" title="Difference before (P)" onClick={() => actions.toBreak(-1)}>
          <Icon name="chevron-left" /> Difference
        </button>
        <button type="button" title="Next difference (N)" onClick={() => actions.toBreak(1)}>
          Next difference <Icon name="chevron-right" />
        </button>
      </div>
    </>
  )
}

/** Written in each frame, past the page's own rendering. */
export function Clock({ scene, player }: Pick<TransportProps, "player" | "scene">): JSX.Element {
  const text = useRef<HTMLSpanElement>(null)
  useEffect(
    () =>
      player.listen(({ ms }) => {
        if (text.current !== null) text.current.textContent = scene.clock.second(ms)
      }),
    [scene, player],
  )
  return <span ref={text} class="clock-now mono" />
}
