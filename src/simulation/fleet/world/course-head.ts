/** What is known of a run before it begins. */

import type { CourseHead, CourseSite } from "../../../model/replay/course.ts"
import type { FleetModel, FleetSite } from "../language/model.ts"
import { streetGraphOf } from "../travel/routing.ts"
import { stallLabel } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"

export function courseHeadOf(model: FleetModel, seed: number, world: FleetWorld): CourseHead {
  return {
    title: model.fleet,
    seed,
    startMs: world.startMs,
    horizonMs: model.horizon,
    timeZone: model.clock.timeZone,
    sites: model.sites.map((site, number) => siteOf(site, world.areas[number]?.[0] ?? [])),
    isOnStreets: model.travel.is === "streets",
    ...unconnectedOf(model.travel),
  }
}

function unconnectedOf(travel: FleetModel["travel"]): Pick<CourseHead, "unconnected"> {
  if (travel.is !== "streets") return {}
  const { parts, metres, lines } = streetGraphOf(travel).unconnected
  if (parts === 0) return {}
  const places = lines.map((line) => line.map(({ latitude, longitude }) => [latitude, longitude] as const))
  return { unconnected: { parts, metres, lines: places } }
}

function siteOf(site: FleetSite, ring: readonly (readonly [number, number])[]): CourseSite {
  return {
    name: site.as,
    at: [site.at.latitude, site.at.longitude],
    area: site.vehicles === 0 ? [] : ring.map(([longitude, latitude]) => [latitude, longitude]),
    stalls: Array.from({ length: site.stalls }, (_, at) => stallLabel(at)),
    stores: site.stores.map(({ as, at, cooks }) => ({
      name: as,
      at: at === null ? null : [at.latitude, at.longitude],
      cooks,
    })),
  }
}
