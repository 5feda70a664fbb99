/** The map: streets below, what moves above, and the plates of the sites. It is dragged, enlarged by wheel, pinch, buttons and keys, and pressed to pick. */

import type { JSX, RefObject, TargetedMouseEvent, TargetedPointerEvent, TargetedWheelEvent } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import type { Player } from "../player.ts"
import type { Scene } from "../seen/scene.ts"
import type { Palette } from "../seen/palette.ts"
import { sized, usePalette, useSize } from "../use-size.ts"
import { NUMBERS_EVERY_MS } from "../use-slowly.ts"
import { DoorsPicture, drawMarks } from "./drawing.ts"
import { MapMarks, apart, markAt } from "./marks.ts"
import type { Marks } from "./marks.ts"
import { SitePlates } from "./site-plates.tsx"
import { drawStreets, streetMap, unconnectedWords } from "./streets-layer.ts"
import type { StreetMap } from "./streets-layer.ts"
import { centred, dragged, fitted, pxOf, resized, scaleMetres, zoomed } from "./viewport.ts"
import type { Px, Viewport } from "./viewport.ts"

export interface MapViewProps {
  readonly scene: Scene
  readonly beside: Readonly<Record<string, string>>
  readonly player: Player
  /** What the plates say holds at this instant; it follows the playhead a few times a second. */
  readonly ms: number
  readonly picked: number | null
  readonly isFollowing: boolean
  readonly site: number
  /** Grows a few times a second while the run is computed. */
  readonly drawnVersion: number
  readonly onPick: (actor: number | null) => void
  readonly onSite: (site: number) => void
  /** The map can be pressed, and neither moved nor enlarged; default: it can be both. */
  readonly isStill?: boolean
  /** A drag ends following. */
  readonly onDrag: () => void
  /** Filled with what the keys of the page do. */
  readonly keys: MapKeys
  /** Of a map that shows the same ground as another; without it the map has its own. */
  readonly view?: MovedView
  /** Null while one day is shown. */
  readonly other?: OtherDay | null
  /** What the section is called. */
  readonly name?: string
}

/** The part of the ground that the reader chose, null for everything; several maps may show the same. */
type MovedView = readonly [view: Viewport | null, set: StateUpdater]

type StateUpdater = (change: () => Viewport | null) => void

/** Another day of the same model, at the same instant. */
export interface OtherDay {
  readonly scene: Scene
  /** Numbers of its actors, by those of the day of the map. */
  readonly numbers: ReadonlyMap<number, number>
  /** Draws what is elsewhere on the other day. */
  readonly hasGhosts: boolean
  /** Which marks have a ring where the days differ: those of the map's own day, of the other one, or none. */
  readonly rings: "other" | "own" | null
}

export interface MapKeys {
  zoom?: (factor: number) => void
  fit?: () => void
}

const WHEEL_FACTOR = 0.0016

export function MapView(props: MapViewProps): JSX.Element {
  const { scene, keys, other = null, isStill = false } = props
  const holder = useRef<HTMLDivElement>(null)
  const ground = useRef<HTMLCanvasElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(holder)
  const palette = usePalette()
  const streets = useMemo(() => streetMap(scene.head, props.beside, scene.ground), [scene, props.beside])
  const ownView = useState<Viewport | null>(null)
  const [view, setView] = useView(scene, size, props.view ?? ownView)
  const shown = useRef<Marks>({ vehicles: [], doors: [] })
  keys.zoom = (factor) => setView((now) => now && zoomed(now, factor))
  keys.fit = () => setView(() => null)

  useEffect(() => {
    const context = view === null ? null : sized(ground.current, size)
    if (context !== null && view !== null) drawStreets(context, { streets, view, palette })
  }, [view, streets, palette])

  useFrames(props, { holder, canvas, shown, size, view, setView, palette })

  const pointers = usePointers({
    setView,
    onDrag: props.onDrag,
    onPress: (at) => props.onPick(markAt(shown.current, at)),
  })
  const pressed = (event: TargetedMouseEvent<HTMLElement>): void => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    props.onPick(markAt(shown.current, [event.clientX - left, event.clientY - top]))
  }
  return (
    <section class="map-part" aria-label={props.name ?? "Map"}>
      <div
        ref={holder}
        class={isStill ? "map-holder still" : "map-holder"}
        {...(isStill ? { onClick: pressed } : pointers)}
      >
        <canvas ref={ground} aria-hidden="true" />
        <canvas
          ref={canvas}
          role="img"
          aria-label="Streets with vehicles and doors; the table of positions says the same"
        />
        {view !== null && <SitePlates {...props} view={view} />}
        <MapKey scene={scene} other={other} />
        {!isStill && <MapTools onZoom={(factor) => keys.zoom?.(factor)} onFit={() => keys.fit?.()} />}
        {view !== null && <ScaleAndCredit view={view} streets={streets} />}
      </div>
    </section>
  )
}

interface FrameParts {
  readonly holder: RefObject<HTMLDivElement | null>
  readonly canvas: RefObject<HTMLCanvasElement | null>
  /** Filled with what was drawn last. */
  readonly shown: { current: Marks }
  readonly size: { readonly width: number; readonly height: number }
  readonly view: Viewport | null
  readonly setView: SetView
  readonly palette: Palette
}

/** Draws what moves, at each move of the playhead. */
function useFrames(
  { scene, player, picked, isFollowing, drawnVersion, other = null }: MapViewProps,
  { holder, canvas, shown, size, view, setView, palette }: FrameParts,
): void {
  const marks = useMemo(() => new MapMarks(scene), [scene])
  const otherMarks = useMemo(() => (other === null ? null : new MapMarks(other.scene)), [other?.scene])
  useEffect(() => {
    if (view === null) return undefined
    const taken = [
      ...(holder.current?.querySelectorAll<HTMLElement>(".plate, .map-key, .map-tools") ?? []),
    ].map(({ offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height }) => ({
      x,
      y,
      width,
      height,
    }))
    const picture = new DoorsPicture()
    let [doors, doorsMs]: [OffscreenCanvas | null, number] = [null, -Infinity]
    return player.listen(({ ms, isPlaying }) => {
      const spot = isFollowing && picked !== null ? scene.spotAt(picked, ms) : null
      if (spot !== null && isFarFromMiddle(pxOf(view, spot), view, isPlaying)) {
        setView(() => centred(view, spot))
        return
      }
      const context = sized(canvas.current, size)
      if (context === null) return
      const hasOldDoors = isPlaying && performance.now() - doorsMs < NUMBERS_EVERY_MS
      const of = { ms, view, picked, hasTrails: player.hasMotion }
      const now = marks.at(of, hasOldDoors ? shown.current.doors : null)
      shown.current = now
      if (!hasOldDoors) {
        doors = picture.drawn(now, { view, palette })
        doorsMs = performance.now()
      }
      const [ghosts, ringed] = differing(now, { other, marks: otherMarks, ms, view })
      drawMarks(context, { marks: now, doors, view, palette, picked, taken, ghosts, ringed })
    })
  }, [player, marks, otherMarks, other, view, palette, picked, isFollowing, drawnVersion])
}

/** What is drawn of another day, and which marks have a ring. */
function differing(
  own: Marks,
  {
    other,
    marks,
    ms,
    view,
  }: {
    readonly other: OtherDay | null
    readonly marks: MapMarks | null
    readonly ms: number
    readonly view: Viewport
  },
): readonly [ghosts: Marks["vehicles"], ringed: Marks["vehicles"]] {
  if (other === null || marks === null) return [[], []]
  const there = marks.at({ ms, view, picked: null, hasTrails: false })
  const found = apart(own.vehicles, there.vehicles, other.numbers)
  return [other.hasGhosts ? found.other : [], other.rings === null ? [] : found[other.rings]]
}

/** While it plays, the picked actor may go a part of the way to the edge before the map moves. */
function isFarFromMiddle([x, y]: Px, { width, height }: Viewport, isPlaying: boolean): boolean {
  const [across, down] = [Math.abs(x - width / 2), Math.abs(y - height / 2)]
  return isPlaying ? across > width / 5 || down > height / 5 : across > 2 || down > 2
}

type SetView = (change: (view: Viewport | null) => Viewport | null) => void

/** Everything is in sight until the reader moves the map. */
function useView(
  scene: Scene,
  size: { readonly width: number; readonly height: number },
  [moved, setMoved]: MovedView,
): readonly [Viewport | null, SetView] {
  const all = useMemo(() => {
    if (size.width === 0 || size.height === 0) return null
    const places = scene.head.sites.flatMap(({ at, area }) => [at, ...area])
    const spots = places.map((place) => scene.ground.spotOf(place))
    return fitted(spots, size)
  }, [scene, size])
  const view = moved === null || all === null ? all : resized(moved, size)
  const now = useRef(view)
  now.current = view
  const setView: SetView = (change) => setMoved(() => (now.current = change(now.current)))
  return [useMemo(() => view, [moved, all]), setView]
}

/** One pointer drags or presses, two enlarge. */
function usePointers({
  setView,
  onDrag,
  onPress,
}: {
  readonly setView: SetView
  readonly onDrag: () => void
  readonly onPress: (at: Px) => void
}) {
  const down = useRef(new Map<number, Px>())
  const wayPx = useRef(0)
  const at = (event: TargetedPointerEvent<HTMLElement>): Px => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return [event.clientX - left, event.clientY - top]
  }
  return {
    onWheel: (event: TargetedWheelEvent<HTMLElement>) => {
      event.preventDefault()
      const { left, top } = event.currentTarget.getBoundingClientRect()
      const under: Px = [event.clientX - left, event.clientY - top]
      setView((now) => now && zoomed(now, Math.exp(-event.deltaY * WHEEL_FACTOR), under))
    },
    onPointerDown: (event: TargetedPointerEvent<HTMLElement>) => {
      if (event.target instanceof Element && event.target.closest("button") !== null) return
      event.currentTarget.setPointerCapture(event.pointerId)
      down.current.set(event.pointerId, at(event))
      wayPx.current = 0
    },
    onPointerMove: (event: TargetedPointerEvent<HTMLElement>) => {
      const from = down.current.get(event.pointerId)
      if (from === undefined) return
      const to = at(event)
      const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1]
      const way: Px = [to[0] - from[0], to[1] - from[1]]
      wayPx.current += Math.hypot(...way)
      if (wayPx.current < DRAG_PX_MIN) return
      down.current.set(event.pointerId, to)
      if (other === undefined) {
        onDrag()
        setView((now) => now && dragged(now, way))
        return
      }
      const [before, after] = [from, to].map(([x, y]) => Math.max(1, Math.hypot(x - other[0], y - other[1])))
      const middle: Px = [(to[0] + other[0]) / 2, (to[1] + other[1]) / 2]
      setView(
        (now) => now && zoomed(dragged(now, [way[0] / 2, way[1] / 2]), (after ?? 1) / (before ?? 1), middle),
      )
    },
    onPointerUp: (event: TargetedPointerEvent<HTMLElement>) => {
      if (down.current.delete(event.pointerId) && wayPx.current < DRAG_PX_MIN) onPress(at(event))
    },
    onPointerCancel: (event: TargetedPointerEvent<HTMLElement>) => {
      down.current.delete(event.pointerId)
    },
  }
}

const DRAG_PX_MIN = 5

/** Only what can be on this map. */
function DoorSigns(): JSX.Element {
  return (
    <>
      <li>
        <svg class="sign" viewBox="-8 -8 16 16" aria-hidden="true">
          <circle class="door" r="4.2" />
        </svg>
        door that waits
      </li>
      <li>
        <svg class="sign" viewBox="-9 -9 18 18" aria-hidden="true">
          <circle class="door late" r="4" />
          <circle class="late-ring" r="7.5" />
        </svg>
        late
      </li>
    </>
  )
}

function MapKey({ scene, other }: Pick<MapViewProps, "other" | "scene">): JSX.Element | null {
  if (scene.of("vehicle").length === 0) return null
  return (
    <ul class="map-key" aria-label="Signs of the map">
      <li>
        <Sign look="loaded" /> vehicle, order on board
      </li>
      <li>
        <Sign look="called" /> to the store
      </li>
      <li>
        <Sign look="free" /> free
      </li>
      {scene.head.isRecord !== true && <DoorSigns />}
      {scene.head.unconnected !== undefined && (
        <li>
          <svg class="sign" viewBox="-9 -8 18 16" aria-hidden="true">
            <path class="loose" d="M-8 0H8" />
          </svg>
          {unconnectedWords(scene.head.unconnected)}
        </li>
      )}
      {other?.hasGhosts === true && (
        <li>
          <Sign look="ghost" /> the other day
        </li>
      )}
      {(other?.rings ?? null) !== null && (
        <li>
          <svg class="sign" viewBox="-9 -9 18 18" aria-hidden="true">
            <circle class="differs" r="7.5" />
          </svg>
          not as in A
        </li>
      )}
    </ul>
  )
}

function Sign({ look }: { readonly look: "called" | "free" | "ghost" | "loaded" }): JSX.Element {
  return (
    <svg class="sign" viewBox="-9 -8 20 16" aria-hidden="true">
      <path class={look} d="M-7-6.5 9 0-7 6.5-3.5 0Z" />
    </svg>
  )
}

function MapTools({
  onZoom,
  onFit,
}: {
  readonly onZoom: (factor: number) => void
  readonly onFit: () => void
}): JSX.Element {
  return (
    <div class="map-tools" role="group" aria-label="Size of the map">
      <button type="button" aria-label="Closer" title="Closer (+)" onClick={() => onZoom(1.5)}>
        <Icon name="plus" />
      </button>
      <button
        type="button"
        aria-label="Further away"
        title="Further away (−)"
        onClick={() => onZoom(1 / 1.5)}
      >
        <Icon name="minus" />
      </button>
      <button type="button" aria-label="Everything" title="Everything (0)" onClick={onFit}>
        <Icon name="maximize" />
      </button>
    </div>
  )
}

function ScaleAndCredit({
  view,
  streets,
}: {
  readonly view: Viewport
  readonly streets: StreetMap
}): JSX.Element {
  const metres = scaleMetres(view)
  return (
    <>
      <p class="map-scale">
        <span class="bar" style={{ width: `${Math.round(metres / view.metresPerPx)}px` }} />
        {metres < 1000 ? `${metres} m` : `${metres / 1000} km`}
      </p>
      <p class="map-credit">{streets.credit}</p>
    </>
  )
}
