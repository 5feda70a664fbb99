/** Load photos over their declared table. */

import { Effect, Layer } from "effect"
import { purgeOf } from "../tables/purge.ts"
import { Tables } from "../tables/tables.ts"
import { PhotoStore, loadPhotos } from "./photo-store.ts"

export const layerPhotoStore: Layer.Layer<PhotoStore, never, Tables> = Layer.effect(
  PhotoStore,
  Effect.map(Tables, (tables): PhotoStore["Type"] => {
    const photos = tables.of(loadPhotos)
    return {
      put: photos.insert,
      get: (photoId) => photos.get({ photoId }),
      purge: purgeOf(loadPhotos, photos),
      forget: (reservationId) => photos.delete({ reservationId }),
    }
  }),
)
