/** Map and curb, or two maps, with the time line under them and the picked actor beside. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Empty } from "../design/feedback.tsx"
import type { Actions } from "./actions.ts"
import { CompareBar } from "./compare/compare-bar.tsx"
import { DAYS, otherDay } from "./compare/comparison.ts"
import type { Comparison, Day } from "./compare/comparison.ts"
import { TwoMaps } from "./compare/two-maps.tsx"
import type { Days } from "./compare/use-days.ts"
import { CARD_AFTER_MS, ComputingCard } from "./computing.tsx"
import { CurbView } from "./curb/curb-view.tsx"
import type { OtherCurb } from "./curb/curb-view.tsx"
import { Dock } from "./dock/dock.tsx"
import { DockFrame } from "./dock/dock-frame.tsx"
import { Transport } from "./dock/transport.tsx"
import { MapView } from "./map/map-view.tsx"
import type { MapKeys, OtherDay } from "./map/map-view.tsx"
import type { Viewport } from "./map/viewport.ts"
import { ActorPanel } from "./panel/actor-panel.tsx"
import { servedAt } from "./panel/group-part.tsx"
import type { Playing } from "./playback.ts"
import type { Player } from "./player.ts"
import type { Scene } from "./seen/scene.ts"
import type { RunStatus } from "./session.ts"
import type { ReplaySource } from "./source.ts"
import type { UsedSession } from "./use-session.ts"
import { useSize } from "./use-size.ts"

export interface BodyProps {
  readonly source: ReplaySource
  readonly used: UsedSession
  readonly scene: Scene
  readonly player: Player
  readonly days: Days
  /** Null until a changed day is computed. */
  readonly comparison: Comparison | null
  /** The changed day's; null without one. */
  readonly changed: { readonly status: RunStatus | null } | null
  readonly playing: Playing
  readonly picked: number | null
  readonly site: number
  readonly isFollowing: boolean
  readonly isCurbLarge: boolean
  readonly actions: Actions
  readonly mapKeys: MapKeys
  readonly pickOf: (actor: number) => void
  /** Stands left of the map, or above it where there is no room. */
  readonly pane: ComponentChildren
}

/** Map and curb, the time line under them, and the picked actor beside both. */
export function Body(props: BodyProps): JSX.Element {
  const { used, scene, player, playing, picked, isFollowing, isCurbLarge, actions, pickOf } = props
  const { status, drawnVersion } = used
  const isComputing = status.is === "computing"
  const served = picked === null ? null : servedAt(scene, picked, playing.ms)
  const group = served?.group ?? null
  useEffect(() => {
    if (group !== null) used.askJournal(group)
  }, [group, status.is, scene])
  const { days, changed } = props
  const both = days.isBoth ? props.comparison : null
  const stage = useRef<HTMLDivElement>(null)
  const { width } = useSize(stage)
  const canBeside = width >= BESIDE_PX_MIN
  const isBeside = both !== null && days.isBeside && canBeside
  return (
    <main
      class={`replay-body${picked === null ? "" : " has-actor"}${props.pane === null ? "" : " has-pane"}`}
    >
      {changed !== null && (
        <CompareBar
          {...{ days, canBeside }}
          comparison={props.comparison}
          status={changed.status}
          ms={playing.ms}
        />
      )}
      {props.pane}
      <div ref={stage} class={`stage${isCurbLarge ? " curb-large" : ""}${isBeside ? " beside" : ""}`}>
        <Stage {...props} {...{ both, isBeside }} />
        <OverMap {...{ scene, used, player }} />
      </div>
      <DockFrame hasTwoDays={both !== null}>
        <Transport {...{ scene, player, playing, actions }} comparison={both} />
        <Dock {...{ scene, player, playing, actions, picked, isComputing, drawnVersion }} comparison={both} />
      </DockFrame>
      {picked !== null && (
        <ActorPanel
          {...{ scene, player, isFollowing, drawnVersion }}
          actor={picked}
          ms={playing.ms}
          served={served}
          journals={used}
          inspector={props.source.inspector}
          onFork={forkOf(props)}
          onFollow={actions.follow}
          onClose={() => actions.pick(null)}
          onPick={pickOf}
        />
      )}
    </main>
  )
}

/** The pane of changes from the playhead on; it stays open when it is. */
function forkOf({ actions: { whatIf }, pane, player }: BodyProps): (() => void) | null {
  if (whatIf === undefined) return null
  return () => {
    player.pause()
    if (pane === null) whatIf()
  }
}

interface StageProps extends BodyProps {
  /** Null while one day is shown. */
  readonly both: Comparison | null
  readonly isBeside: boolean
}

/** One map with its curb, or a map of each day. */
function Stage(props: StageProps): JSX.Element {
  const { source, used, scene, player, playing, picked, site, isFollowing, isCurbLarge } = props
  const { actions, mapKeys, both, isBeside } = props
  const { day } = props.days
  const view = useState<Viewport | null>(null)
  const other = useMemo(() => ghostsOf(both, day), [both, day])
  const map = {
    player,
    picked,
    isFollowing,
    site,
    view,
    drawnVersion: used.drawnVersion,
    beside: source.run.beside,
    ms: playing.ms,
    keys: mapKeys,
    onPick: actions.pick,
    onSite: actions.showSite,
    onDrag: actions.letGo,
  }
  if (isBeside && both !== null) return <TwoMaps {...map} comparison={both} day={day} />
  return (
    <>
      <MapView {...map} scene={scene} other={other} />
      <CurbView
        {...{ scene, player, site, picked, actions }}
        isLarge={isCurbLarge}
        other={curbOf(both, day)}
      />
    </>
  )
}

/** px; less is too little for two maps. */
const BESIDE_PX_MIN = 1100

/** The other day on the map of one; changed marks have the rings, be they ghosts or not. */
function ghostsOf(both: Comparison | null, day: Day): OtherDay | null {
  if (both === null) return null
  return {
    scene: both.scenes[otherDay(day)],
    numbers: both.numbers[day],
    hasGhosts: true,
    rings: day === "changed" ? "own" : "other",
  }
}

function curbOf(both: Comparison | null, day: Day): OtherCurb | null {
  if (both === null) return null
  const other = otherDay(day)
  return { scene: both.scenes[other], letter: DAYS[other].letter, hasRings: day === "changed" }
}

/** What lies over the map: the card of the computing, or that there is nothing to see. */
function OverMap({ scene, used, player }: Pick<BodyProps, "player" | "scene" | "used">): JSX.Element | null {
  const [isCardClosed, setCardClosed] = useState(false)
  const { status } = used
  const isComputing = status.is === "computing"
  const [isLong, setLong] = useState(false)
  // A worker that is silent for a while is what the card is for, so it does not wait for a message.
  useEffect(() => {
    if (!isComputing) return setLong(false)
    const timer = setTimeout(() => setLong(true), CARD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isComputing])
  const isCardShown = isComputing && !isCardClosed && isLong
  const hasNoOrder = status.is === "done" && scene.orders().size === 0
  return (
    <>
      {isCardShown && (
        <ComputingCard
          scene={scene}
          turns={status.turns}
          wallMs={used.wallMs}
          onPlay={() => {
            setCardClosed(true)
            player.toggle()
          }}
          onStop={used.stop}
        />
      )}
      {hasNoOrder && (
        <div class="computing-card">
          <Empty title="No order on this day">
            The model has no demand in these hours; add some under "demand".
          </Empty>
        </div>
      )}
    </>
  )
}
