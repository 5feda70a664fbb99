/** Load photos behind signed links, on the host of each environment. */

import { Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { layerPhotoFiles } from "../../engine/services/photos/photo-files.ts"
import type { PhotoFiles } from "../../engine/services/photos/photo-files.ts"
import { PhotoLinks, photoSignature } from "../../engine/services/photos/photo-links.ts"
import type { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface SignedPhotosOptions {
  readonly key: string
  /** Scheme and host of each environment, without a path. */
  readonly baseUrls: Readonly<Record<Environment, string>>
}

export function layerSignedPhotos({
  key,
  baseUrls,
}: SignedPhotosOptions): Layer.Layer<PhotoLinks | PhotoFiles, never, PhotoStore> {
  return Layer.mergeAll(
    Layer.succeed(PhotoLinks, {
      sign: ({ photoId, environment, expiresAtMs }) =>
        Routine.sync(() => {
          const exp = String(Math.floor(expiresAtMs / 1000))
          const sig = photoSignature({ photoId, environment, exp }, key)
          return `${baseUrls[environment]}/rs/v1/photos/${photoId}?exp=${exp}&sig=${sig}`
        }),
    }),
    layerPhotoFiles(key),
  )
}
