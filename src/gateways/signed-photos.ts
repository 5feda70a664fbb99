/** Load photos behind signed links: HMAC over environment, id and expiry; the placeholder of the sandbox walk is built in. */

import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Effect, Layer } from "effect"
import { PhotoFiles } from "../services/photos/photo-files.ts"
import type { PhotoFile, PresentedPhotoLink } from "../services/photos/photo-files.ts"
import { PLACEHOLDER_PHOTO_ID, PhotoLinks } from "../services/photos/photo-links.ts"
import type { Environment } from "../model/caller.ts"

export interface SignedPhotosOptions {
  readonly key: string
  /** Scheme and host of each environment, without a path. */
  readonly baseUrls: Readonly<Record<Environment, string>>
}

/** A grey pixel, as JPEG. */
const PLACEHOLDER = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==",
  "base64",
)

export function layerSignedPhotos(options: SignedPhotosOptions): Layer.Layer<PhotoLinks | PhotoFiles> {
  return Layer.mergeAll(
    Layer.succeed(PhotoLinks, {
      sign: ({ photoId, environment, expiresAtMs }) =>
        Effect.sync(() => {
          const exp = String(Math.floor(expiresAtMs / 1000))
          const sig = signatureOf({ photoId, environment, exp }, options.key)
          return `${options.baseUrls[environment]}/rs/v1/photos/${photoId}?exp=${exp}&sig=${sig}`
        }),
    }),
    Layer.succeed(PhotoFiles, { open: (link) => open(link, options.key) }),
  )
}

const open = Effect.fnUntraced(function* (link: PresentedPhotoLink, key: string) {
  const given = Buffer.from(link.sig, "hex")
  const wanted = Buffer.from(signatureOf(link, key), "hex")
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  const nowMs = yield* Clock.currentTimeMillis
  if (!/^\d{1,12}$/.test(link.exp) || Number(link.exp) * 1000 <= nowMs) return null
  return link.photoId === PLACEHOLDER_PHOTO_ID ? placeholder : null
})

const placeholder: PhotoFile = { bytes: PLACEHOLDER, mediaType: "image/jpeg" }

function signatureOf({ photoId, environment, exp }: Omit<PresentedPhotoLink, "sig">, key: string): string {
  return createHmac("sha256", key).update(`${environment}\n${photoId}\n${exp}`).digest("hex")
}
