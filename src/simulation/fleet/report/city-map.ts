/**
 * The map of a report: streets, the area that each site serves, stores, the doors of one day and the ways there. The
 * script moves the vehicles. Without streets a map says nothing about a city, so there is none.
 */

import { drawnMap } from "../../../pages/html/map/place-map.ts"
import type { DrawnMap, MapPlace } from "../../../pages/html/map/place-map.ts"
import { boxOf } from "../../../pages/html/map/projection.ts"
import type { MapPoint } from "../../../pages/html/map/projection.ts"
import type { Streets } from "../../../pages/html/map/streets.ts"
import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { squareAround } from "../../../areas/dispatch/geography.ts"
import type { CoursePlace } from "../../../model/replay/course.ts"
import type { FleetModel, FleetSite } from "../language/model.ts"
import { forBothWidths, roundPx } from "./axis.ts"
import type { RecordedDay } from "./recorded-day.ts"

/** Ways and doors that the picture shows at most. */
const WAYS_MAX = 600

export function cityMap(model: FleetModel, day: RecordedDay, streets: Streets): Html {
  return forBothWidths(({ width, isNarrow }) => {
    const size = { width, height: isNarrow ? 320 : 560 }
    const areas = model.sites.map((site) => areaOf(site))
    const doors = day.doors.slice(0, WAYS_MAX).map(pointOf)
    const parts = {
      label: "",
      places: placesOf(model),
      around: [...areas.flat(), ...doors],
      isWay: false,
      size,
    }
    const bare = drawnMap(parts)
    if (bare === null) return html``
    const map = drawnMap({ ...parts, streets: streets.within(boxOf(bare.projection, size)) }) ?? bare
    return drawn(map, { size, areas, doors, ways: waysOf(day), vehicles: vehiclesOf(day).length })
  }, 1120)
}

interface Drawing {
  readonly size: { readonly width: number; readonly height: number }
  readonly areas: readonly (readonly MapPoint[])[]
  readonly doors: readonly MapPoint[]
  readonly ways: readonly (readonly MapPoint[])[]
  readonly vehicles: number
}

function drawn(
  { projection, streets, markers, labels, scale }: DrawnMap,
  { size, areas, doors, ways, vehicles }: Drawing,
): Html {
  const listed = (points: readonly MapPoint[]): string =>
    points.map((point) => projection.pointOf(point).map(roundPx).join(",")).join(" ")
  const [zero, one] = [
    { latitude: 0, longitude: 0 },
    { latitude: 1, longitude: 1 },
  ].map((point) => projection.pointOf(point))
  const [x0, y0, x1, y1] = [zero?.[0] ?? 0, zero?.[1] ?? 0, one?.[0] ?? 0, one?.[1] ?? 0]
  const says = `streets, ${areas.length} service areas, ${markers.length} stores, ${doors.length} doors and the ways of ${vehicles} vehicles; the table has the positions`
  return html`<svg
    class="city"
    viewBox="0 0 ${size.width} ${size.height}"
    width="${size.width}"
    height="${size.height}"
    role="img"
    aria-label="${says}"
    data-map="${[x0, x1 - x0, y0, y1 - y0].join(" ")}"
  >
    ${streets.map(
      ({ points, isMain }) =>
        html`<polyline
          class="street${isMain ? " main" : ""}"
          points="${points.map((point) => point.map(roundPx).join(",")).join(" ")}"
        />`,
    )}
    ${areas.map((area) => html`<polygon class="reach" points="${listed(area)}" />`)}
    ${ways.map((way) => html`<polyline class="trail" points="${listed(way)}" />`)}
    ${doors.map((door) => {
      const [x, y] = projection.pointOf(door).map(roundPx)
      return html`<circle class="door" cx="${x ?? 0}" cy="${y ?? 0}" r="2" />`
    })}
    ${markers.map(
      ({ at: [x, y] }) =>
        html`<rect class="store" x="${roundPx(x - 6)}" y="${roundPx(y - 6)}" width="12" height="12" />`,
    )}
    ${labels.map(
      ({ text, kind, x, y, anchor }) =>
        html`<text class="${kind}" x="${roundPx(x)}" y="${roundPx(y)}" text-anchor="${anchor}"
          >${text}</text
        >`,
    )}
    <g class="vehicles"></g>
    <path class="scale" d="M16 ${size.height - 18}v4h${scale.px}v-4" />
    <text x="${roundPx(22 + scale.px)}" y="${size.height - 12}">
      ${scale.metres < 1000 ? `${scale.metres} m` : `${scale.metres / 1000} km`}
    </text>
  </svg>`
}

function areaOf(site: FleetSite): readonly MapPoint[] {
  if (site.area !== null) return site.area
  const [ring = []] = squareAround(site.at, site.reach_km * 1000)
  return ring.map(([longitude, latitude]) => ({ latitude, longitude }))
}

/** Stores with a place of their own, and sites. */
function placesOf({ sites }: FleetModel): readonly MapPlace[] {
  return sites.flatMap((site) => [
    { kind: "store" as const, name: site.as, ...site.at },
    ...site.stores.flatMap(({ as, at }) =>
      at === null ? [] : [{ kind: "store" as const, name: as, ...at }],
    ),
  ])
}

function vehiclesOf({ people }: RecordedDay): RecordedDay["people"] {
  return people.filter(({ isVehicle }) => isVehicle)
}

/** The ways to stores and customers. A way along streets has several legs. */
function waysOf(day: RecordedDay): readonly (readonly MapPoint[])[] {
  const ways: MapPoint[][] = []
  for (const { legs } of vehiclesOf(day)) {
    let endMs = -1
    for (const { state, fromMs, untilMs, from, to } of legs) {
      if (state === "back" || untilMs === fromMs) continue
      if (fromMs !== endMs) ways.push([pointOf(from)])
      ways.at(-1)?.push(pointOf(to))
      endMs = untilMs
    }
  }
  return ways.slice(0, WAYS_MAX)
}

function pointOf([latitude, longitude]: CoursePlace): MapPoint {
  return { latitude, longitude }
}
