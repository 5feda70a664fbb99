/** The sites on the map: a plate with kitchens and free people, pressed to see the curb; and the lens that ties the chosen one to its curb. */

import type { JSX } from "preact"
import { overlap } from "../../../html/map/labels.ts"
import { freeKind } from "../seen/moment.ts"
import { titled } from "../seen/moment.ts"
import { stageAt } from "../seen/orders.ts"
import type { Scene } from "../seen/scene.ts"
import { pxOf } from "./viewport.ts"
import type { Px, Viewport } from "./viewport.ts"

interface PlatesProps {
  readonly scene: Scene
  readonly ms: number
  readonly view: Viewport
  readonly site: number
  readonly onSite: (site: number) => void
}

/** A plate has no room for more. */
const CELLS_MAX = 20
const PLATE_PX = { width: 178, height: 52 }
const AWAY_PX = 20

export function SitePlates({ scene, ms, view, site, onSite }: PlatesProps): JSX.Element {
  const places = scene.head.sites.map(({ at }) => pxOf(view, scene.ground.spotOf(at)))
  const chosen = places[site]
  const kitchens = kitchensAt(scene, ms)
  const isName = isNarrow(view) || coverEachOther(places, view)
  return (
    <>
      <svg class="lens" width={view.width} height={view.height} aria-hidden="true">
        {places.map(([x, y], number) => (
          <g key={number} transform={`translate(${x} ${y})`}>
            <rect class="site-sign" x="-7" y="-7" width="14" height="14" rx="3" />
            <rect class="site-ring" x="-3.5" y="-3.5" width="7" height="7" />
          </g>
        ))}
        {chosen !== undefined && <Lens at={chosen} view={view} />}
      </svg>
      {places.map((place, number) =>
        isInside(place, view) ? (
          <Plate
            key={number}
            {...{ scene, ms, number }}
            kitchen={kitchens[number] ?? NO_KITCHEN}
            at={isName ? [place[0], Math.max(0, place[1] - NAME_PX)] : corner(place, view)}
            isName={isName}
            isChosen={number === site}
            onPress={() => onSite(number)}
          />
        ) : null,
      )}
    </>
  )
}

function Lens({ at: [x, y], view }: { readonly at: Px; readonly view: Viewport }): JSX.Element | null {
  if (!isInside([x, y], view)) return null
  return (
    <>
      <rect class="lens-box" x={x - 16} y={y - 16} width="32" height="32" rx="4" />
      <path
        class="lens-line"
        d={`M${x + 16} ${y - 16}L${view.width} 0M${x + 16} ${y + 16}L${view.width} ${view.height}`}
      />
    </>
  )
}

/** Names alone fit then, above their sites. */
function isNarrow({ width }: Viewport): boolean {
  return width < NARROW_PX
}

const NARROW_PX = 520
const NAME_PX = 40

/** Of plates that cover each other none can be pressed well. */
function coverEachOther(places: readonly Px[], view: Viewport): boolean {
  const boxes = places
    .filter((place) => isInside(place, view))
    .map((place) => {
      const [x, y] = corner(place, view)
      return { x, y, ...PLATE_PX }
    })
  return boxes.some((box, at) => boxes.slice(at + 1).some((other) => overlap(box, other)))
}

/** Where it stands beside the site, inside of the picture. */
function corner([x, y]: Px, { width, height }: Viewport): Px {
  const left = x - AWAY_PX - PLATE_PX.width > 8 ? x - AWAY_PX - PLATE_PX.width : x + AWAY_PX
  const top = y - PLATE_PX.height - 10 > 56 ? y - PLATE_PX.height - 10 : y + 18
  return [
    Math.max(8, Math.min(width - PLATE_PX.width - 8, left)),
    Math.max(8, Math.min(height - PLATE_PX.height - 30, top)),
  ]
}

function isInside([x, y]: Px, { width, height }: Viewport): boolean {
  return x >= 0 && y >= 0 && x <= width && y <= height
}

interface PlateProps {
  readonly scene: Scene
  readonly ms: number
  readonly number: number
  readonly kitchen: Kitchen
  readonly at: Px
  readonly isChosen: boolean
  readonly isName: boolean
  readonly onPress: () => void
}

function Plate(props: PlateProps): JSX.Element {
  const { scene, ms, number, kitchen, isChosen, isName, onPress } = props
  const [x, y] = props.at
  const name = titled(scene.head.sites[number]?.name ?? "")
  const of = freeKind(scene)
  const free = of === null ? null : scene.freeAt(of, ms, number)
  return (
    <button
      type="button"
      class={isName ? "plate name" : "plate"}
      aria-pressed={isChosen}
      title={`The curb of ${name}`}
      style={{ left: `${x}px`, top: `${y}px` }}
      onClick={onPress}
    >
      <span class="plate-head">
        <strong>{name}</strong>
        {!isName && free !== null && (
          <span class={free.free === 0 && free.duty > 0 ? "bad" : "good"}>
            {free.free} of {free.duty} free
          </span>
        )}
      </span>
      {!isName && (
        <>
          <Cells {...kitchen} />
          <span class="plate-words">
            {kitchen.ready} ready
            {scene.head.isRecord !== true && ` · ${kitchen.cooking} cooking · ${kitchen.toCook} to cook`}
          </span>
        </>
      )}
    </button>
  )
}

interface Kitchen {
  readonly ready: number
  readonly cooking: number
  readonly toCook: number
}

function Cells({ ready, cooking, toCook }: Kitchen): JSX.Element {
  const all = [
    ...Array.from({ length: ready }, () => "ready"),
    ...Array.from({ length: cooking }, () => "cooking"),
    ...Array.from({ length: toCook }, () => "to-cook"),
  ].slice(0, CELLS_MAX)
  return (
    <span class="cells" aria-hidden="true">
      {all.map((kind, at) => (
        <span key={at} class={kind} />
      ))}
    </span>
  )
}

/** By site. */
function kitchensAt(scene: Scene, ms: number): readonly Kitchen[] {
  const kitchens = scene.head.sites.map(() => ({ ...NO_KITCHEN }))
  for (const seen of scene.ordersAround(ms)) {
    const kitchen = kitchens[seen.site]
    const stage = stageAt(seen, ms)
    if (kitchen === undefined) continue
    if (stage === "ready") kitchen.ready += 1
    if (stage === "cooking") kitchen.cooking += 1
    if (stage === "to cook") kitchen.toCook += 1
  }
  return kitchens
}

const NO_KITCHEN: Kitchen = { ready: 0, cooking: 0, toCook: 0 }
