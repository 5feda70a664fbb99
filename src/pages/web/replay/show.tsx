/** A replay inside of another page: map and curb of one day, which plays by itself while it is in view, and the way to the whole page. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ReplayRequest } from "../../../model/replay/messages.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { PlayControls, Speeds } from "../components/play-controls.tsx"
import type { Speed } from "../components/speeds.ts"
import { ButtonLink } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"
import { withMoment } from "./address.ts"
import { CurbView } from "./curb/curb-view.tsx"
import { Clock } from "./dock/transport.tsx"
import { MapView } from "./map/map-view.tsx"
import type { MapKeys } from "./map/map-view.tsx"
import { Player } from "./player.ts"
import { sentenceAt } from "./seen/moment.ts"
import { GRID_MS } from "./seen/scene.ts"
import type { Scene } from "./seen/scene.ts"
import type { ReplayWorker } from "./session.ts"
import { useSession } from "./use-session.ts"
import { NUMBERS_EVERY_MS, WORDS_EVERY_MS, useSlowly } from "./use-slowly.ts"

interface ReplayShowProps {
  readonly run: ReplayRequest
  readonly start: () => ReplayWorker
  /** What the day is, in a few words. */
  readonly badge: string
  /** Address of the whole page; empty when it is this one, with another fragment. */
  readonly page: string
}

const SPEEDS_SHOWN: readonly Speed[] = [60, 300, 1000]

export function ReplayShow(props: ReplayShowProps): JSX.Element {
  const { run, start } = props
  const player = useMemo(
    () => new Player({ hasMotion: !matchMedia("(prefers-reduced-motion: reduce)").matches }),
    [],
  )
  const used = useSession({ run, start, player })
  const { scene, status, drawnVersion } = used
  const holder = useRef<HTMLDivElement>(null)
  const isBegun = scene !== null && status.is === "done"
  const fromMs = useMemo(() => (scene !== null && isBegun ? beforePeak(scene) : 0), [scene, isBegun])
  useEffect(() => {
    if (isBegun) player.jump(fromMs)
  }, [player, isBegun, fromMs])
  usePlayingInView(player, holder, isBegun)
  if (status.is === "failed")
    return (
      <Banner tone="bad">
        <strong>This day cannot be shown:</strong> {status.mistake.message}
      </Banner>
    )
  return (
    <div ref={holder} class="replay show">
      {scene !== null && isBegun && <Shown {...{ ...props, scene, player, drawnVersion, fromMs }} />}
    </div>
  )
}

const BEFORE_PEAK_MS = 10 * MINUTE_MS

/** A little before most orders are open. */
function beforePeak(scene: Scene): number {
  const { open } = scene.totals()
  const peak = open.reduce((best, count, at) => (count > (open[best] ?? 0) ? at : best), 0)
  return Math.max(0, peak * GRID_MS - BEFORE_PEAK_MS)
}

/** Plays only while the reader can see it, and goes on where it stood. Without motion it waits for a press. */
function usePlayingInView(
  player: Player,
  holder: { readonly current: HTMLElement | null },
  isBegun: boolean,
): void {
  useEffect(() => {
    const element = holder.current
    if (!isBegun || element === null || !player.hasMotion) return undefined
    let goesOn = true
    const watching = new IntersectionObserver(([entry]) => {
      const { isPlaying } = player.playing
      if (entry?.isIntersecting === true) {
        if (goesOn && !isPlaying) player.toggle()
        return
      }
      goesOn = isPlaying
      player.pause()
    })
    watching.observe(element)
    return () => watching.disconnect()
  }, [player, isBegun])
}

interface ShownProps extends ReplayShowProps {
  readonly scene: Scene
  readonly player: Player
  readonly drawnVersion: number
  /** ms after the start of the run from which it plays, again after its end. */
  readonly fromMs: number
}

function Shown({ scene, player, drawnVersion, run, badge, fromMs, page }: ShownProps): JSX.Element {
  const playing = useSlowly(player, NUMBERS_EVERY_MS)
  const slow = useSlowly(player, WORDS_EVERY_MS)
  const [site, setSite] = useState(0)
  const keys = useMemo((): MapKeys => ({}), [])
  const { ms, isPlaying, endMs } = playing
  const isOver = !isPlaying && endMs > 0 && ms >= endMs
  useEffect(() => {
    if (!isOver || !player.hasMotion) return
    player.jump(fromMs)
    player.toggle()
  }, [isOver, player, fromMs])
  const addressOf = (pick: string | null): string =>
    `${page}${withMoment("", { ms: player.playing.ms, pick, site: scene.head.sites[site]?.name ?? null })}`
  /** What is pressed is picked on the whole page. */
  const open = (actor: number | null): void => {
    const name = actor === null ? undefined : scene.actors[actor]?.name
    if (name !== undefined) location.assign(addressOf(name))
  }
  const actions = { showSite: setSite, pick: open }
  /** Without vehicles nothing moves on a map. */
  const hasMap = scene.of("vehicle").length > 0
  const { title, cause } = useMemo(() => sentenceAt(scene, slow.ms), [scene, slow.ms])
  return (
    <>
      {hasMap && (
        <div class="show-map">
          <MapView
            {...{ scene, player, site, keys, drawnVersion, ms }}
            beside={run.beside}
            picked={null}
            isFollowing={false}
            isStill
            onPick={open}
            onSite={setSite}
            onDrag={() => undefined}
          />
          <p class="show-badge">{badge}</p>
        </div>
      )}
      <CurbView {...{ scene, player, site }} picked={null} isLarge={!hasMap} actions={actions} />
      <div class="show-foot">
        <div class="show-keys" role="toolbar" aria-label="Playing">
          <PlayControls isPlaying={isPlaying} onToggle={() => player.toggle()} />
          <Clock scene={scene} player={player} />
          <Speeds speed={playing.speed} speeds={SPEEDS_SHOWN} onChoose={(speed) => player.choose(speed)} />
        </div>
        <p>
          <strong>{title}</strong> <span class="quiet">{cause}</span>
        </p>
        <ButtonLink href={addressOf(null)} icon="maximize">
          Open the replay
        </ButtonLink>
      </div>
    </>
  )
}
