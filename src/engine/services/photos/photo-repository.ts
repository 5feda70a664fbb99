/** Load photos over their declared table. */

import { Effect, Layer } from "effect"
import { atMost } from "../tables/conditions.ts"
import { Tables } from "../tables/tables.ts"
import { PhotoStore, loadPhotos } from "./photo-store.ts"

export const layerPhotoStore: Layer.Layer<PhotoStore, never, Tables> = Layer.effect(
  PhotoStore,
  Effect.map(Tables, (tables): PhotoStore["Type"] => {
    const photos = tables.of(loadPhotos)
    return {
      put: photos.insert,
      get: (photoId) => photos.get({ photoId }),
      purge: (environment, { beforeMs, limit }) =>
        photos.deleteFirst({ environment, createdAtMs: atMost(beforeMs) }, { order: ["createdAtMs"], limit }),
      forget: (reservationId) => photos.delete({ reservationId }),
    }
  }),
)
