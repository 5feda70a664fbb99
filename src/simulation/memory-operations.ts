/** Operations' rows in memory: load photos, and the catalog as operations see it. */

import { Effect, Layer } from "effect"
import { Places } from "../services/operations/places.ts"
import type { Place } from "../services/operations/places.ts"
import { PhotoStore } from "../services/photos/photo-store.ts"
import type { StoredPhoto } from "../services/photos/photo-store.ts"
import type { WorldSite } from "./memory-rows.ts"
import type { MemoryStore } from "./memory-store.ts"

/** Rows are plain JSON, so bytes are stored as base64. */
type PhotoRow = Omit<StoredPhoto, "bytes"> & { readonly base64: string }

export function layerMemoryPhotoStore(store: MemoryStore): Layer.Layer<PhotoStore> {
  const photos = store.table<PhotoRow>("load-photos")
  const ofReservation = store.table<string>("load-photos-of-reservation")
  const drop = (photoId: string): void => {
    const photo = photos.get(photoId)
    if (photo === null) return
    photos.delete(photoId)
    ofReservation.delete(photo.reservationId)
  }
  return Layer.succeed(PhotoStore, {
    put: ({ bytes, ...photo }) =>
      Effect.sync(() => {
        photos.put(photo.photoId, { ...photo, base64: Buffer.from(bytes).toString("base64") })
        ofReservation.put(photo.reservationId, photo.photoId)
      }),
    get: (photoId) =>
      Effect.sync(() => {
        const row = photos.get(photoId)
        if (row === null) return null
        const { base64, ...photo } = row
        return { ...photo, bytes: Buffer.from(base64, "base64") }
      }),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = photos.all().filter(({ createdAtMs }) => createdAtMs <= beforeMs)
        const gone = old.toSorted((a, b) => a.createdAtMs - b.createdAtMs).slice(0, limit)
        for (const { photoId } of gone) drop(photoId)
        return gone.length
      }),
    forget: (reservationId) => Effect.sync(() => drop(ofReservation.get(reservationId) ?? "")),
  })
}

/** The same places in both environments. */
export function layerMemoryPlaces(sites: readonly WorldSite[]): Layer.Layer<Places> {
  return Layer.succeed(Places, {
    site: (_, siteId) => Effect.sync(() => placeOf(sites.find((site) => site.site_id === siteId))),
    siteOfZone: (_, zoneId) =>
      Effect.sync(() => placeOf(sites.find((site) => site.zones.some((zone) => zone.zone_id === zoneId)))),
  })
}

function placeOf(site: WorldSite | undefined): Place | null {
  if (site === undefined) return null
  const offered = site.zones.flatMap(({ retailers }) => retailers)
  const counterById = new Map(
    offered.map(({ retailer_id: retailerId, name, support_phone, pickup_requirements }) => [
      retailerId,
      { retailerId, name, supportPhone: support_phone, pickupRequirements: pickup_requirements },
    ]),
  )
  return {
    siteId: site.site_id,
    zoneIds: site.zones.map((zone) => zone.zone_id).toSorted(),
    counters: [...counterById.values()],
  }
}
